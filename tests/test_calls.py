from scoutkit.calls import Call, calls

PAGE = "<p>\n<script>\n  hello(1)\n</script>\n"


def test_calls_are_named_by_their_last_part() -> None:
    assert [(one.name, one.line) for one in calls("a.py", "a.b.c(1)\nd(e())\n")] == [("c", 1), ("d", 2), ("e", 2)]
    assert [one.name for one in calls("a.go", "package a\nfunc f() { x.Y(); z() }\n", 2, 2)] == ["Y", "z"]
    assert [one.name for one in calls("a.py", "a()\nb()\nc()\n", 2, 2)] == ["b"]


def test_what_a_page_calls_is_what_its_scripts_call() -> None:
    assert [(one.name, one.line) for one in calls("a.html", PAGE)] == [("hello", 3)]
    assert calls("a.html", "<p>\n<script>\nopen(1)") == [Call("open", 3)]


def test_languages_without_a_table_have_no_calls() -> None:
    assert calls("a.nix", "{ a = f 1; }\n") == []
