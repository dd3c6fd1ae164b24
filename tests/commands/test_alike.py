"""Near-duplicates are pointed out at writing; notes of two branches merge; two of one id are both there."""

from __future__ import annotations

TEXT = (
    "Cookies are signed by the signer with a key that the settings give, and the middleware verifies each cookie before"
    " a request reaches a handler; what does not verify is dropped.\n"
)


def test_a_note_that_says_what_another_says_is_pointed_out_and_kept(scoutkit, repo, tmp_path):
    first = scoutkit("new", "How cookies are signed", "--json", stdin=TEXT)
    assert first.json["alike"] == []
    again = scoutkit("new", "Cookies and how they are signed", "--json", stdin=TEXT.replace("dropped", "thrown away"))
    one, other = first.json["notes"][0], again.json["notes"][0]
    assert again.json["alike"] == [{"note": other["id"], "id": one["id"], "path": one["path"], "title": one["title"]}]
    assert f"much like {one['id']}: How cookies are signed" in again.err.splitlines()
    assert (repo / one["path"]).exists()
    assert (repo / other["path"]).exists()
    (tmp_path / "third.md").write_text(f"# Signing\n\n{TEXT}")
    said = scoutkit("import", tmp_path / "third.md")
    assert said.err.count("much like") == 2


def test_notes_of_two_branches_merge_without_a_conflict(scoutkit, repo, git):
    for branch, title in (("one", "How cookies are signed"), ("other", "How requests are limited")):
        git(repo, "checkout", "-q", "-b", branch, "main")
        scoutkit("new", title, "--json", stdin=f"{title} on this branch.\n")
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", title)
    git(repo, "merge", "-q", "--no-edit", "one")
    hits = scoutkit("list", "--json").json["hits"]
    assert {hit["title"] for hit in hits} == {"How cookies are signed", "How requests are limited"}
    assert scoutkit("index").err.strip() == "2 notes, 0 problems"


def test_notes_of_the_same_title_and_day_on_two_branches_merge_too(scoutkit, repo, git):
    for branch, says in (("one", "Ada says so.\n"), ("other", "Bob says so.\n")):
        git(repo, "checkout", "-q", "-b", branch, "main")
        scoutkit("new", "How cookies are signed", "--json", stdin=says)
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", says)
    git(repo, "merge", "-q", "--no-edit", "one")
    hits = scoutkit("list", "--json").json["hits"]
    assert [hit["title"] for hit in hits] == ["How cookies are signed"] * 2
    for hit in hits:
        assert hit["path"].endswith(f"-how-cookies-are-signed-{hit['id'][:4]}.md")
        assert (
            scoutkit("show", hit["path"].rsplit("/", 1)[-1].removesuffix(".md"), "--json").json["note"]["id"]
            == hit["id"]
        )
    assert scoutkit("show", "how-cookies-are-signed").code == 2, "of two notes of a name neither is meant"


def test_a_batch_points_out_what_is_much_like_another_note_but_no_second_opinions(scoutkit, tmp_path):
    first = scoutkit("new", "How cookies are signed", "--json", stdin=TEXT).json["notes"][0]
    (tmp_path / "report.md").write_text(f"# Cookies and how they are signed\n\n{TEXT}")
    (tmp_path / "one.txt").write_text("How is a cookie signed?\n")
    sent = ("batch", tmp_path / "one.txt", "--agent-cmd", f"cat {tmp_path / 'report.md'}", "--isolate", "none")
    said = scoutkit(*sent, "--json")
    assert [(one["id"], one["title"]) for one in said.json["alike"]] == [(first["id"], "How cookies are signed")]
    assert f"1: much like {first['id']}: How cookies are signed" in said.err.splitlines()
    book = said.json["batch"]["id"]
    assert scoutkit("batch", "--resume", book, "--json").json["alike"] == [], "it is said once"


def test_two_notes_of_one_id_are_both_found_and_reported(scoutkit, repo):
    note = scoutkit("new", "How cookies are signed", "--json", stdin=TEXT).json["notes"][0]
    path = repo / note["path"]
    (path.parent / "copy.md").write_bytes(path.read_bytes())
    assert len(scoutkit("search", "cookies", "--json").json["hits"]) == 2
    assert f"the id {note['id']} is also in" in scoutkit("index").out
