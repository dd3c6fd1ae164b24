"""Many missions at once: reading a list of them, what is durable of a batch, comparing what several agents found."""
