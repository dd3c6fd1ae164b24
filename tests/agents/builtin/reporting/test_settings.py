"""What code reads as a setting, in several languages, and its default as far as a line or a few say so."""

import pytest

from scoutkit.agents.builtin.reporting import past

READ = {
    'int(os.environ.get("ORDER_LIMIT", "20"))': ("ORDER_LIMIT", "environment variable", '"20"'),
    'os.getenv("ORDER_LIMIT")': ("ORDER_LIMIT", "environment variable", ""),
    'parser.add_argument("-l", "--order-limit", type=int, default=20)': ("--order-limit", "flag", "20"),
    '@click.option("--order-limit", default=20)': ("--order-limit", "flag", "20"),
    'config["order.limit"]': ("order.limit", "configuration key", ""),
    "settings.ORDER_LIMIT": ("ORDER_LIMIT", "configuration key", ""),
}
OTHER = {
    "a.js": ("const limit = process.env.ORDER_LIMIT || 20", ("ORDER_LIMIT", "environment variable", "20")),
    "a.go": ('\tlimit := cmd.Flag("order.limit", "Orders.").Default("20").Int()', ("order.limit", "flag", '"20"')),
    "b.go": ('\tcmd.Flags().IntVar(&o.Limit, "order-limit", 20, "Orders.")', ("order-limit", "flag", "")),
    "a.rs": ('    let limit = std::env::var("ORDER_LIMIT");', ("ORDER_LIMIT", "environment variable", "")),
    "a.c": ('    createIntConfig("order-limit", NULL, x);', ("order-limit", "configuration key", "")),
    "a.rb": ('  ENV.fetch("ORDER_LIMIT", 20)', ("ORDER_LIMIT", "environment variable", "20")),
}
AROUND = {
    "js": "function orders () {\n%s\n}\n",
    "go": "package a\n\nfunc orders() {\n%s\n}\n",
    "rs": "fn orders() {\n%s\n}\n",
    "c": "void orders(void) {\n%s\n}\n",
    "rb": "def orders\n%s\nend\n",
}


def told(looked):
    assert looked.doubts == []
    return [(one.name, one.kind, one.default) for one in looked.found.settings]


@pytest.mark.parametrize(("line", "setting"), READ.items())
def test_python(look, make, line, setting):
    code = f"def orders():\n    {line}\n" if line[0] != "@" else f"{line}\ndef orders():\n    pass\n"
    assert told(look(make({"src/a.py": code}), "How are orders limited by the order limit?")) == [setting]


@pytest.mark.parametrize(("name", "line", "setting"), [(name, *rest) for name, rest in OTHER.items()])
def test_other_languages(look, make, name, line, setting):
    code = AROUND[name.rpartition(".")[2]] % line
    assert told(look(make({f"src/{name}": code}), "How are orders limited by the order limit?")) == [setting]


def test_a_default_that_is_a_name_is_told_with_what_it_means(look, make):
    code = (
        "package a\n\nconst defaultOrderLimit = 32 << 20 // 32 MB\n\ntype Shop struct {\n\tOrderLimit int64\n}\n\n"
        "func New() *Shop {\n\treturn &Shop{\n\t\tOrderLimit: defaultOrderLimit,\n\t}\n}\n\n"
        "func (s *Shop) Take() bool {\n\treturn s.count < s.OrderLimit\n}\n"
    )
    looked = look(make({"src/a.go": code}), "Which setting is the limit of orders?")
    assert looked.doubts == []
    line = "- `OrderLimit` at `src/a.go:11`, `defaultOrderLimit` by default (`32 << 20`); used at `src/a.go:16`"
    assert looked.section("Settings") == line + "\n"


def test_a_table_of_settings_tells_the_default_after_where_the_value_is_kept(look, make):
    code = (
        "void init(void) {\n"
        '    createIntConfig("no-ordersync-on-rewrite", NULL, FLAG, 0, 9, server.no_sync, 7, NULL);\n'
        '    createEnumConfig("ordersync", NULL, FLAG, sync_enum, server.ordersync, SYNC_EVERYSEC, NULL);\n}\n'
    )
    looked = look(make({"src/config.c": code}), "What is the default value of ordersync?")
    assert told(looked)[0] == ("ordersync", "configuration key", "SYNC_EVERYSEC")


def test_a_type_is_no_default(look, make):
    code = "class Pool(\n  maxIdleOrders: Int,\n) {\n  val full = maxIdleOrders == 0\n}\n"
    looked = look(make({"src/Pool.kt": code}), "What is the maximum number of idle orders?")
    assert looked.found.kind == "which setting"
    assert "`Int` by default" not in looked.text


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("The header was stripped because it leaks.\n\nSigned-off-by: A", "The header was stripped because it leaks."),
        ("* fix typo\n* because of tests", ""),
        ("Nothing to see here.", ""),
        ("First this. Then that, since the bank closes early. Last.", "Then that, since the bank closes early."),
        ("", ""),
    ],
)
def test_the_reason_of_a_commit_is_the_sentence_that_says_why(message, reason):
    assert past.reason_in(message) == reason


TABLE = (
    "config table[] = {\n"
    '    createBoolConfig("log-rewrite-incremental-fsync", NULL, M, server.log_rewrite_incremental_fsync, 1, NULL),\n'
    '    createEnumConfig("appendfsync", NULL, M, fsyncs, server.log_fsync, FSYNC_EVERYSEC, NULL),\n'
    '    createBoolConfig("protected-mode", NULL, M, server.protected_mode, 1, NULL),\n'
    '    createLongConfig("maxmemory", NULL, M, 0, MAX, server.maxmemory, 7, NULL),\n};\n'
)
BESIDE_TABLE = {
    "src/config.c": TABLE,
    "src/log.c": "/* Is an fsync of the log on? */\nint logFsyncInProgress(void) {\n    return server.log_fsync;\n}\n",
    "src/net.c": 'void accept(void) {\n    err = "CONFIG SET protected-mode no turns protected mode off";\n}\n',
    "utils/cluster/create": "PROTECTED_MODE=yes\necho --protected-mode $PROTECTED_MODE\n",
}


@pytest.mark.parametrize(
    ("question", "name", "default"),
    [
        ("Which setting controls how often the log is fsynced?", "appendfsync", "FSYNC_EVERYSEC"),
        ("Which option turns off protected mode?", "protected-mode", "1"),
        ("Which setting sets the maximum memory?", "maxmemory", "7"),
    ],
)
def test_a_table_of_settings_is_read_whole_whatever_ranks_before_it(look, make, question, name, default):
    first = told(look(make(BESIDE_TABLE), question))[0]
    assert first == (name, "configuration key", default)


def test_a_field_of_options_is_one_whatever_its_name_and_its_default_is_where_they_are_given(look, make):
    files = {
        "src/options.ts": "export interface ParserOptions {\n  whitespace?: 'preserve' | 'condense'\n}\n",
        "src/parser.ts": "export const given = {\n  whitespace: 'condense',\n}\n\nfunction preserveTemplates() {}\n",
    }
    looked = look(make(files), "Which option controls whether whitespace is preserved in templates?")
    assert told(looked)[0] == ("whitespace", "value", "'condense'")
    assert looked.found.settings[0].cited.path == "src/options.ts"
