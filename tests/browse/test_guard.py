"""Who is answered, and what pages may do."""

from __future__ import annotations

import pytest

from .conftest import Browser


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_a_name_that_is_not_this_machines_is_refused(browser: Browser, host: str) -> None:
    page = browser.page("/", host=host)
    assert page.status == 403
    assert "names of this machine" in page.text


@pytest.mark.parametrize("host", ["localhost", "localhost:8765", "127.0.0.1:1", "[::1]:8765", "LOCALHOST"])
def test_names_of_this_machine_are_answered(browser: Browser, host: str) -> None:
    assert browser.page("/", host=host).status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1.evil.example"]
)
def test_another_origin_is_refused(browser: Browser, origin: str) -> None:
    assert browser.page("/find/live?q=x", host="localhost:8765", origin=origin).status == 403


def test_its_own_origin_is_answered(browser: Browser) -> None:
    assert browser.page("/find/live?q=x", host="localhost:8765", origin="http://localhost:8765").status == 200


def test_a_page_elsewhere_cannot_load_what_is_here(browser: Browser) -> None:
    loaded = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}
    assert browser.page("/scoutkit/notes.json", **loaded).status == 403
    assert browser.page("/", sec_fetch_site="cross-site", sec_fetch_mode="navigate").status == 200


def test_a_token_is_asked_for_everywhere(browser: Browser) -> None:
    browser.guarding = {"hosts": ("box",), "token": "0123456789abcdef"}
    for path in ("/", "/scoutkit/notes.json", "/-/scoutkit/static/scoutkit.css", "/?token=wrong"):
        assert browser.page(path, host="box:8765").status == 403


def test_a_token_in_the_address_becomes_a_cookie(browser: Browser) -> None:
    browser.guarding = {"token": "0123456789abcdef"}
    came = browser.page("/find?q=a&token=0123456789abcdef")
    assert (came.status, came.headers.get("location"), came.text[:80]) == (303, "/find?q=a", "")
    cookie = came.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert browser.page("/", cookie=cookie.split(";")[0]).status == 200
    assert browser.page("/", authorization="Bearer 0123456789abcdef").status == 200


@pytest.mark.parametrize("to", ["//evil.example/", "/\\evil.example"])
def test_a_token_leads_to_no_other_host(browser: Browser, to: str) -> None:
    browser.guarding = {"token": "0123456789abcdef"}
    where = browser.page(f"{to}?token=0123456789abcdef").headers.get("location", "/")
    assert not where.startswith(("//", "/\\"))


def test_our_pages_run_nothing_inline(browser: Browser, note) -> None:
    note("aaaa1111")
    front, page, data = browser.get("/", "/note/aaaa1111", "/scoutkit/notes")
    for one in (front, page):
        policy = one.headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in page.headers["content-security-policy"]
    assert "'unsafe-eval'" not in data.headers["content-security-policy"]
    assert all(one.headers["x-content-type-options"] == "nosniff" for one in (front, page, data))
