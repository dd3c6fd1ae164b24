"""The notes folder: listed whole, written atomically, changed only where it still is what was read."""

import errno
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scoutkit import config, git, notefile
from scoutkit.config import Places
from scoutkit.errors import NotFound, Refused, ScoutError
from scoutkit.knowledge.folder import Unreadable
from scoutkit.knowledge.notebook import Notebook
from scoutkit.model.notes import Anchor, Citation, Note, Verdict

HOSTILE = Path(__file__).parent.parent / "hostile-notes"
NOTE = Note(
    id="7k3m9q2d",
    title="Cookies are signed",
    body="# Cookies\n\nSigned.",
    at="2026-11-29T23:30:00-02:00",
    citations=(Citation("src/auth/signing.py", 1, 2, Verdict.SUPPORTED),),
    anchors=(Anchor("src/auth/signing.py", 1, 2, "b", "t", "l", "", "", "first"),),
)


@pytest.fixture
def places(repo: Path) -> Places:
    return config.places(git.discover(repo), config.Settings())


@pytest.fixture
def notebook(places: Places) -> Notebook:
    return Notebook(places)


@pytest.fixture
def notes(places: Places) -> Path:
    places.notes.mkdir(parents=True)
    return places.notes


@pytest.fixture
def hostile(notes: Path) -> Path:
    shutil.copytree(HOSTILE / "notes", notes, dirs_exist_ok=True)
    return notes


def paths(notebook: Notebook) -> list[str]:
    return [path.removeprefix(".claude/notes/") for path, _, _ in notebook.files()[0]]


def problems(notebook: Notebook) -> dict[str, str]:
    return {one.path.removeprefix(".claude/notes/"): one.problem for one in notebook.files()[1]}


# Listing and reading


def test_no_notes_folder_is_no_notes(notebook: Notebook) -> None:
    assert notebook.files() == ([], [])


def test_every_markdown_file_is_listed_with_its_time_and_size(notebook: Notebook, notes: Path) -> None:
    for name in ("b.md", "a.MD", "drafts/d.md", "sub/folder/c.md", "sub/x.txt", ".hidden.md", ".git/e.md", "空格 ü.md"):
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        (notes / name).write_text("x")
    (notes / os.fsdecode(b"caf\xe9.md")).write_text("xyz")
    assert paths(notebook) == ["a.MD", "b.md", "caf\udce9.md", "drafts/d.md", "sub/folder/c.md", "空格 ü.md"]
    files, none = notebook.files()
    assert not none
    assert files[2][1:] == ((about := (notes / os.fsdecode(b"caf\xe9.md")).stat()).st_mtime_ns, about.st_size)
    assert notebook.read(files[2][0]).note.body == "xyz"


def test_hostile_notes_are_read_with_their_problems_and_not_changed(notebook: Notebook, hostile: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in hostile.rglob("*.md")}
    expected = [json.loads(line) for line in (HOSTILE / "expected.jsonl").read_text("utf-8").splitlines()]
    files, none = notebook.files()
    read = [notebook.read(path) for path, _, _ in files]
    wrong = {one.path for parsed in read for one in parsed.problems} | {one.path for one in notefile.duplicates(read)}
    assert not none
    assert {path.removeprefix(".claude/notes/") for path, _, _ in files} == {row["file"] for row in expected}
    assert wrong == {f".claude/notes/{row['file']}" for row in expected if row["problem"]}
    assert all(parsed.readable for parsed in read)
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in hostile.rglob("*.md")}


def test_a_link_inside_the_repository_is_followed_and_one_that_leads_out_never(
    notebook: Notebook, notes: Path, repo: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "outside" / "secret.md"
    secret.parent.mkdir()
    secret.write_text("# Secret")
    (repo / "docs").mkdir()
    (repo / "docs" / "adr.md").write_text("# Decision")
    (notes / "in.md").symlink_to("../../README.md")
    (notes / "folder").symlink_to("../../docs")
    (notes / "out.md").symlink_to(secret)
    (notes / "outside").symlink_to(secret.parent)
    (notes / "config.md").symlink_to("../../.git/config")
    (notes / "dangling.md").symlink_to("nowhere")
    (notes / "loop.md").symlink_to("loop.md")
    (notes / "other.txt").symlink_to(secret)
    assert paths(notebook) == ["folder/adr.md", "in.md"]
    assert notebook.read(".claude/notes/folder/adr.md").note.title == "Decision"
    out = "a symbolic link that leads out of the repository: never read"
    found = problems(notebook)
    assert (found["out.md"], found["outside"], found["config.md"]) == (out, out, out)
    assert sorted(found) == ["config.md", "dangling.md", "loop.md", "out.md", "outside"]
    for path in ("out.md", "outside/secret.md", "config.md"):
        with pytest.raises(Unreadable, match="leads out"):
            notebook.bytes_of(f".claude/notes/{path}")
        assert not notebook.read(f".claude/notes/{path}").readable


def test_a_note_behind_a_second_link_is_listed_once_and_circles_end(notebook: Notebook, notes: Path) -> None:
    (notes / "sub").mkdir()
    (notes / "sub" / "a.md").write_text("a")
    (notes / "again").symlink_to("sub")
    (notes / "b.md").symlink_to("sub/a.md")
    (notes / "sub" / "up").symlink_to("..")
    (notes / "root").symlink_to("../..")
    assert (paths(notebook), problems(notebook)) == (["sub/a.md"], {})


def test_what_may_not_be_read_is_a_problem_and_not_gone(places: Places, notes: Path) -> None:
    (notes / "sub").mkdir()
    (notes / "sub" / "a.md").write_text("a")
    (notes / "b.md").write_text("b")
    (notes / "sub").chmod(0)
    (notes / "b.md").chmod(0)
    program = (
        "import json, sys; from pathlib import Path; from scoutkit import config, git\n"
        "from scoutkit.knowledge.notebook import Notebook\n"
        "notebook = Notebook(config.places(git.discover(Path(sys.argv[1])), config.Settings()))\n"
        "files, problems = notebook.files()\n"
        "read = notebook.read('.claude/notes/b.md')\n"
        "found = [[one.path, one.problem] for one in problems]\n"
        "print(json.dumps([[file[0] for file in files], found, read.readable]))\n"
    )
    plain = [sys.executable, "-c", program, str(places.root)]
    if os.geteuid() == 0:  # root may read everything, unless it gives that up
        if not shutil.which("setpriv"):
            pytest.skip("needs setpriv, or a user other than root")
        plain = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *plain]
    done = subprocess.run(plain, capture_output=True, text=True)
    (notes / "sub").chmod(0o755)
    assert json.loads(done.stdout or done.stderr) == [
        [".claude/notes/b.md"],
        [[".claude/notes/sub", "unreadable: Permission denied"]],
        False,
    ]


def test_a_folder_that_is_a_file_and_a_pipe_that_is_named_like_a_note_are_problems(
    notebook: Notebook, places: Places
) -> None:
    places.notes.parent.mkdir()
    places.notes.write_text("no folder")
    assert notebook.files()[1][0].problem == "unreadable: Not a directory"
    places.notes.unlink()
    places.notes.mkdir()
    os.mkfifo(places.notes / "pipe.md")
    assert problems(notebook) == {"pipe.md": "unreadable: not a regular file"}
    with pytest.raises(Unreadable, match="not a regular file"):
        notebook.bytes_of(".claude/notes/pipe.md")


def test_a_missing_file_is_an_os_error_for_the_catalogue_and_a_clear_one_for_people(notebook: Notebook) -> None:
    with pytest.raises(OSError, match="No such file") as missing:
        notebook.bytes_of(".claude/notes/none.md")
    assert isinstance(missing.value, ScoutError)
    assert (missing.value.strerror, missing.value.hint) == (os.strerror(errno.ENOENT), "list the notes: scoutkit list")
    assert missing.value.message == "cannot read .claude/notes/none.md: No such file or directory"


@pytest.mark.parametrize(
    "path", ["README.md", "../README.md", "/etc/passwd", ".claude/notes/../../README.md", ".claude/notesx/a.md"]
)
def test_only_the_notes_folder_is_read_changed_or_removed(notebook: Notebook, notes: Path, path: str) -> None:
    for act in (notebook.bytes_of, notebook.remove, lambda path: notebook.replace(path, b"", b"x")):
        with pytest.raises(Refused, match="not in the notes folder"):
            act(path)


def test_ten_thousand_notes_are_listed_quickly(notebook: Notebook, notes: Path) -> None:
    (notes / "a.md").write_text("a")
    for number in range(9_999):
        os.link(notes / "a.md", notes / f"{number:05}.md")
    begin = time.process_time()
    assert len(notebook.files()[0]) == 10_000
    assert time.process_time() - begin < 10


# Writing


def test_a_note_is_written_by_date_and_title_and_reads_back(notebook: Notebook, places: Places) -> None:
    kept = notebook.write(NOTE)
    assert kept.path == ".claude/notes/2026-11-30-cookies-are-signed-7k3m.md"
    assert kept == replace(NOTE, path=kept.path)
    assert notebook.read(kept.path) == notefile.Parsed(kept, id_line=2)
    assert [entry.name for entry in places.notes.iterdir()] == ["2026-11-30-cookies-are-signed-7k3m.md"]


def test_a_draft_goes_to_drafts_and_a_note_without_id_gets_one(notebook: Notebook) -> None:
    kept = notebook.write(replace(NOTE, id="", status="draft", at=""))
    assert re.fullmatch(r"\.claude/notes/drafts/20\d\d-\d\d-\d\d-cookies-are-signed-[0-9a-z]{4}\.md", kept.path)
    assert re.fullmatch(r"[0-9a-hjkmnp-tv-z]{8}", kept.id)


@pytest.mark.parametrize("at", ["", "yesterday", "0001-01-01T00:00:00+14:00"])
def test_a_moment_that_cannot_be_read_is_today(notebook: Notebook, at: str) -> None:
    today = {time.strftime("%Y-%m-%d", time.gmtime(now)) for now in (time.time(), time.time() + 5)}
    assert Path(notebook.write(replace(NOTE, at=at)).path).name[:10] in today


def test_a_file_system_without_hard_links_will_do(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*args: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", link)
    first, second = notebook.write(NOTE), notebook.write(replace(NOTE, id="abcd1234"))
    assert first.path != second.path
    assert notebook.read(first.path).note == first
    assert notebook.read(second.path).note == second


def test_what_is_in_the_way_is_named_where_it_is_none_of_the_notes(
    notebook: Notebook, places: Places, notes: Path
) -> None:
    lock = places.state / "notebook.lock"
    lock.mkdir(parents=True)
    with pytest.raises(ScoutError, match="cannot write") as refused:
        notebook.write(NOTE)
    assert refused.value.hint == f"check the permissions of {lock}"
    lock.rmdir()
    notes.rename(notes.with_name("elsewhere"))
    notes.write_text("a file where the folder should be")
    with pytest.raises(ScoutError, match="cannot write") as refused:
        notebook.write(NOTE)
    assert refused.value.hint == "check its permissions"


def test_no_file_is_ever_replaced_and_no_id_written_twice(notebook: Notebook, notes: Path) -> None:
    first = notebook.write(NOTE)
    second = notebook.write(replace(NOTE, id="abcd1234"))
    third = notebook.write(replace(NOTE, id="abcd1235", title="COOKIES are signed!"))
    assert [path.removeprefix(".claude/notes/2026-11-30-") for path in (second.path, third.path)] == [
        "cookies-are-signed-abcd.md",
        "cookies-are-signed-abcd-2.md",
    ]
    (notes / "moved").mkdir()
    (notes.parent.parent / first.path).rename(notes / "moved" / "by-hand.md")
    again = notebook.write(replace(NOTE, title="Written again", status="draft"), again=True)
    assert again == replace(first, path=".claude/notes/moved/by-hand.md")
    assert len(paths(notebook)) == 3


def test_many_writers_at_once_lose_nothing_and_agree_on_one_id(places: Places) -> None:
    kept: list[Note] = []

    def write(number: int) -> None:
        kept.append(Notebook(places).write(replace(NOTE, id=f"same{number % 3}abc"), again=True))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 12
    assert {note.path for note in kept} == {f".claude/notes/{name}" for name in paths(Notebook(places))}
    assert len(paths(Notebook(places))) == 3


def test_a_killed_writer_leaves_whole_notes_and_the_next_one_sweeps_up(places: Places, notes: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from scoutkit import config, git\n"
        "from scoutkit.knowledge.notebook import Notebook; from scoutkit.model.notes import Note\n"
        "notebook = Notebook(config.places(git.discover(Path(sys.argv[1])), config.Settings()))\n"
        "print('ready', flush=True)\n"
        "for turn in range(9999):\n"
        "    notebook.write(Note('', 'T', 'long ' * 50_000, status=('stable', 'draft')[turn % 2]))\n"
    )
    for moment in range(4):
        with subprocess.Popen([sys.executable, "-c", program, places.root], stdout=subprocess.PIPE) as writer:
            assert writer.stdout
            writer.stdout.readline()
            time.sleep(0.02 + moment / 50)
            writer.kill()
    (notes / ".0123456789abcdef.scoutkit-new").write_text("half a no")
    (notes / ".mine.scoutkit-new").write_text("kept")
    last = Notebook(places).write(NOTE)
    assert last.path in {path for path, _, _ in Notebook(places).files()[0]}
    assert all(
        Notebook(places).read(path).note.body.endswith(("long", ".")) for path, _, _ in Notebook(places).files()[0]
    )
    assert [path.name for path in notes.rglob(".*")] == [".mine.scoutkit-new"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("🎉🎉", "note"),
        ("会话校验 and cookies", "会话校验-and-cookies"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\0b", "a-b"),
    ],
)
def test_any_title_makes_a_file_name_in_the_notes_folder(notebook: Notebook, title: str, name: str) -> None:
    kept = notebook.write(replace(NOTE, title=title))
    assert kept.path == f".claude/notes/2026-11-30-{name}-7k3m.md"
    assert notebook.read(kept.path).note == kept


def test_a_drafts_folder_that_leads_out_is_refused_and_nothing_is_written(
    notebook: Notebook, notes: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (notes / "drafts").symlink_to(tmp_path / "outside")
    with pytest.raises(Refused, match="leads out of the repository"):
        notebook.write(replace(NOTE, status="draft"))
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_notes_folder_swapped_for_a_link_that_leads_out_is_refused(
    notebook: Notebook, places: Places, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    places.notes.parent.mkdir()
    places.notes.symlink_to(tmp_path / "outside")
    with pytest.raises(Refused):
        notebook.write(NOTE)
    assert "leads out" in notebook.files()[1][0].problem
    assert list((tmp_path / "outside").iterdir()) == []


def test_notes_of_a_bare_repository_live_in_its_state_folder(
    repo: Path, tmp_path: Path, git: Callable[..., str]
) -> None:
    git(tmp_path, "clone", "-q", "--bare", repo, "bare.git")
    from scoutkit import git as scoutgit

    notebook = Notebook(config.places(scoutgit.discover(tmp_path / "bare.git"), config.Settings()))
    kept = notebook.write(NOTE)
    assert kept.path == "notes/2026-11-30-cookies-are-signed-7k3m.md"
    assert (tmp_path / "bare.git" / "scoutkit" / kept.path).is_file()
    assert notebook.read(kept.path).note == kept
    assert [path for path, _, _ in notebook.files()[0]] == [kept.path]


def test_a_full_disk_is_one_clear_error_and_leaves_no_file(places: Places, notes: Path) -> None:
    program = (
        "import resource, signal, sys; from pathlib import Path; from scoutkit import config, git\n"
        "from scoutkit.errors import ScoutError; from scoutkit.knowledge.notebook import Notebook\n"
        "from scoutkit.model.notes import Note\n"
        "notebook = Notebook(config.places(git.discover(Path(sys.argv[1])), config.Settings()))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try: notebook.write(Note('7k3m9q2d', 'T', 'long ' * 100))\n"
        "except ScoutError as error: print(error.message, error.hint, sep='|')\n"
    )
    done = subprocess.run([sys.executable, "-c", program, places.root], capture_output=True, text=True)
    assert done.stdout.startswith("cannot write .claude/notes: File too large|"), done.stderr
    assert list(notes.iterdir()) == []


# Changing and removing


def test_replacing_keeps_the_mode_and_refuses_a_file_that_changed(notebook: Notebook, places: Places) -> None:
    path = notebook.write(NOTE).path
    (places.root / path).chmod(0o640)
    before = notebook.bytes_of(path)
    notebook.replace(path, before, before + b"more\n")
    assert notebook.bytes_of(path) == before + b"more\n"
    assert stat.S_IMODE((places.root / path).stat().st_mode) == 0o640
    with pytest.raises(Refused, match="changed meanwhile") as refused:
        notebook.replace(path, before, b"lost")
    assert refused.value.hint
    assert notebook.bytes_of(path) == before + b"more\n"
    assert [entry.name for entry in places.notes.iterdir()] == [Path(path).name]


def test_a_note_in_a_merge_conflict_is_not_changed(notebook: Notebook, notes: Path) -> None:
    raw = b"---\nid: x\n---\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"
    (notes / "a.md").write_bytes(raw)
    with pytest.raises(Refused, match=r"a\.md:5: merge conflict"):
        notebook.amend(".claude/notes/a.md", {"tags": ["x"]})
    assert (notes / "a.md").read_bytes() == raw


def test_amending_changes_the_front_matter_and_returns_the_note(notebook: Notebook, notes: Path) -> None:
    (notes / "a.md").write_bytes(b"---\r\n# mine\r\nid: abcd1234\r\n---\r\nbody \xe9\r\n")
    parsed = notebook.amend(".claude/notes/a.md", {"tags": ["auth"]})
    assert (parsed.note.tags, parsed.note.path) == (("auth",), ".claude/notes/a.md")
    assert (notes / "a.md").read_bytes() == b"---\r\n# mine\r\nid: abcd1234\r\ntags: [auth]\r\n---\r\nbody \xe9\r\n"
    before = (notes / "a.md").stat()
    notebook.amend(".claude/notes/a.md", {"tags": ["auth"]})
    assert (notes / "a.md").stat().st_ino == before.st_ino


def test_changes_made_at_once_are_all_kept(places: Places) -> None:
    path = Notebook(places).write(NOTE).path
    changes = [{f"key{number}": str(number)} for number in range(10)]
    threads = [threading.Thread(target=Notebook(places).amend, args=(path, change)) for change in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = Notebook(places).bytes_of(path).decode()
    assert sorted(re.findall(r"^(key\d): '\d'$", text, re.MULTILINE)) == [f"key{number}" for number in range(10)]


def test_changing_a_note_behind_a_link_changes_its_target_and_keeps_the_link(
    notebook: Notebook, notes: Path, repo: Path
) -> None:
    (repo / "docs").mkdir()
    (repo / "docs" / "adr.md").write_text("# Decision\n")
    (notes / "adr.md").symlink_to("../../docs/adr.md")
    notebook.amend(".claude/notes/adr.md", {"tags": ["x"]})
    assert (repo / "docs" / "adr.md").read_text() == "---\ntags: [x]\n---\n# Decision\n"
    assert (notes / "adr.md").is_symlink()


def test_removing_moves_to_the_trash_and_a_link_goes_alone(notebook: Notebook, notes: Path, places: Places) -> None:
    kept = notebook.write(NOTE)
    raw = notebook.bytes_of(kept.path)
    trashed = notebook.remove(kept.path)
    assert trashed.read_bytes() == raw
    assert trashed.is_relative_to(places.state / "trash")
    assert trashed.as_posix().endswith(kept.path)
    assert paths(notebook) == []
    (notes / "link.md").symlink_to("../../README.md")
    assert notebook.remove(".claude/notes/link.md").is_symlink()
    assert (places.root / "README.md").read_text().startswith("# Sessions")
    with pytest.raises(NotFound):
        notebook.remove(kept.path)


def test_a_folder_is_not_removed(notebook: Notebook, notes: Path) -> None:
    (notes / "sub").mkdir()
    for path in (".claude/notes/sub", ".claude/notes", ".claude/notes/"):
        with pytest.raises(NotFound, match="a folder"):
            notebook.remove(path)
    assert (notes / "sub").is_dir()


def test_a_note_goes_to_a_trash_on_another_file_system(notebook: Notebook, places: Places, another: Path) -> None:
    places.state.mkdir(exist_ok=True)
    (places.state / "trash").symlink_to(another)
    kept = notebook.write(NOTE)
    raw = notebook.bytes_of(kept.path)
    assert notebook.remove(kept.path).read_bytes() == raw
    assert paths(notebook) == []


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system than `tmp_path`."""
    import tempfile

    if not Path("/dev/shm").is_dir() or Path("/dev/shm").stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system here")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(folder)


def test_new_ids_are_unambiguous_and_never_numbers(notebook: Notebook) -> None:
    ids = {notebook.new_id() for _ in range(2000)}
    assert len(ids) == 2000
    assert all(re.fullmatch(r"[0-9a-hjkmnp-tv-z]{8}", one) and not re.fullmatch(r"\d+(e\d+)?", one) for one in ids)


def test_a_note_that_could_not_be_read_again_is_not_written(
    notebook: Notebook, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoutkit.knowledge.notebook.LARGEST", 1000)  # what 64 MB are takes half a minute to write
    with pytest.raises(ScoutError, match="at most 1,000"):
        notebook.write(replace(NOTE, body="x " * 600))
    assert not list(notes.iterdir())
    assert notebook.write(NOTE).path
