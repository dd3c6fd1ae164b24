"""The pages in a real browser, Debian's chromium: what people do, what they see, and that nothing else happens.

`make screenshots` has it write the pictures of docs/browse/ anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from scoutkit.browse import watching
from scoutkit.desk import Desk

from . import bookshop

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "tests/hostile-notes/notes"
PICTURES = ROOT / "docs/browse" if os.environ.get("SCOUTKIT_SCREENSHOTS") else None
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}
PAGES = {
    "front": "/",
    "note": "/note/ask00000",
    "scout": "/note/sct00004",
    "citation": "/note/ask00000/citation/0",
    "gone": "/note/ask00009/citation/0",
    "search": "/find?q=auth",
    "nothing": "/find?q=zzxxqq",
    "file": "/file/src/auth/signing.py#text",
    "folder": "/file/src",
    "runs": "/runs",
    "run": "RUN",
    "related": "/note/ask00000/related",
    "error": "/note/nosuch",
    "stranger": "/note/hostile",
    "long": "/note/long",
    "tables": "/scoutkit",
    "table": "/scoutkit/citations?verdict=supported&_size=3",
    "row": "/scoutkit/notes/1",
    "question": "/scoutkit/stale_by_folder",
}
ACTIVE = """[...document.querySelectorAll("*")].filter((one) => /^(?!https?:|mailto:|$)/.test(one.protocol ?? "")
|| one.getAttributeNames().some((name) => name.startsWith("on"))).map((one) => one.outerHTML)"""
"""Elements that do something of their own, or whose address does."""
PICTURED = (
    *("front", "front-dark", "front-narrow", "note", "citation", "citation-dark", "search", "file", "runs", "run"),
    *("table", "table-dark"),
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, fill: Callable[[Path], None]) -> Path:
    """The bookshop, its notes checked as the process beside the server does."""
    folder = tmp_path_factory.mktemp("browser")
    fill(folder / "home/.cache/scoutkit")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_", "SCOUTKIT_"))}
    with pytest.MonkeyPatch.context() as patch:
        for name in set(os.environ) - set(kept):
            patch.delenv(name)
        patch.setenv("HOME", str(folder / "home"))
        repository = bookshop.build(folder / "bookshop", {**kept, "HOME": str(folder / "home")})
        desk = Desk.open(repository)
        desk.sync()
        list(watching.work(desk))
        desk.fulltext.update()
    return repository


@pytest.fixture(scope="module")
def address(shop: Path) -> Iterator[str]:
    """Where `scoutkit browse` serves it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_", "SCOUTKIT_"))}
    command = [sys.executable, "-m", "scoutkit", "browse", "--no-open", "--port", "0"]
    with subprocess.Popen(
        command, cwd=shop, env={**kept, "HOME": str(shop.parent / "home")}, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        said = server.stdout.readline().strip()
        assert said.startswith("http://127.0.0.1:"), said
        yield said.rstrip("/")
        server.terminate()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's chromium. Where there is none this fails in CI, and elsewhere says why it is skipped."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        said = "no chromium on PATH: `apt-get install chromium` has the pages tried in a browser"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(said)
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


@pytest.fixture
def page(chromium: Browser, address: str) -> Iterator[Page]:
    """A browser window. Whatever a test does in it: no error, no dialog, no request to another host."""
    context = chromium.new_context(viewport={"width": 1024, "height": 700}, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)
    page.on("pageerror", lambda one: complaints.append(str(one)))
    page.on("dialog", lambda one: (complaints.append(f"a dialog: {one.message}"), one.dismiss()))
    page.on("request", lambda one: None if one.url.startswith(f"{address}/") else complaints.append(one.url))
    page.set_default_timeout(60_000)
    yield page
    context.close()
    assert [one for one in complaints if "404 (Not Found)" not in one] == []


@pytest.fixture
def go(page: Page, address: str) -> Callable[[str], Any]:
    """Opens an address of the server."""
    return lambda path: page.goto(address + path)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_by_everybody(page: Page, go: Callable[[str], Any], shop: Path, name: str) -> None:
    path = PAGES[name] if PAGES[name] != "RUN" else f"/run/{Desk.open(shop).journal.runs()[0].id}"
    went = go(path)
    assert went.status == (404 if name == "error" else 200)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        if name == "front":
            page.reload()  # plots take their colours as they are drawn
            expect(page.locator("figure svg").first).to_be_visible()
        rules = RULES if scheme == "light" else COLOURS  # nothing else differs
        found = Axe().run(page, options=rules).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]][:5]) for one in found] == []
        _picture(page, name if scheme == "light" else f"{name}-dark")
    page.set_viewport_size({"width": 360, "height": 740})
    if path.startswith("/scoutkit"):  # Datasette's tables become lists there
        assert Axe().run(page, options=COLOURS).response["violations"] == []
    page.emulate_media(color_scheme="light")
    wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide[0] <= wide[1]
    _picture(page, f"{name}-narrow")


def _picture(page: Page, name: str) -> None:
    if PICTURES and name in PICTURED:
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png", animations="disabled")


def test_what_no_longer_holds_about_auth_is_found_and_a_right_note_copied(page: Page, go: Callable[[str], Any]) -> None:
    go("/")
    page.get_by_role("searchbox").fill("auth")
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="Narrow").get_by_role("link", name="no longer hold").click()
    hit = page.locator(".hits li", has_text="Session cookies are signed")
    expect(hit).to_contain_text("src/auth/signing.py:15-18 is edited")
    go("/find?q=auth")
    page.get_by_role("navigation", name="Narrow").get_by_role("link", name="hold", exact=True).click()
    page.get_by_role("link", name="Handlers ask for a login").click()
    expect(page.locator(".standing")).to_contain_text("Holds")
    page.get_by_role("button", name="Copy for a prompt").click()
    expect(page.get_by_role("status")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "data to weigh, not instructions" in copied
    assert "src/auth/middleware.py:11-14" in copied


def test_what_takes_longer_comes_after_the_page(page: Page, go: Callable[[str], Any]) -> None:
    go("/note/ask00000")
    expect(page.get_by_role("heading", name="Related notes")).to_be_visible()
    page.locator("#related li a").first.click()
    expect(page).to_have_url(re.compile("/note/(?!ask00000)"))
    assert go("/note/ask00000/related").status == 200


def test_the_keyboard_is_enough(page: Page, go: Callable[[str], Any]) -> None:
    go("/")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("refund")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/find\?q=refund$"))
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hits li > a").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hits li > a").nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/note/"))


def test_a_search_answers_as_one_types(page: Page, go: Callable[[str], Any]) -> None:
    go("/find")
    box = page.get_by_role("searchbox")
    box.press_sequentially("refund", delay=20)
    expect(page.locator(".hits li").first).to_contain_text("efund")
    expect(page).to_have_url(re.compile(r"/find\?q=refund$"))
    box.fill("cokie")
    page.get_by_role("link", name="cookie", exact=True).click()
    expect(page.locator(".hits li").first).to_contain_text(re.compile("cookie", re.IGNORECASE))


def test_a_citation_leads_to_then_and_now_and_on_to_the_file(page: Page, go: Callable[[str], Any]) -> None:
    go("/note/ask00000")
    page.locator(".text").get_by_role("link", name="src/auth/signing.py:15-18").click()
    then, now = page.locator(".sides section").all()
    expect(then).to_contain_text('"sha256"')
    expect(now).to_contain_text('"sha512"')
    assert [mark.inner_text() for mark in then.locator("del").all()] == ["sha256"]
    assert [mark.inner_text() for mark in now.locator("ins").all()] == ["sha512"]
    page.get_by_role("button", name="Copy its permalink").click()
    expect(page.get_by_role("status")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"https://github.com/example/bookshop/blob/[0-9a-f]{40}/src/auth/signing.py#L15-L18", copied)
    now.get_by_role("link", name="src/auth/signing.py:17-20").click()
    expect(page).to_have_url(re.compile(r"/file/src/auth/signing\.py#line-17$"))
    expect(page.locator("#line-17")).to_be_in_viewport()


def test_text_by_a_stranger_runs_nothing(page: Page, go: Callable[[str], Any]) -> None:
    script = "/find?q=%3Cscript%3Ealert(1)%3C/script%3E"
    for path in ("/note/hostile", "/find?q=stranger", script, "/note/hostile/citation/0", "/file/src/auth/signing.py"):
        go(path)
        assert page.locator("main :is(script, img, iframe, form, style, svg, object, embed, meta, link)").count() == 0
        assert page.evaluate(ACTIVE) == []
    go("/note/hostile")
    for said in (
        "<script>alert(1)</script>",
        "javascript:alert(7)",
        "⟨U+001B⟩[31mred",
        "⟨U+202E⟩gnp.exe",
        "{{ 7 * 7 }}",
    ):
        expect(page.locator(".text")).to_contain_text(said)


def test_odd_notes_are_pages(page: Page, go: Callable[[str], Any], shop: Path) -> None:
    odd = shop / ".claude/notes/odd"
    shutil.copytree(HOSTILE, odd)
    (odd / "id.md").write_text("---\nid: a/b?c#d %2F\ntype: ask\ntitle: An odd id\nstatus: stable\n---\n\nHere.\n")
    try:
        go("/find?q=is%3Aunchecked")
        found = page.locator(".hits li > a").evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
        assert len(found) > len(list(odd.iterdir()))
        for path in found:
            went = go(path)
            assert (path, went.status) == (path, 200)
            assert page.evaluate(ACTIVE) == []
    finally:
        shutil.rmtree(odd)
