import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scoutkit.knowledge import named
from scoutkit.knowledge.secrets import Redactor


def test_what_a_login_file_holds_is_blotted_out(tmp_path):
    (tmp_path / "auth.json").write_text(
        '{"tokens": {"access_token": "abcdefghijklmnopqrst", "refresh_token": "zyxwvutsrqponmlkjihg"}, "mode": "chat"}'
    )
    (tmp_path / ".env").write_text(
        "GEMINI_API_KEY='plainlookingvaluewithoutshape'\nGOOGLE_CLOUD_PROJECT=my-project-name-is-long\n"
    )
    known = named.in_logins([tmp_path / "auth.json", tmp_path / ".env", tmp_path / "missing"])
    assert sorted(known.values()) == ["abcdefghijklmnopqrst", "plainlookingvaluewithoutshape", "zyxwvutsrqponmlkjihg"]
    said = Redactor(known)(
        "a abcdefghijklmnopqrst b zyxwvutsrqponmlkjihg c plainlookingvaluewithoutshape my-project-name-is-long"
    )
    assert said == "a [redacted:env] b [redacted:env] c [redacted:env] my-project-name-is-long"


@given(st.text(max_size=200))
def test_no_login_file_is_too_odd(text):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "login"
        file.write_text(text, "utf-8", "surrogateescape") if text.isascii() else file.write_bytes(
            text.encode("utf-8", "surrogatepass")
        )
        named.in_logins([file])
