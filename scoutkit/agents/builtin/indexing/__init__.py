"""What is in the code: each file's symbols and words, kept by content, joined for a commit."""
