import json
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoutkit.knowledge.secrets import Redactor

A = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6dE9fG2hJ5kL8mN1pQ4rS7tU0vW3xY6zA9bC2dE5fG8h"  # drawn from no one's account
HEX = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
TOKENS = {
    "aws-key": ["AKIA" + "QZ7XW5RT3YUKJHGF"[:16], "ASIA" + "ABCDEFGHIJKLMNOP"],
    "github-token": [f"{kind}_{A[:36]}" for kind in ("ghp", "gho", "ghu", "ghs", "ghr")]
    + [f"github_pat_{A[:22]}_{A[:59]}"],
    "gitlab-token": [f"glpat-{A[:20]}", f"glrt-{A[:11]}-{A[:8]}", f"glpat-{A[:27]}.01.{A[:9]}"],
    "slack-token": [f"xoxb-123456789012-1234567890123-{A[:24]}", f"xapp-1-A0123456789-1234567890123-{HEX}"],
    "slack-webhook": [f"T01ABCDEF/B01ABCDEF/{A[:24]}"],
    "google-key": [f"AIza{A[:35]}"],
    "google-token": [f"GOCSPX-{A[:28]}", f"ya29.{A[:60]}"],
    "api-key": [f"sk-{A[:48]}", f"sk-proj-{A[:40]}_-{A[:40]}", f"sk-ant-api03-{A[:70]}-{A[:20]}AA", f"sk-or-v1-{HEX}"],
    "npm-token": [f"npm_{A[:36]}"],
    "pypi-token": [f"pypi-AgEIcHlwaS5vcmc{A}"],
    "stripe-key": [f"sk_live_{A[:24]}", f"rk_test_{A[:24]}", f"whsec_{A[:32]}"],
    "huggingface-token": [f"hf_{A[:34]}"],
    "jwt": [f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{A[:43]}"],
}
WRAP = {"slack-webhook": "https://hooks.slack.com/services/{}"}
SHAPED = [(kind, token) for kind, tokens in TOKENS.items() for token in tokens]


@pytest.mark.parametrize(("kind", "token"), SHAPED)
@pytest.mark.parametrize(
    "around", ["{}", "key = '{}'", "export X={}; run", '{{"token":"{}","n":1}}', "see ({}), then", "`{}`"]
)
def test_a_token_of_a_known_shape_is_replaced_and_the_rest_of_the_line_stays(kind, token, around):
    text = around.format(WRAP.get(kind, "{}").format(token))

    assert Redactor()(text) == text.replace(token, f"[redacted:{kind}]")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abc123def456", "abc123def456"),
        ("authorization: basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
        ('curl -H "Authorization: Bearer 0a1b2c3d4e5f"', "0a1b2c3d4e5f"),
        ('{"Authorization": "Bearer 0a1b2c3d4e5f"}', "0a1b2c3d4e5f"),
        ("headers['Authorization'] = 'token 0a1b2c3d4e5f'", "0a1b2c3d4e5f"),
        ("X-Api-Key: 0a1b2c3d4e5f", "0a1b2c3d4e5f"),
        ("PRIVATE-TOKEN: 0a1b2c3d4e5f", "0a1b2c3d4e5f"),
        ("postgres://app:hunter2-!x@db.internal:5432/app", "hunter2-!x"),
        ("redis://:s3cr3tvalue@cache/0", "s3cr3tvalue"),
        ("git clone https://me:p@ss:w0rd@example.org/x.git", "p@ss:w0rd"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ),
        ('"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"', "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ],
)
def test_a_secret_known_by_its_place_is_replaced_alone(text, secret):
    redacted = Redactor()(text)

    assert secret not in redacted
    before, after = text.split(secret)
    assert redacted.startswith(before)
    assert redacted.endswith(after)


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f2a9c0e4b5d6f708192a3b4c5d6e7f809112233",
        "sha256:" + HEX,
        "id 123e4567-e89b-12d3-a456-426614174000",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
        "models named sk-something and sk-learn, class `sk-estimator-doc-link`, sk-toggleable-content-label-arrow",
        "risk-assessment-2024-report-final-version1 and task-1234567890abcdefghijklmn",
        "SECRET_KEY, `API_TOKEN` and `github_token` are read in `load_settings` (`src/app.py:12-40`)",
        "npm_config_registry_and_other_settings_of_npm",
        "the `Authorization: Bearer` header. Authorization: Basic credentials. Authorization: Bearer authentication",
        'f"Authorization: Bearer {token}"',
        "Authorization: Bearer ${TOKEN}",
        "Authorization: Bearer <your-token-here-123>",
        "http://localhost:8000/@scope/pkg and https://example.org:443/a@b",
        "postgres://user:password@localhost/db",
        "postgres://$USER:$PGPASSWORD@localhost/db",
        "https://{user}:{password}@{host}/",
        "ssh://git@github.com:22/owner/name",
        "git@github.com:owner/name.git",
        "x-api-key: string",
        'if text.startswith("-----BEGIN RSA PRIVATE KEY-----"):\n    return parse(text)\nelse:\n    pass',
        "from `-----BEGIN PRIVATE KEY-----` to the markerNamedAfterItsPurpose `-----END PRIVATE KEY-----` it is",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaM\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    ],
)
def test_what_only_resembles_a_secret_is_left_alone(text):
    assert Redactor()(text) == text


BODY = [
    "MIIEowIBAAKCAQEAwJx3Zk3vQ2m1Yb7pYc8d9eFfGhHiIjJkKlLmMnNoOpPqQrRs",
    "TtUuVvWwXxYyZz0123456789+/AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/",
    "q1w2e3==",
]
PEM = ["-----BEGIN RSA PRIVATE KEY-----", *BODY, "-----END RSA PRIVATE KEY-----"]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("lead", ["", "    ", "+", "  12\t", "> ", "# ", '  "'])
def test_a_private_key_over_several_lines_goes_and_the_lines_stay(kind, lead):
    begin, *body, end = (f"{lead}{line}".replace("RSA ", kind) for line in PEM)
    redact = Redactor()

    lines = [redact(line) for line in ["before", begin, *body, end, "after"]]

    assert lines == ["before", begin, *[f"{lead}[redacted:private-key]"] * 3, end, "after"]


def test_headers_and_blank_lines_of_an_encrypted_key_do_not_end_it():
    text = "\n".join([PEM[0], "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B", "", *PEM[1:], "after 1"])

    redacted = Redactor()(text)

    assert not any(line in redacted for line in BODY)
    assert redacted.endswith("\nafter 1")
    assert redacted.count("\n") == text.count("\n")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_key_in_a_string_of_source_code_or_json_goes(end):
    text = json.dumps({"file": "id_rsa", "text": end.join(PEM) + end})

    redacted = Redactor()(text)

    assert not any(line in redacted for line in BODY)
    assert json.loads(redacted)["file"] == "id_rsa"


def test_a_key_cut_off_in_a_json_line_goes_and_the_json_stays_whole():
    redacted = Redactor()(
        json.dumps({"text": "\n".join(PEM[:3]), "more": "and here some words that have nothing to do with it"})
    )

    assert not any(line in redacted for line in BODY)
    assert "more" in json.loads(redacted)


def test_a_key_that_never_ends_does_not_take_what_follows():
    text = "\n".join([*PEM[:3], "That was the key.", "return", "done"])

    assert Redactor()(text).splitlines()[3:] == ["That was the key.", "return", "done"]


def test_two_streams_do_not_share_the_state_of_a_key():
    one, other = Redactor(), Redactor()
    one(PEM[0])

    assert other(BODY[0]) == BODY[0]
    assert one(BODY[0]) == "[redacted:private-key]"


def test_values_of_variables_with_a_secret_name_go_wherever_they_stand(tmp_path):
    file = tmp_path / "credentials.json"
    file.write_text("{}")
    environment = {
        "DB_PASSWORD": "correct horse",
        "my_api_token": 'quo"ted\\é1',
        "MULTI_SECRET": "first line 1\nsecond line 2",
        "SHORT_KEY": "abc",
        "GOOGLE_APPLICATION_CREDENTIALS": str(file),
        "EDITOR": "innocent-editor",
        "BLANK_KEY": " " * 12,
    }
    redact = Redactor(environment)

    assert redact("is correct horse, abc") == "is [redacted:env], abc"
    assert redact(json.dumps({"k": 'quo"ted\\é1'})) == '{"k": "[redacted:env]"}'
    assert redact("k=quo%22ted%5C%C3%A91") == "k=[redacted:env]"
    assert redact("first line 1\nsecond line 2") == "[redacted:env]\n[redacted:env]"
    assert redact(f"{file} innocent-editor{' ' * 12}x") == f"{file} innocent-editor{' ' * 12}x"


def test_a_value_that_overlaps_a_token_leaves_neither():
    token = TOKENS["github-token"][0]
    redact = Redactor({"A_KEY": "prefix-" + token[:12], "B_KEY": token[-10:] + "-suffix"})

    assert redact(f"prefix-{token}-suffix") == "[redacted:env]"


PIECES = st.one_of(
    st.sampled_from([token for _, token in SHAPED]),
    st.sampled_from(
        [*PEM, "correct horse", "://a:", "@b", "Authorization: Bearer ", "\\n", "\n", "12\t", "[redacted:env]"]
    ),
    st.text(max_size=12),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
ENVIRONMENT = {"A_SECRET": "correct horse"}


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_any_text_keeps_its_lines_and_is_the_same_after_a_second_time(text):
    redacted = Redactor(ENVIRONMENT)(text)

    assert redacted.count("\n") == text.count("\n")
    assert Redactor(ENVIRONMENT)(redacted) == redacted


@given(st.lists(st.sampled_from([*(t for _, t in SHAPED), *PEM]) | st.text(max_size=9), max_size=7).map("\n".join))
@settings(max_examples=60, deadline=None)
def test_a_stream_in_lines_or_at_once_is_the_same_whatever_another_stream_said(text):
    first = Redactor(ENVIRONMENT)
    by_line, other = first.another(), first.another()
    whole = first(text)
    other(PEM[0])

    assert "\n".join(map(by_line, text.split("\n"))) == whole
    assert first.another()(BODY[0]) == BODY[0]


@pytest.mark.parametrize(
    "inside",
    [
        "+glrt-aB3dE6gH9jK-aB3dE6gH",
        "+0+glpat-aB3dE6gH9jK2mN5pQ8rS",
        "\\n+12\tAuthorization: Bearer 0",
        f"{BODY[0][:37]}-ASIAABCDEFGHIJKLMNOP",
        f"012\tcorrect horse]{BODY[0][:42]}",
    ],
)
@pytest.mark.parametrize("border", [PEM[0], PEM[-1]])
def test_a_token_between_the_borders_of_a_key_leaves_them_and_nothing_for_a_second_time(inside, border):
    redacted = Redactor(ENVIRONMENT)(PEM[0] + inside + border)

    assert redacted.startswith(PEM[0])
    assert redacted.endswith(border)
    assert "[redacted:" in redacted
    assert Redactor(ENVIRONMENT)(redacted) == redacted


DENSE = st.lists(st.one_of(PIECES, st.sampled_from(["+", "-", "/", "]", ":", " ", "0", "a", '"'])), max_size=5).map(
    "".join
)


@given(DENSE, st.sampled_from([PEM[0], PEM[-1], ""]), DENSE)
@settings(max_examples=200, deadline=None)
def test_a_line_that_begins_a_key_is_the_same_after_a_second_time(inside, border, after):
    redacted = Redactor(ENVIRONMENT)(PEM[0] + inside + border + after)

    assert Redactor(ENVIRONMENT)(redacted) == redacted


@given(st.text(min_size=8, max_size=40), TEXTS, TEXTS)
@settings(max_examples=60, deadline=None)
def test_no_secret_of_the_environment_survives(secret, before, after):
    assume(not secret.isspace() and "\n" not in secret and secret not in "[redacted:env]")
    assume(not secret.startswith("/"))  # a path that exists is none

    assert secret not in Redactor({"X_SECRET": secret})(f"{before}{secret}{after}")


@given(TEXTS, st.sampled_from(SHAPED), TEXTS)
@settings(max_examples=60, deadline=None)
def test_no_token_that_stands_alone_survives(before, kind_and_token, after):
    kind, token = kind_and_token
    line = f" {WRAP.get(kind, '{}').format(token)} "

    assert line not in Redactor()(f"{before}\n{line}\n{after}").split("\n")


def test_a_megabyte_takes_a_fraction_of_a_second():
    code = [
        f"    value_{n} = compute(https://example.org/{n}, key={n}, token='x')  # sha {HEX[:40]}" for n in range(13_000)
    ]
    code[::500] = [f"token = {TOKENS['github-token'][0]}"] * len(code[::500])
    text = "\n".join(code)
    assert len(text) > 1_000_000
    redact = Redactor({"A_KEY": "hunter2hunter2", "B_TOKEN": "x-y-z-1-2-3"})

    began = time.process_time()
    redact(text)

    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "piece", ["://a:", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaaaa.", "sk-proj-", "authorization:", "\\", "a b "]
)
def test_hostile_repetition_costs_no_more_than_its_length(piece):
    text = PEM[0] + "\n" + piece * (200_000 // len(piece))

    began = time.process_time()
    Redactor()(text)

    assert time.process_time() - began < 20
