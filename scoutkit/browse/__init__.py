"""The catalogue in Datasette."""
