"""Routes, commands and programs, told by what the code says beside a function or where it is handed over."""

import pytest

from scoutkit.agents.builtin.indexing.paths import role_of

ROUTES = {
    "src/app.py": '@app.route("/orders")\ndef list_orders():\n    return find_orders()\n',
    "src/App.java": 'class App {\n  @GetMapping("/orders")\n  Object listOrders() { return findOrders(); }\n}\n',
    "src/app.js": "function listOrders (req) { return findOrders() }\n\nrouter.get('/orders', listOrders)\n",
    "src/app.go": (
        "package app\n\nfunc listOrders(c Ctx) { findOrders() }\n\n"
        'func routes(r R) {\n\tr.GET("/orders", listOrders)\n}\n'
    ),
    "src/urls.py": (
        "def list_orders(request):\n    return find_orders()\n\n\n"
        "urlpatterns = [\n    path('orders/', list_orders),\n]\n"
    ),
}
COMMANDS = {
    "src/cli.py": '@click.command("list-orders")\ndef list_orders():\n    return find_orders()\n',
    "src/tool.py": "@app.command()\ndef list_orders():\n    return find_orders()\n",
    "src/root.go": (
        'package cmd\n\nvar listCmd = &cobra.Command{\n\tUse: "list-orders",\n\tRunE: runListOrders,\n}\n\n'
        "func runListOrders(c C) error { return findOrders() }\n"
    ),
}


@pytest.mark.parametrize(("path", "text"), ROUTES.items())
def test_routes(look, make, path, text):
    found = look(make({path: text}), "How are orders listed?")
    assert found.doubts == []
    assert [one.kind for one in found.found.entrances][:1] == ["route"]
    assert found.found.entrances[0].said.rstrip("/").endswith("orders")


@pytest.mark.parametrize(("path", "text"), COMMANDS.items())
def test_commands(look, make, path, text):
    found = look(make({path: text}), "How are orders listed?")
    assert found.doubts == []
    assert [(one.kind, one.said) for one in found.found.entrances][:1] == [("command", "list-orders")]


def test_a_program_begins_where_main_is(look, make):
    code = "package main\n\nfunc main() {\n\tlistOrders()\n}\n\nfunc listOrders() {\n\tprintln(1)\n}\n"
    found = look(make({"cmd/main.go": code}), "How are orders listed?")
    assert found.doubts == []
    assert "- `main` is where the program begins: `cmd/main.go:3-5`" in found.text


def test_a_mark_in_a_comment_or_a_call_that_hands_nothing_over_is_none(look, make):
    code = '# @app.route("/orders")\ndef list_orders():\n    return client.get("/orders")\n'
    assert role_of("src/app.py") == "s"
    assert look(make({"src/app.py": code}), "How are orders listed?").found.entrances == ()
