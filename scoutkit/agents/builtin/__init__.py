"""The built-in agent: answers from the code alone, with no model, key or network."""
