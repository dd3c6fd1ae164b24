"""Each kind of question, answered in an order that fits it, from what the code says."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from scoutkit import commands
from scoutkit.agents.builtin.reporting.facts import facts
from scoutkit.agents.builtin.reporting.kinds import Kind

SHOP = {
    "shop/app.py": (
        '"""The web application."""\n\nfrom shop.orders import place_order\n\n\n'
        '@app.post("/orders")\ndef create_order(request):\n'
        '    """Answer a customer who orders."""\n'
        "    return place_order(request.body)\n\n\n"
        "def main():\n    parser = argparse.ArgumentParser()\n"
        '    parser.add_argument("--max-orders", type=int, default=50)\n'
        "    serve(parser.parse_args().max_orders)\n"
    ),
    "shop/orders.py": (
        '"""Orders."""\n\nimport os\n\nMAX_RETRIES = 3\nLIMIT = int(os.environ.get("ORDER_LIMIT", "20"))\n\n\n'
        "def place_order(body):\n"
        '    """Check an order and charge for it."""\n'
        "    order = validate_order(body)\n"
        "    return charge_order(order)\n\n\n"
        "def validate_order(body):\n"
        '    """Refuse an order that has no lines."""\n'
        "    # an empty order must not be charged, since the bank rejects amounts of nothing\n"
        "    if not body.lines:\n"
        '        raise EmptyOrderError("no lines")\n'
        "    return body\n\n\n"
        "def charge_order(order):\n"
        '    """Charge for an order, again where the bank is busy."""\n'
        "    for attempt in range(MAX_RETRIES):\n"
        "        send_charge(order, attempt)\n\n\n"
        "def send_charge(order, attempt):\n"
        '    """Ask the bank for the order\'s money."""\n'
        "    return bank.post(order, attempt)\n"
    ),
    "shop/jobs.py": "from shop.orders import charge_order\n\n\ndef recharge(orders):\n    for order in orders:\n"
    "        charge_order(order)\n",
    "tests/test_orders.py": (
        "from shop.orders import charge_order, validate_order\n\n\n"
        "def test_an_order_is_charged_once():\n    charge_order(1)\n    charge_order(2)\n\n\n"
        "def test_an_order_without_lines_is_refused():\n    validate_order(0)\n"
    ),
    "docs/orders.md": "# Orders\n\n## Charging\n\nAn order is charged by `charge_order`, again if the bank is busy.\n",
}


@pytest.fixture
def shop(make):
    return make(SHOP)


def headings(text):
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


def test_where_begins_with_places(look, shop):
    looked = look(shop, "Where is an order charged?")
    assert looked.doubts == []
    assert headings(looked.text)[0] == "Start here"
    assert "```mermaid" not in looked.text


def test_how_tells_the_calls_in_order_and_draws_them(look, shop):
    looked = look(shop, "How is an order charged?")
    together = looked.section("How it hangs together")
    calls = re.findall(r"- `(\w+)` calls `(\w+)`", together)
    assert looked.doubts == []
    assert calls.index(("place_order", "charge_order")) < calls.index(("charge_order", "send_charge"))
    assert '```mermaid\nflowchart TD\n  n1["' in together
    drawn = re.findall(r"  (n\d+) --> (n\d+)", together)
    names = dict(re.findall(r'  (n\d+)\["(\w+)"\]', together))
    assert {(names[one], names[other]) for one, other in drawn} <= {*calls}  # each edge is told with its place


def test_what_happens_follows_the_path_from_its_entrance_and_says_what_may_fail(look, shop):
    looked = look(shop, "What happens when a customer places an order without lines?")
    assert looked.doubts == []
    assert headings(looked.text)[:2] == ["The path", "When it goes wrong"]
    assert "- `create_order` is where the route POST /orders begins: `shop/app.py:6` `/orders`" in looked.text
    assert "- `validate_order`: `EmptyOrderError` at `shop/orders.py:19`" in looked.section("When it goes wrong")


def test_what_calls_lists_all_callers_by_file_tests_last(look, shop):
    looked = look(shop, "What calls charge_order?")
    used = looked.section("What uses it")
    assert looked.doubts == []
    assert "is used in 2 places of 2 files and in 2 places of 1 test file." in used
    assert used.index("`shop/orders.py:12` uses") < used.index("Test: `tests/test_orders.py:5,6` use `charge_order`")
    assert "in `test_an_order_is_charged_once`" in used
    assert "Confidence: the question names `charge_order`, which is defined once." in looked.text
    first = looked.text.split("\n\n")
    assert first[0].endswith("charge_order is used in 2 places of 2 files")  # tests break, but are not what calls it
    assert "is used in 2 places of 2 files and in 2 places of 1 test file." in first[1]


def test_what_only_tests_use_is_said_to_be(look, make):
    code = "def lone(a):\n    return a\n"
    test = "from lone import lone\n\n\ndef test_lone():\n    assert lone(1) == 1\n"
    looked = look(make({"lone.py": code, "tests/test_lone.py": test}), "What calls lone?")
    assert looked.doubts == []
    first = looked.text.split("\n\n")
    assert first[0].endswith("lone is used in no file but tests")
    assert "is used in no file but tests and in " in first[1]


@pytest.mark.parametrize("callers", [1, 2, 3])
def test_a_file_with_more_callers_than_are_named_says_so(look, make, callers):
    code = "def deep(a):\n    return a\n"
    uses = "from deep import deep\n" + "".join(f"\n\ndef use{at}(a):\n    return deep(a)\n" for at in range(callers))
    used = look(make({"deep.py": code, "uses.py": uses}), "What calls deep?").section("What uses it")
    assert ("`use1` and elsewhere" in used) == (callers > 2)
    assert "`use0`" in used


def test_what_breaks_tells_what_changes_together(look, shop, git):
    for number in range(4):
        for path in ("shop/orders.py", "shop/jobs.py"):
            with (shop / path).open("a") as file:
                file.write(f"# {number}\n")
        git(shop, "commit", "-qam", f"Charge better {number}")
    looked = look(shop, "What would break if I rename charge_order?")
    assert looked.doubts == []
    assert headings(looked.text)[:2] == ["What uses it", "What changes with it"]
    assert "`shop/jobs.py` (5 of 5 commits)" in looked.section("What changes with it")


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (
            "Which environment variable limits orders?",
            '- `ORDER_LIMIT` (environment variable) at `shop/orders.py:6`, `"20"` by default',
        ),
        ("Which flag sets the maximum of orders?", "- `--max-orders` (flag) at `shop/app.py:14`, `50` by default"),
        (
            "Which setting is for the retries?",
            "- `MAX_RETRIES` at `shop/orders.py:5`, `3` by default; used at `shop/orders.py:25`",
        ),
    ],
)
def test_which_setting_begins_with_settings_and_their_defaults(look, shop, question, line):
    looked = look(shop, question)
    assert looked.doubts == []
    assert headings(looked.text)[0] == "Settings"
    assert line in looked.section("Settings")


def test_why_begins_with_reasons_and_the_commits_that_made_the_lines(look, shop, git):
    text = (shop / "shop/orders.py").read_text().replace("if not body.lines:", "if not body.lines or not body.total:")
    (shop / "shop/orders.py").write_text(text)
    git(
        shop, "commit", "-qam", "Refuse free orders too", "-m", "The bank locked us out because of them.\n\nsrc/x.py:77"
    )
    looked = look(shop, "Why is an empty order refused?")
    why = looked.section("Why")
    assert looked.doubts == []
    assert headings(looked.text)[0] == "Why"
    assert "an empty order must not be charged, since the bank rejects amounts of nothing" in why
    assert "Refuse free orders too\n            The bank locked us out because of them." in why


def test_one_word_is_looked_up(look, shop):
    looked = look(shop, "validate_order")
    assert looked.doubts == []
    assert looked.text.startswith("# validate_order: validate_order in shop/orders.py\n")
    assert headings(looked.text)[:2] == ["Start here", "What uses it"]


def test_a_name_of_a_setting_is_told_as_one(look, shop):
    assert headings(look(shop, "ORDER_LIMIT").text)[0] == "Settings"


def test_a_traceback_is_followed_in_the_lines_as_they_are_now(look, shop):
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/srv/app/shop/app.py", line 9, in create_order\n    return place_order(request.body)\n'
        '  File "/srv/app/shop/orders.py", line 11, in place_order\n    order = validate_order(body)\n'
        '  File "/srv/app/shop/orders.py", line 2, in validate_order\n    raise EmptyOrderError("no lines")\n'
        "shop.orders.EmptyOrderError: no lines\n"
    )
    looked = look(shop, trace)
    assert looked.doubts == []
    assert looked.text.startswith("# shop.orders.EmptyOrderError: validate_order in shop/orders.py\n")
    assert re.findall(r"^- `(\w+)` at", looked.section("The traceback"), re.MULTILINE) == [
        "create_order",
        "place_order",
        "validate_order",
    ]
    assert "- `validate_order` at `shop/orders.py:19`" in looked.text


def test_several_definitions_of_a_name_are_an_open_question(look, make):
    files = {
        f"src/{name.lower()}.py": f"class {name}:\n    def settle(self):\n        return 1\n"
        for name in ("Bank", "Shop")
    }
    looked = look(make(files), "How does `settle` work?")
    assert looked.doubts == []
    assert (
        "- `settle` is defined in 2 places: which one is meant? `Bank.settle` at `src/bank.py:2-3`"
        in looked.section("Open questions")
    )


def test_without_an_open_question_there_is_no_such_section(look, shop):
    assert "Open questions" not in look(shop, "What calls charge_order?").text


def test_a_report_stays_within_its_length(look, make):
    body = "".join(f"    total += order_{number}(cart)\n" for number in range(200))
    files = {f"src/orders{number}.py": f"def charge_order_{number}(cart):\n{body}" for number in range(20)}
    looked = look(make(files), "How are orders of a cart charged?")
    assert 3_000 < len(looked.text.encode()) <= 6_600
    assert looked.doubts == []


@pytest.mark.parametrize(
    "question", ["How is an order charged?", "validate_order", "What calls charge_order?", "nothing", ""]
)
def test_the_facts_fit_their_schema(look, shop, question):
    found = look(shop, question).found
    schema = json.loads((Path(commands.__path__[0]) / "schemas" / "ask.json").read_text())
    told = facts(found)
    jsonschema.Draft202012Validator({**schema["$defs"]["facts"], "$defs": schema["$defs"]}).validate(told)
    assert told["kind"] == found.kind.value


def test_the_facts_are_those_of_the_report(look, shop):
    looked = look(shop, "How is an order charged?")
    told = facts(looked.found)
    assert looked.found.kind is Kind.HOW
    assert [f"`{one['path']}:{one['start']}-{one['end']}`" in looked.text for one in told["ranges"]].count(False) == 0
    assert {"caller": "place_order", "callee": "charge_order"}.items() <= next(
        one for one in told["calls"] if one["callee"] == "charge_order" and one["caller"] == "place_order"
    ).items()


@pytest.mark.parametrize(
    "question", ["订单在哪里扣款?", "为什么空订单会被拒绝?", "谁调用了 charge_order?", "é", "🦀 order?"]
)
def test_words_outside_ascii_neither_break_a_report_nor_vanish(look, shop, question):
    looked = look(shop, question)
    assert looked.doubts == []
    if looked.found.spots:
        assert question.rstrip("?") in looked.text.splitlines()[0]


def test_a_function_that_is_handed_on_is_told_so(look, make):
    files = {
        "src/queue.js": "function queueFlush () {\n  promise.then(flushJobs)\n}\n\nfunction flushJobs () {}\n",
        "src/reload.js": "function reloadAll () {\n  queueFlush()\n}\n",
    }
    looked = look(make(files), "How are jobs flushed by flushJobs?")
    assert looked.doubts == []
    assert "- `queueFlush` hands on `flushJobs` at `src/queue.js:2`" in looked.text
    assert "- `reloadAll` calls `queueFlush` at `src/reload.js:2`" in looked.text
