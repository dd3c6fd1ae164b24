"""A login that an agent program renewed comes back to its user; nothing else ever does."""

from __future__ import annotations

import json
import os
import resource

import pytest

from scoutkit.agents.lines import LinesReader
from scoutkit.dispatch.logins import Logins
from scoutkit.model.agents import Invocation
from scoutkit.model.missions import Result

OLD = json.dumps({"access": "a1", "refresh": "r1"})
NEW = json.dumps({"access": "a2", "refresh": "r2"})


@pytest.fixture
def pair(tmp_path):
    file, copy = tmp_path / "home" / ".agent" / "auth.json", tmp_path / "scratch" / "home" / ".agent" / "auth.json"
    for path in (file, copy):
        path.parent.mkdir(parents=True)
        path.write_text(OLD)
    file.chmod(0o600)
    return file, copy


def test_a_renewed_login_is_put_back_with_its_mode_and_nothing_beside_it(pair):
    file, copy = pair
    file.chmod(0o640)
    logins = Logins.lend([pair], pair[1].parents[3])
    copy.write_text(NEW)
    copy.chmod(0o666)
    assert logins.put_back() == []
    assert file.read_text() == NEW
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in file.parent.iterdir()] == ["auth.json"]


def test_a_login_that_is_no_json_is_put_back_too(pair):
    file, copy = pair
    copy.write_text("token 1")
    logins = Logins.lend([pair], pair[1].parents[3])
    copy.write_text("token 2")
    logins.put_back()
    assert file.read_text() == "token 2"


def test_a_login_behind_a_link_stays_behind_it(pair, tmp_path):
    file, copy = pair
    real = tmp_path / "dotfiles"
    file.rename(real)
    file.symlink_to(real)
    logins = Logins.lend([pair], pair[1].parents[3])
    copy.write_text(NEW)
    logins.put_back()
    assert file.is_symlink()
    assert real.read_text() == NEW


def test_a_login_that_was_not_renewed_is_not_written(pair):
    file, copy = pair
    before = file.stat()
    logins = Logins.lend([pair], pair[1].parents[3])
    copy.write_text(OLD)
    logins.put_back()
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_the_user_renewed_meanwhile_stays(pair):
    file, copy = pair
    logins = Logins.lend([pair], pair[1].parents[3])
    file.write_text(theirs := json.dumps({"access": "a3", "refresh": "r3"}))
    copy.write_text(NEW)
    logins.put_back()
    assert file.read_text() == theirs


def test_where_the_user_logged_out_meanwhile_nothing_comes_back(pair):
    file, copy = pair
    logins = Logins.lend([pair], pair[1].parents[3])
    file.unlink()
    copy.write_text(NEW)
    logins.put_back()
    assert not file.exists()


@pytest.mark.parametrize("left", ["", "{", "{}", '{"access": "a2"}', '["access", "refresh"]', "x" * 1_000_001])
def test_what_is_no_login_any_more_does_not_come_back(pair, left):
    file, copy = pair
    logins = Logins.lend([pair], pair[1].parents[3])
    copy.write_text(left)
    logins.put_back()
    assert file.read_text() == OLD


def test_names_that_a_renewal_adds_are_kept(pair):
    file, copy = pair
    logins = Logins.lend([pair], pair[1].parents[3])
    copy.write_text(more := json.dumps({**json.loads(NEW), "renewed": 1}))
    logins.put_back()
    assert file.read_text() == more


@pytest.mark.parametrize("trick", ["link", "folder of links", "pipe", "gone"])
def test_what_is_not_the_copy_is_not_read(pair, tmp_path, trick):
    file, copy = pair
    logins = Logins.lend([pair], pair[1].parents[3])
    secret = tmp_path / "secret" / "auth.json"
    secret.parent.mkdir()
    secret.write_text(NEW)
    copy.unlink()
    match trick:
        case "link":
            copy.symlink_to(secret)
        case "folder of links":
            copy.parent.rmdir()
            copy.parent.symlink_to(secret.parent)
        case "pipe":
            os.mkfifo(copy)
    logins.put_back()
    assert file.read_text() == OLD


def test_one_that_cannot_be_put_back_is_told_and_the_old_one_stays(pair):
    file, copy = pair
    logins = Logins.lend([pair], pair[1].parents[3])
    copy.write_text(NEW)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # as a full disk
    try:
        troubles = logins.put_back()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert troubles == [f"its login was renewed and cannot be kept: {file}: File too large"]
    assert [one.name for one in file.parent.iterdir()] == ["auth.json"]
    assert file.read_text() == OLD


def test_a_run_whose_scoutkit_died_gives_the_login_back_too(pair, tmp_path):
    file, copy = pair
    Logins.lend([pair], tmp_path)
    copy.write_text(NEW)
    for _ in range(2):
        assert Logins.of(tmp_path).put_back() == []
        assert file.read_text() == NEW
        file.chmod(0o600)
    file.write_text(OLD + " ")
    Logins.of(tmp_path).put_back()
    assert file.read_text() == OLD + " "


@pytest.mark.parametrize("kept", [None, "", "{", "[1]", '[{"file": 1}]'])
def test_where_no_login_was_lent_there_is_none_to_give_back(tmp_path, kept):
    if kept is not None:
        (tmp_path / "logins.json").write_text(kept)
    assert Logins.of(tmp_path).put_back() == []


def test_what_is_kept_of_a_login_is_no_secret(pair, tmp_path):
    Logins.lend([pair], tmp_path)
    kept = tmp_path / "logins.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert not any(secret in kept.read_text() for secret in ("a1", "r1"))


@pytest.mark.parametrize("end", ["exit 0", "exit 3", "kill -9 $$", 'echo \'{"kind": "turn"}\'; sleep 600'])
@pytest.mark.parametrize("isolation", ["none", "landlock", "bwrap"])
def test_a_run_puts_the_login_back_however_it_ends(play, isolation, end):
    from scoutkit.dispatch import sandbox

    if isolation not in ("none", *(one.name for one in sandbox.possible() if one.ok)):
        pytest.skip(f"no {isolation} here")
    theirs, copy = play.root / "auth.json", play.scratch / "home" / "auth.json"
    copy.parent.mkdir()
    for file in (theirs, copy):
        file.write_text(OLD)
    script = f"echo '{NEW}' > '{copy}'; {end}"
    outcome = play.send(
        Invocation(("/bin/sh", "-c", script), LinesReader(), login=((theirs, copy),)),
        isolation=isolation,
        limits={"turns": 0},
        grace=0.2,
    )
    assert outcome.result is not Result.DONE
    assert json.loads(theirs.read_text()) == json.loads(NEW)


def test_a_run_that_renews_nothing_leaves_the_login_alone(play):
    theirs, copy = play.root / "auth.json", play.scratch / "auth.json"
    for file in (theirs, copy):
        file.write_text(OLD)
    before = theirs.stat()
    play.send(Invocation(("/bin/sh", "-c", f"cat '{copy}' > /dev/null"), LinesReader(), login=((theirs, copy),)))
    assert (theirs.stat().st_ino, theirs.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
