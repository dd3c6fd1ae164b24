"""Report to note: citations, the birth check, the notebook."""
