"""Keeping citations true: what cited lines looked like, and whether they still do."""
