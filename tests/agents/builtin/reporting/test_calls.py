"""Which calls are told as calls of a definition, where several share its name."""

LINK = (
    "package net\n\ninterface Carrier {\n  fun refuseMore()\n}\n\n"
    "open class Listener {\n  open fun refuseMore(link: Link) {}\n}\n\n"
    "class Link(val listener: Listener) : Carrier {\n  var refuses = false\n\n"
    "  override fun refuseMore() {\n    refuses = true\n    listener.refuseMore(this)\n  }\n\n"
    "  fun takeOver() {\n    refuseMore()\n  }\n}\n"
)
USERS = (
    "package other\n\nclass Codec(val carrier: Carrier, val link: Link, val listener: Listener) {\n"
    "  fun finish() {\n    carrier.refuseMore()\n    listener.refuseMore(link)\n    if (link.refuseMore) return\n"
    "    whatever.refuseMore()\n  }\n}\n"
)


def test_calls_of_a_method_behind_any_name_count_and_those_of_others_do_not(look, make):
    looked = look(make({"net/Link.kt": LINK, "other/Codec.kt": USERS}), "What calls Link.refuseMore?")
    assert looked.doubts == []
    (used,) = looked.found.usages
    lines = {one.path: one.lines for one in used.files}
    bare = LINK.splitlines().index("    refuseMore()") + 1
    assert lines["net/Link.kt"] == (bare,)  # in its own class; its listener's is another
    assert lines["other/Codec.kt"] == (5, 8)  # what it extends, and whatever it may be; a property is no call


def test_a_method_that_few_share_is_called_behind_any_name(look, make):
    job = "class Job:\n    def settle_all(self):\n        return 1\n"
    other = "class Cart:\n    def settle_all(self):\n        return 2\n"
    user = "def run(thing):\n    return thing.settle_all()\n"
    looked = look(make({"a/job.py": job, "a/cart.py": other, "b/user.py": user}), "What calls Job.settle_all?")
    assert [(one.path, one.lines, one.sure) for one in looked.found.usages[0].files] == [("b/user.py", (2,), False)]


def test_where_a_callee_is_defined_is_told_only_when_it_is_sure(look, make):
    one = "class Socket {\n  close_quietly() { return 1 }\n}\n"
    other = "class Stream {\n  close_quietly() { return 2 }\n}\n"
    user = "import './net'\n\nexport function abortRequest (request) {\n  request.close_quietly()\n}\n"
    files = {"src/net/socket.js": one, "lib/stream.js": other, "src/net/abort.js": user}
    text = look(make(files), "How does abortRequest close quietly?").text
    assert "calls `close_quietly` (by name: several share it) at `src/net/abort.js:4`" in text
    assert "defined at" not in text.split("## How it hangs together")[1].split("\n## ")[0]


def test_a_function_is_called_behind_its_module_where_several_modules_have_one(look, make):
    files = {f"src/{name}.py": f"def salvage(what):\n    return '{name}'\n" for name in ("records", "reading")}
    user = "from src import records, reading\n\n\n"
    user += "def run():\n    records.salvage(1)\n\n\ndef other():\n    reading.salvage(2)\n"
    looked = look(make({**files, "src/user.py": user}), "What calls records.salvage?")
    for one in looked.found.usages:
        lines = {"src/records.py": (5,), "src/reading.py": (9,)}[one.node.path]
        assert [(used.path, used.lines, used.sure) for used in one.files] == [("src/user.py", lines, True)]
