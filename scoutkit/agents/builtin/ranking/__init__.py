"""Which places answer a question best, and how sure that is."""
