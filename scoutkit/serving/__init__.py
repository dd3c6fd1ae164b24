"""Notes for agent programs, over the Model Context Protocol: answers within a budget, and the server of them."""
