import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoutkit.knowledge.slug import slug, stem


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Session cookies: who signs them?", "session-cookies-who-signs-them"),
        ("Café & Straße, naïve Łódź", "cafe-strasse-naive-lodz"),
        ("Don't use `getUserName`", "dont-use-getusername"),
        ("C# and issue #12", "c-and-issue-12"),
        ("Release v1.2.3", "release-v1-2-3"),
        ("会话校验", "会话校验"),
        ("セッション Cookie の署名", "セッション-cookie-の署名"),
        ("Подпись куки", "подпись-куки"),
        ("ＦＵＬＬ　ｗｉｄｔｈ ²", "full-width-2"),
        ("हिन्दी नोट", "हिन्दी-नोट"),
        ("İstanbul", "istanbul"),
        ("🎉 👍🏽", ""),
        ("--- / \\ ..", ""),
        ("", ""),
        ("word " * 30, "word-word-word-word-word-word-word-word-word-word-word-word"),
        ("x" * 100, "x" * 60),
        ("short " + "x" * 100, "short-" + "x" * 54),
    ],
)
def test_a_title_becomes_a_readable_file_name(title: str, expected: str) -> None:
    assert slug(title) == expected


@given(st.text(max_size=120))
def test_any_title_is_a_safe_part_of_a_file_name(title: str) -> None:
    made = slug(title)
    assert len(made) <= 60
    assert len(made.encode()) <= 180
    assert not {"/", "\0", " ", ".", "\\"} & set(made)
    assert not made.startswith("-")
    assert not made.endswith("-")
    assert made == unicodedata.normalize("NFC", made)


@pytest.mark.parametrize(
    ("title", "note_id", "expected"),
    [
        ("Cookies are signed", "7k3m9q2d", "cookies-are-signed-7k3m"),
        ("🎉", "7k3m9q2d", "note-7k3m"),
        ("Cookies", "My Own/ID", "cookies-my-o"),
        ("Cookies", "ab", "cookies-ab"),
        ("Cookies", "abc def", "cookies-abc"),
        ("", "🎉", "note-0"),
    ],
)
def test_the_start_of_its_id_ends_the_name_of_a_note(title: str, note_id: str, expected: str) -> None:
    assert stem(title, note_id) == expected
