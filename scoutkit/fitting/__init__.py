"""What `scoutkit init` puts into other people's files, and takes out again to the byte. Pure: bytes to bytes.

Where a file has comments, marks say what is ours, and a fingerprint in them whether it still is as it was written.
Where it has none, the value itself does. So undoing needs no record, and works in another clone.
"""
