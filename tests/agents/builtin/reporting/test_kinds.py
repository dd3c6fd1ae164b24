"""Which kind of question a way of asking is."""

import pytest

from scoutkit.agents.builtin.ranking.question import understand
from scoutkit.agents.builtin.reporting.kinds import Kind, asked_for, kind_of

ASKED = {
    Kind.WHERE: """
        Where is the session cookie signed and verified?
        Which file parses the config?
        which function validates the token
        Where is the call timeout enforced?
        会话 cookie 在哪里签名?
        哪个函数负责解析配置文件?
        Session does not strip the Authorization header when redirected to another port
        🦀🦀
        """,
    Kind.HOW: """
        How does the store gateway cache index lookups?
        Explain the retry policy
        What does Session.send do?
        What is the impact model?
        What is the relationship between App and Blueprint?
        路由匹配是如何实现的?
        配置文件是怎么加载的
        """,
    Kind.HAPPENS: """
        What happens when a request body fails schema validation?
        what happens if the config file is missing
        Walk me through a request from socket to handler
        What does the client do when the connection drops?
        What happens when the flag --x is set?
        What if the disk is full?
        当请求体校验失败时会发生什么?
        """,
    Kind.CALLS: """
        What calls RealCall.execute?
        Who uses SessionSigner?
        Where is merge_cookies called?
        Which functions call validate?
        find all usages of IndexCache
        merge_cookies 在哪里被调用?
        哪些地方调用了 validate?
        """,
    Kind.BREAKS: """
        What would break if we change reply.send?
        What breaks if I remove the index cache?
        Is it safe to rename should_strip_auth?
        Can I delete filter_cache.go?
        What is the impact of changing the hash function?
        What else has to change if we rename the config key?
        修改 reply.send 会影响哪些地方?
        """,
    Kind.CONFIG: """
        Which setting controls the maximum multipart memory?
        what environment variable disables colour
        How do I configure the timeout?
        Is there a flag to follow symlinks?
        Where is the pool size configured?
        What is the default value for the read timeout?
        哪个配置控制最大连接数?
        如何设置超时时间
        """,
    Kind.WHY: """
        Why does Session strip the Authorization header on redirects?
        What is the reason for the double lock?
        In requests, why are cookies copied?
        为什么重定向时会去掉 Authorization?
        """,
    Kind.NAME: """
        RIPGREP_CONFIG_PATH
        merge_cookies
        Reply.send()
        class Session
        """,
}
TRACE = 'Traceback (most recent call last):\n  File "src/a.py", line 3, in f\nValueError: no'


@pytest.mark.parametrize(
    ("kind", "question"), [(kind, line.strip()) for kind, lines in ASKED.items() for line in lines.strip().splitlines()]
)
def test_a_question_is_of_the_kind_that_it_is_put_as(kind, question):
    assert kind_of(understand(question)) is kind


@pytest.mark.parametrize(
    "text", [TRACE, "Error: boom\n    at Reply.send (lib/reply.js:156:3)\n    at f (lib/a.js:1:2)"]
)
def test_a_pasted_traceback_is_told_by_its_frames(text):
    assert kind_of(understand(text)) is Kind.TRACE


@pytest.mark.parametrize("text", ["", "\0", "?", "the of and"])
def test_what_says_nothing_asks_where(text):
    assert kind_of(understand(text)) is Kind.WHERE


@pytest.mark.parametrize(
    ("word", "left"),
    [
        ("的默认值是什么", ""),
        ("会话", "会话"),
        ("在哪里清理空闲连接", "清理空闲连接"),
        ("是惰性求值的", "惰性求值"),
        ("calls", ""),
        ("teapot", "teapot"),
    ],
)
def test_what_only_asks_is_told_from_what_code_may_have(word, left):
    assert asked_for(word) == left


@pytest.mark.parametrize("question", ["Where is flush_jobs defined?", "where is flush_jobs located", "flush_jobs"])
def test_who_asks_where_a_name_is_defined_is_told_for_sure(look, make, question):
    files = {
        "src/jobs.py": "def flush_jobs():\n    return 1\n",
        "src/other.py": "def defined():\n    return flush_jobs()\n",
    }
    text = look(make(files), question).text
    assert "the question names `flush_jobs`, which is defined once" in text
    assert "Perhaps" not in text
