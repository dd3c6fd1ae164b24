"""Hands scoutkit's plugin to `datasette --plugins-dir`."""

from scoutkit.browse.plugin import (
    asgi_wrapper,
    canned_queries,
    extra_css_urls,
    prepare_jinja2_environment,
    register_routes,
    render_cell,
    startup,
)

__all__ = [
    "asgi_wrapper",
    "canned_queries",
    "extra_css_urls",
    "prepare_jinja2_environment",
    "register_routes",
    "render_cell",
    "startup",
]
