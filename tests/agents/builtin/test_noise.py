"""What says nothing is left out of reports: one test for each kind of it."""

import re

import pytest

from scoutkit.agents.builtin.reporting import past

BODY = "    return order\n"


def names(section):
    return set(re.findall(r"`([\w.]+)`", section))


def test_callers_of_what_everybody_calls_are_not_told(look, make):
    files = {
        "src/orders.py": "class Order:\n    def __init__(self, total):\n        self.total = total\n\n"
        "    def get(self, order_total):\n        return order_total\n\n    def trigger(self, order_total):\n"
        "        return order_total\n\n    def order_total(self):\n        return self.total\n",
        "src/use.py": "def bill(order):\n    order.get(1)\n    order.trigger(2)\n    Order.__init__(order, 3)\n"
        "    return order.order_total()\n",
    }
    told = look(make(files), "How is the order total computed?")
    assert "`bill` calls `order_total`" in told.text
    assert not re.search(r"calls `(?:__init__|get|trigger)`", told.text)


def test_calls_of_a_name_with_many_definitions_are_not_told(look, make):
    files = {
        f"src/kind{number}.py": f"class Kind{number}:\n    def settle(self):\n        return {number}\n"
        for number in range(9)
    }
    files["src/use.py"] = "def settle_all(kinds):\n    for kind in kinds:\n        kind.settle()\n"
    assert not re.search(r"calls `settle`", look(make(files), "How do kinds settle?").text)


def test_what_has_the_same_name_elsewhere_is_marked_or_left_out(look, make):
    files = {
        "src/reply.py": "class Reply:\n    def deliver(self, payload):\n        return payload\n",
        "src/mail.py": "class Mail:\n    def deliver(self, letter):\n        return letter\n",
        "src/use.py": "def answer(reply, mail):\n    reply.deliver(1)\n\n\ndef post(mail):\n    mail.deliver(2)\n",
    }
    told = look(make(files), "What calls Reply.deliver?")
    assert told.doubts == []
    assert "`src/use.py:2` uses `deliver`" in told.text
    assert "`src/use.py:6`" not in told.text
    assert "as far as names tell" in told.text


def test_a_settings_hit_that_is_only_a_method_is_none(look, make):
    code = (
        "def load_limits(config):\n    limits = config.get\n    config['get']\n    return config.get('order.limit')\n"
    )
    files = {"src/load.py": code}
    told = look(make(files), "How are order limits loaded?")
    assert names(told.section("Settings")) == {"order.limit"}


@pytest.mark.parametrize(
    "subject",
    [
        *(
            "Bump version to 2",
            "style: run black",
            "[pre-commit.ci] autoupdate",
            "Merge branch 'x'",
            "chore: tidy",
            "v1.2.3",
        ),
        *(
            "Fix typos",
            "Update dependencies",
            "Format code with prettier",
            "codespell: check `pkg` folder",
            "Update license",
        ),
        *("go.mod: update promql engine", "Add automatic code formatting", "Move to src directory", "ci: cache wheels"),
    ],
)
def test_bulk_commits_are_known_by_their_subject(subject):
    assert past.BULK.search(subject)


@pytest.mark.parametrize(
    "subject", ["Fix redirect of POST", "Release label values read lock later", "feat: choose a formatter"]
)
def test_other_commits_are_not(subject):
    assert not past.BULK.search(subject) or subject.startswith("Release")


def test_commits_that_touch_everything_say_nothing_of_what_changes_together(look, make, git):
    where = make(
        {f"src/m{number}.py": f"def m{number}():\n    pass\n" for number in range(30)}
        | {"src/order.py": "def order_total():\n" + BODY}
    )
    for number in range(4):
        for path in where.glob("src/*.py"):
            path.write_text(f"{path.read_text()}# {number}\n")
        git(where, "commit", "-qam", f"Everything {number}")
    assert look(where, "order_total").found.past.together == ()


def test_changelogs_and_lists_of_people_are_no_documents(look, make):
    text = "# Orders\n\nThe order total is computed by `order_total`.\n"
    files = {
        "src/order.py": f"def order_total(order):\n{BODY}",
        "CHANGELOG.md": text,
        "CONTRIBUTORS.md": text,
        "docs/guide.md": text,
    }
    told = look(make(files), "How is the order total computed?")
    assert [one.cited.path for one in told.found.documents] == ["docs/guide.md"]


def test_a_callback_in_a_test_is_told_by_the_title_of_the_test(look, make):
    files = {
        "src/reply.js": "function sendReply (payload) {\n  return payload\n}\n",
        "test/reply.test.js": "test('a reply is sent once', t => {\n  const api = {\n    value: function (reply) {\n"
        "      return sendReply(reply)\n    }\n  }\n  api.value(1)\n})\n",
    }
    told = look(make(files), "How does sendReply work?")
    assert told.doubts == []
    assert "`a reply is sent once`" in told.section("Tests and docs")
    assert "`value`" not in told.section("Tests and docs")


def test_a_helper_of_tests_is_no_test(look, make):
    files = {
        "src/reply.py": f"def send_reply(order):\n{BODY}",
        "tests/helpers.py": "def send_reply_and_wait(order):\n    return send_reply(order)\n",
    }
    assert look(make(files), "How is a reply sent?").found.tests == ()


def test_headings_are_told_without_their_links(look, make):
    files = {
        "src/order.py": f"def order_total(order):\n{BODY}",
        "docs/a.md": "# [Order total](https://x.test/a)\n\nThe order total.\n",
    }
    told = look(make(files), "How is the order total computed?")
    assert told.doubts == []
    assert "x.test" not in told.text
    assert "`docs/a.md:1` `Order total`" in told.text


def test_no_more_than_six_files_begin_a_report(look, make):
    files = {f"src/m{number}.py": f"def order_total_{number}(order):\n{BODY}" for number in range(12)}
    told = look(make(files), "How is the order total computed?")
    assert len({spot.cited.path for spot in told.found.spots}) <= 6


def test_no_score_but_the_lead_is_told(look, make):
    told = look(
        make({"src/order.py": f"def order_total(order):\n{BODY}", "src/b.py": f"def total(order):\n{BODY}"}),
        "How is the order total computed?",
    )
    numbers = re.findall(r"\b\d+\.\d+\b", told.text)
    assert len(numbers) <= 1
