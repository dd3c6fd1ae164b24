"""Hands scoutkit's plugin to `datasette --plugins-dir`."""

from scoutkit.browse.plugin import asgi_wrapper, canned_queries, register_routes, startup

__all__ = ["asgi_wrapper", "canned_queries", "register_routes", "startup"]
