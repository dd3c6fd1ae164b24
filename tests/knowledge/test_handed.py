"""What is secret in files that an agent is handed: found by name, by shape and by looks; the rest is left alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scoutkit.knowledge import handed
from scoutkit.knowledge.secrets import Redactor

TELEGRAM = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw2"
SENDGRID = "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"


@pytest.mark.parametrize(
    ("name", "text", "secret"),
    [
        (".env", "DB_PASSWORD='correct horse battery'  # shared\n", "correct horse battery"),
        (".env.local", "export SESSION=9f86d081884c7d659a2feaa0c55ad015\n", "9f86d081884c7d659a2feaa0c55ad015"),
        (".env", f"BOT={TELEGRAM}\n", TELEGRAM.split(":")[1]),
        (".env", f"MAIL={SENDGRID}\n", SENDGRID),
        ("settings.json", '{"db": {"password": "correct-horse"}}', "correct-horse"),
        ("app.yaml", "db:\n  api_key: abcdefgh-1\n", "abcdefgh-1"),
        (".npmrc", "//registry.example.org/:_authToken=abcdef-123456\n", "abcdef-123456"),
        (".netrc", "machine example.org login me password hunter2hunter\n", "hunter2hunter"),
        ("token.txt", "ZWVTjPQSdhwRgl204Hc51YCsritMIzn8B\n", "ZWVTjPQSdhwRgl204Hc51YCsritMIzn8B"),
        ("id_rsa", f"-----BEGIN PRIVATE KEY-----\n{'Ab1' * 15}\n-----END PRIVATE KEY-----\n", "Ab1" * 15),
    ],
)
def test_it_is_blotted_out_wherever_it_is_said(tmp_path, name, text, secret):
    (tmp_path / name).write_text(text)
    redact = Redactor(handed.secrets([tmp_path / name]))
    assert secret not in redact(f"it says {secret} here")


@pytest.mark.parametrize(
    "text",
    [
        "PORT=8080\n",
        "HOST=localhost\n",
        "API_URL=https://example.org/api/v1/things\n",
        "NODE_ENV=development\n",
        "DEBUG=true\n",
    ],
)
def test_plain_settings_are_no_secrets(tmp_path, text):
    (tmp_path / ".env").write_text(text)
    assert handed.secrets([tmp_path / ".env"]) == {}


def test_what_cannot_be_read_has_none(tmp_path):
    (tmp_path / ".env").mkdir()
    (tmp_path / ".env.bin").write_bytes(bytes(range(256)) * 40)
    assert handed.secrets([tmp_path / ".env", tmp_path / "gone.env"]) == {}
    handed.secrets([tmp_path / ".env.bin"])


def test_the_detector_is_not_imported_without_such_a_file(tmp_path):
    code = (
        "import sys, pathlib; from scoutkit.knowledge import handed; handed.secrets([pathlib.Path('cache.bin')]);"
        "assert 'detect_secrets' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
