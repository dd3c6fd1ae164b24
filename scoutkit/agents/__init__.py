"""Who does the work: one file an agent."""
