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


def test_where_nothing_tells_which_definition_a_call_means_it_is_told_as_a_call_of_any(look, make):
    files = {f"src/plugin{n}.py": f"def before_each_run(item):\n    return {n}\n" for n in range(9)}
    files["src/base.py"] = "class Base:\n    def before_each_run(self, item):\n        return None\n"
    files["src/loop.py"] = "def loop(items):\n    for item in items:\n        item.hook.before_each_run(item)\n"
    files["src/own.py"] = (
        "def other(plugin3):\n    plugin3.before_each_run(1)\n"  # that one's, whoever else is asked for
    )
    looked = look(make(files), "What calls `before_each_run`?")
    (used,) = {one.node.last: one for one in looked.found.usages if one.shared}.values()
    assert [(one.path, one.lines, one.sure) for one in used.files] == [("src/loop.py", (3,), False)]
    assert "these calls may mean any of them" in looked.text
    assert "Nothing in this code uses" not in looked.text


def test_a_method_of_ones_own_that_several_classes_have_is_told_where_it_is_called(look, make):
    files = {f"src/kind{n}.py": f"class Kind{n}:\n    def settle_it(self):\n        return {n}\n" for n in range(2)}
    files["src/sub.py"] = "class Sub(Kinds):\n    def go(self):\n        return self.settle_it()\n"
    looked = look(make(files), "What calls `settle_it`?")
    assert [(one.path, one.lines) for one in looked.found.usages[0].files] == [("src/sub.py", (3,))]


def test_a_function_that_is_only_named_is_told_where(look, make):
    files = {"src/hooks.py": "def add_options(parser):\n    return parser\n"}
    files["src/config.py"] = (
        "def start(self):\n    self.hook.add_options.call_historic(1)\n    # see hook.add_options\n"
    )
    looked = look(make(files), "What calls `add_options`?")
    assert [(one.path, one.lines, one.sure) for one in looked.found.usages[0].files] == [("src/config.py", (2,), False)]


def test_nothing_is_said_where_nothing_uses_it(look, make):
    looked = look(make({"src/hooks.py": "def add_options(parser):\n    return parser\n"}), "What calls `add_options`?")
    assert "Nothing in this code uses `add_options`" in looked.text
    assert " 0 " not in looked.text


def test_a_function_beside_a_module_is_not_what_is_called_behind_that_modules_name(look, make):
    files = {
        "a/journal.py": "class Journal:\n    def left_over(self):\n        return 1\n",
        "a/pulse.py": "def left_over(path):\n    return path\n",
        "a/mend.py": "from a import journal\n\n\ndef recover_all(desk):\n    return desk.journal.left_over()\n",
    }
    looked = look(make(files), "How does recover_all mend what is left over?")
    (edge,) = [edge for edge in looked.found.graph.edges if edge.callee.last == "left_over"]
    assert edge.callee.path == "a/journal.py"
