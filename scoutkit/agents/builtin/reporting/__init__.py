"""What there is to say around the best places, and the report that says it."""
