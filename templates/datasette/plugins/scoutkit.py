"""Hands scoutkit's plugin to `datasette --plugins-dir`."""

from scoutkit.browse.plugin import asgi_wrapper, register_routes

__all__ = ["asgi_wrapper", "register_routes"]
