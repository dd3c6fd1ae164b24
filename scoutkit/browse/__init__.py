"""The catalogue in a browser: pages of our own beside Datasette's, and who may ask for them."""
