from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoutkit.dispatch import room as rooms
from scoutkit.dispatch.room import Room


@pytest.fixture
def room(tmp_path: Path) -> Room:
    for name in ("tree", "shadow/objects/info", "scratch"):
        (tmp_path / name).mkdir(parents=True)
    return Room(tmp_path / "tree", tmp_path / "shadow", tmp_path / "scratch", {})


def test_alternates_of_alternates_are_followed(room: Room, tmp_path: Path) -> None:
    for name in ("one", "two", "a\nb", "two/real"):
        (tmp_path / name / "objects/info").mkdir(parents=True)
    line = f'"{tmp_path}/a\\nb/objects"'
    (room.shadow / "objects/info/alternates").write_text(f"# a comment\n{tmp_path}/one/objects\n{line}\n")
    (tmp_path / "one/objects/info/alternates").write_text("../../two/objects\n")
    (tmp_path / "two/objects/info/alternates").write_text(f"{tmp_path}/one/objects\n/not/there\n")
    found = rooms.objects(room.shadow)
    assert set(found) == {
        tmp_path / "one/objects",
        tmp_path / "two/objects",
        tmp_path / "a\nb/objects",
        Path("/not/there"),
    }


def test_a_path_with_bytes_that_are_no_text(room: Room, tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xc3\xa4")
    (room.shadow / "objects/info/alternates").write_bytes(os.fsencode(folder) + b"\n")
    assert rooms.objects(room.shadow) == (Path(folder),)
    (room.shadow / "objects/info/alternates").write_bytes(b'"' + os.fsencode(folder) + b'"\n')
    assert rooms.objects(room.shadow) == (Path(folder),)


def test_what_not_everybody_may_read(tmp_path: Path) -> None:
    for name, mode in (("key", 0o600), ("open", 0o644), ("sub/key", 0o640), ("sub/open", 0o644), ("shut/any", 0o644)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(mode)
    (tmp_path / "shut").chmod(0o710)
    (tmp_path / "link").symlink_to("key")
    tmp_path.joinpath("home").chmod(0o755)
    assert sorted(rooms.private(tmp_path)) == [tmp_path / "key", tmp_path / "shut", tmp_path / "sub/key"]
    assert sorted(rooms.private(tmp_path, 1)) == [tmp_path / "key", tmp_path / "shut"]


def test_links_on_the_way_to_what_is_shown_are_there(room: Room, tmp_path: Path) -> None:
    (tmp_path / "v1/bin").mkdir(parents=True)
    (tmp_path / "current").symlink_to("v1")
    (tmp_path / "tool").symlink_to(tmp_path / "current/bin")
    seen = rooms.view(Room(room.worktree, room.shadow, room.scratch, {}, shown=(tmp_path / "tool",)))
    assert tmp_path / "v1/bin" in seen.read
    assert ("v1", tmp_path / "current") in seen.links
    assert (str(tmp_path / "current/bin"), tmp_path / "tool") in seen.links


def test_a_repository_on_path_is_not_shown(room: Room, tmp_path: Path) -> None:
    (tmp_path / "project/.git").mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    env = {"PATH": f"{tmp_path}/project:{tmp_path}/tools:relative:{tmp_path}/missing"}
    seen = rooms.view(Room(room.worktree, room.shadow, room.scratch, env))
    assert tmp_path / "tools" in seen.read
    assert not any(path.is_relative_to(tmp_path / "project") for path in seen.read)


def test_an_ask_has_only_its_scratch_folder_to_write(room: Room) -> None:
    seen = rooms.view(room)
    assert seen.write == (room.scratch,)
    assert {room.worktree, room.shadow} <= set(seen.read)


def test_xdg_folders_of_the_user_are_not_the_agents(room: Room) -> None:
    env = {"XDG_CONFIG_HOME": "/home/u/.config", "XDG_CACHE_HOME": f"{room.scratch}/cache", "TMPDIR": "/tmp", "A": "b"}
    inside = Room(room.worktree, room.shadow, room.scratch, env).environment()
    tmp = f"{room.scratch}/tmp"
    own = {"HOME": f"{room.scratch}/home", "XDG_CACHE_HOME": f"{room.scratch}/cache", "A": "b"}
    assert inside == {**own, "TMPDIR": tmp, "TMP": tmp, "TEMP": tmp}


def test_what_is_beside_a_bin_is_shown_but_not_in_the_home_folder(room: Room, home: Path) -> None:
    for name in ("bin", "lib", "brew/bin", "brew/Cellar", "brew/etc"):
        (home / name).mkdir(parents=True)
    seen = rooms.view(Room(room.worktree, room.shadow, room.scratch, {"PATH": f"{home}/bin:{home}/brew/bin"}))
    own = {str(path.relative_to(home)) for path in seen.read if path.is_relative_to(home)}
    assert own == {"bin", "brew/bin", "brew/Cellar"}
