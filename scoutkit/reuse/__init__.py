"""Notes and missions into prompts."""
