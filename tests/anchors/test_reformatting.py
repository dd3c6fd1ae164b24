"""A change of layout alone makes no citation stale.

Where lines are after a reformatting is told without the engine: formatters keep every letter and digit in its order, so
the n-th of the old text is the n-th of the new one.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from scoutkit import git as scoutkit_git
from scoutkit.anchors.region import Regions
from scoutkit.model.notes import Region

Span = tuple[int, int]  # the first and the last line, from 1

SESSIONS = """\
import hmac
import json
import time
from app.store import Store, lookup
from app.errors import BadCookie, Expired
MAX_AGE = 60*60*24*14
NAMES = ['session','csrf',
  'locale']
LIMITS = {'user': 10, 'admin': 100, 'robot': 0x1F, 'nobody': 0, 'everybody': 1000000, 'host': 5}
normal = lambda name: name.strip().lower().replace('-','_')
def cached(seconds, *, key = None):
  def wrap(function):
    kept = {}
    def call(*args):
      name = key(*args) if key else args
      if name not in kept or kept[name][0] < time.time()-seconds: kept[name] = (time.time(), function(*args))
      return kept[name][1]
    return call
  return wrap
class Clock():
    def now(self): return int(time.time())
class Session():
    '''One visitor's session.'''
    kinds = ('short', 'long')
    def __init__(self, user, issued, roles = (), *, address = '', agent = '', locale = 'en', remembered = False):
        self.user, self.issued = user, issued
        self.roles = [normal(role) for role in roles if role and not role.startswith('_') and role in LIMITS]
        self.address = address; self.agent = agent
        self.locale = locale
        self.remembered = remembered
    @property
    def age(self):
        return (time.time() - self.issued)
    @property
    def limit(self):

        return max([LIMITS[role] for role in self.roles], default = 0)
    @classmethod
    def read(cls, text, signer, clock = None):
        value = signer.verify(text)
        if (value is None):
            raise BadCookie('the signature is not ours', text = text[:20], hint = 'clear the cookies of this site')
        found = cls(**json.loads(value))
        if found.age > MAX_AGE and not found.remembered or found.issued > (clock or Clock()).now() + 60:
            raise Expired(found.user, found.issued)
        return found
    def dump(self):
        return json.dumps({'user': self.user, 'issued': self.issued, 'roles': self.roles,
                           'address': self.address, 'locale': self.locale})


class Signer:

    def __init__(self, key): self.key = key

    def sign(self, value):
        mac = hmac.new(self.key, value.encode(), 'sha256')
        return (value + '.' + mac.hexdigest())

    def verify(self, cookie):
        value, dot, given = cookie.rpartition('.')
        total = len(value) + \\
            len(given) + \\
            len(dot)
        if total > 4096: return None
        return value if hmac.compare_digest(self.sign(value), cookie) else None
@cached(30, key = lambda store, name: (id(store), name))
def roles(store: Store, name: str) -> list :
    rows = lookup(store, 'select role from roles where name = ? and ended is null order by role', [name])
    return [row['role'] for row in rows]
def start(store, signer, request, response):
    # a new one for whoever comes without
    session = Session(user = request.form['user'], issued = int(time.time()), roles = roles(store, request.form['id']))
    response.set_cookie(NAMES[0], signer.sign(session.dump()), max_age = MAX_AGE, secure = True, httponly = True)
    for name,value in sorted(request.cookies.items()):
        if name not in NAMES: response.delete_cookie(name)
    total = sum(
        LIMITS[role]
        for role in session.roles)
    return session, total
def stop(response):
    for name in NAMES: response.delete_cookie( name )
    print ( 'stopped', normal( NAMES[ 0 ] ), "isn't here", file = response.log )
"""

REPORT = """\
import sys
import os
from app.store import Store
import json
import argparse
from collections import Counter
import requests
from app.errors import Expired

ROLES = ("member", "admin")


def count(store):
    return Counter(role for user in store for role in user.roles)


def fetch(address):
    answer = requests.get(address, timeout=10)
    if answer.status_code == 410:
        raise Expired(address)
    return json.loads(answer.text)


class Report:
    def __init__(self, store: Store):
        self.totals = count(store)

    def write(self, stream=sys.stdout):
        for role in ROLES:
            print(role, self.totals[role], file=stream)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Store)
    chosen = parser.parse_args()
    Report(chosen.store).write()
    return os.EX_OK
"""

USERS = """\
from app.sessions import Session, Signer
from app.mail import deliver


class Directory:
    def __init__(self, rows):
        self.rows = {row["name"]: row for row in rows}

    def find(self, name):
        row = self.rows.get(name)
        if row is None:
            raise KeyError(name)
        return row


def greet(directory, name, host):
    row = directory.find(name)
    text = f"Welcome, {row['full_name']}"
    deliver(row["address"], text, host=host)
    return text


def enter(directory, key, cookie):
    session = Session.read(cookie, Signer(key))
    return directory.find(session.user), session
"""

BILLING = "".join(
    f"def charge_{word}(account, amount_{number}):\n"
    f'    """Takes money from a {word} account."""\n'
    f"    fee = amount_{number} * {number} // 100\n"
    f"    if fee > account.balance:\n"
    f'        raise ValueError("{word} account is empty")\n'
    f"    account.balance -= amount_{number} + fee\n"
    f"    return account.balance\n\n\n"
    for number, word in enumerate(("private", "company", "school", "charity"), start=3)
)

SCRIPT = """\
import { createHmac, timingSafeEqual } from 'crypto'
import type { Request,Response } from 'express'

const MAX_AGE = 60*60*24*14
export const DEFAULTS = { name: 'session', maxAge: MAX_AGE, secure: true, sameSite: 'lax', "path": '/' }

export interface Session { user: string, issued: number,
  roles: string[] }

type Handler = (request: Request, response: Response, session: Session | undefined) => Promise<void> | void

export class Signer {
  private key: string
  constructor(key: string) { this.key = key }

  sign(value: string): string {
    const mac = createHmac('sha256', this.key).update(value).digest('base64url')
    return value + '.' + mac }

  verify(cookie: string): string | undefined {
    const at = cookie.lastIndexOf('.')
    if (at < 0) return undefined
    const value = cookie.slice(0, at), given = Buffer.from(cookie.slice(at + 1)), wanted = Buffer.from(this.mac(value))
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? value : undefined
  }
}

export function parse(header: string | undefined): Map<string, string> {
  // a cookie without a value is nobody's
  const pairs = (header || '').split(';').map(pair => pair.trim().split('=')).filter(parts => parts.length === 2)
  return new Map(pairs.map(([name, text]) => [name, decodeURIComponent(text)])); // the last one counts
}

export async function load(signer: Signer, store: { get(id: string): Promise<Session | undefined> }, request: Request) {
  const found = parse(request.headers.cookie).get(DEFAULTS.name)
  const id = found && signer.verify(found)
  if (!id) { return undefined }
  const session = await store.get(id)
  return session && session.issued + DEFAULTS.maxAge > Date.now() / 1000 ? session : undefined
}

export const guard = (signer: Signer, store: any, role = 'user') => async (request: any, response: any, next: any) => {
  const session = await load(signer, store, request)
  if (!session || !session.roles.includes(role))
    return response.status(session ? 403 : 401).json({error: session ? 'forbidden' : 'unknown', needed: role})
  try { response.locals.session = session; next()
  } catch (problem) {
    next(problem)
  }
}

export default function mount(app: any, handlers: Record<string, Handler>) {
    for (const [path, handler] of Object.entries(handlers)) {
        app.get(path, (request: Request, response: Response) => handler(request, response, response.locals.session))
    }
    return app
}
"""

PRETTY = """\
import { createHmac, timingSafeEqual } from "crypto";
import type { Request, Response } from "express";

const MAX_AGE = 60 * 60 * 24 * 14;
export const DEFAULTS = {
  name: "session",
  maxAge: MAX_AGE,
  secure: true,
  sameSite: "lax",
  path: "/",
};

export interface Session {
  user: string;
  issued: number;
  roles: string[];
}

type Handler = (
  request: Request,
  response: Response,
  session: Session | undefined,
) => Promise<void> | void;

export class Signer {
  private key: string;
  constructor(key: string) {
    this.key = key;
  }

  sign(value: string): string {
    const mac = createHmac("sha256", this.key)
      .update(value)
      .digest("base64url");
    return value + "." + mac;
  }

  verify(cookie: string): string | undefined {
    const at = cookie.lastIndexOf(".");
    if (at < 0) return undefined;
    const value = cookie.slice(0, at),
      given = Buffer.from(cookie.slice(at + 1)),
      wanted = Buffer.from(this.mac(value));
    return given.length === wanted.length && timingSafeEqual(given, wanted)
      ? value
      : undefined;
  }
}

export function parse(header: string | undefined): Map<string, string> {
  // a cookie without a value is nobody's
  const pairs = (header || "")
    .split(";")
    .map((pair) => pair.trim().split("="))
    .filter((parts) => parts.length === 2);
  return new Map(pairs.map(([name, text]) => [name, decodeURIComponent(text)])); // the last one counts
}

export async function load(
  signer: Signer,
  store: { get(id: string): Promise<Session | undefined> },
  request: Request,
) {
  const found = parse(request.headers.cookie).get(DEFAULTS.name);
  const id = found && signer.verify(found);
  if (!id) {
    return undefined;
  }
  const session = await store.get(id);
  return session && session.issued + DEFAULTS.maxAge > Date.now() / 1000
    ? session
    : undefined;
}

export const guard =
  (signer: Signer, store: any, role = "user") =>
  async (request: any, response: any, next: any) => {
    const session = await load(signer, store, request);
    if (!session || !session.roles.includes(role))
      return response
        .status(session ? 403 : 401)
        .json({ error: session ? "forbidden" : "unknown", needed: role });
    try {
      response.locals.session = session;
      next();
    } catch (problem) {
      next(problem);
    }
  };

export default function mount(app: any, handlers: Record<string, Handler>) {
  for (const [path, handler] of Object.entries(handlers)) {
    app.get(path, (request: Request, response: Response) =>
      handler(request, response, response.locals.session),
    );
  }
  return app;
}
"""

FILES = {"app/users.py": USERS, "lib/billing.py": BILLING}


Wanted = dict[Span, Span]


class Checkout:
    """A repository whose files are changed, and what is then not found where it is."""

    def __init__(self, root: Path, git: Callable[..., str]) -> None:
        self.root, self._git = root, git
        root.mkdir()
        git(root, "init", "-q")

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def commit(self) -> str:
        self._git(self.root, "add", "-A")
        self._git(self.root, "commit", "-q", "-m", "x")
        return self._git(self.root, "rev-parse", "HEAD").strip()

    def lost(self, commit: str, path: str, wanted: Wanted, there: str = "") -> list[str]:
        """The lines of a file that are not found, unedited, where they are wanted; rows of signs alone may be added."""
        old, rows = self._git(self.root, "show", f"{commit}:{path}").splitlines(), self.text(there or path).splitlines()
        lost = []
        with Regions(scoutkit_git.discover(self.root), "") as regions:
            for (start, end), (first, last) in wanted.items():
                found = regions.locate(Region(path, start, end), commit)
                now = found.region
                if now and now.path == (there or path) and now.start <= first <= last <= now.end:
                    stayed = (now.path, now.start, now.end) == (path, start, end)
                    more = rows[now.start - 1 : first - 1] + rows[last : now.end]
                    if found.verdict == ("fresh" if stayed else "moved") and not any(map(says, more)):
                        continue
                place = f"{now.path}:{now.start}-{now.end}" if now else ""
                cited = f"{path}:{start}-{end} {old[start - 1].strip()[:70]!r}"
                lost.append(f"{cited}: {found.verdict} {place}, not {there or path}:{first}-{last}")
        return lost


@pytest.fixture
def checkout(tmp_path: Path, git) -> Checkout:
    return Checkout(tmp_path / "checkout", git)


def says(line: str) -> bool:
    return re.search(r"[A-Za-z0-9]", line) is not None


def letters(text: str) -> list[tuple[str, int]]:
    """Every letter and digit, with its line."""
    rows = enumerate(text.splitlines(), start=1)
    return [(letter.lower(), number) for number, row in rows for letter in row if letter.isalnum()]


def singles(text: str) -> list[Span]:
    return [(number, number) for number, line in enumerate(text.splitlines(), start=1) if says(line)]


def windows(text: str) -> list[Span]:
    return [(number, number + 4) for number in range(1, len(text.splitlines()) - 3)]


def definitions(text: str) -> dict[str, Span]:
    """Where a Python module's functions and classes are, by their names."""
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found[node.name] = (first, node.end_lineno or first)
    return found


def blocks(text: str) -> dict[str, Span]:
    """Where a script's declarations are, by their names: each up to the next."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines, start=1) if re.match(r"(export|type|const)\b", line)]
    found = {}
    for first, following in zip(heads, [*heads[1:], len(lines) + 1], strict=True):
        name = re.match(r"(?:(?:export|default|async|function|class|interface|type|const) )+(\w+)", lines[first - 1])
        assert name
        found[name[1]] = (first, max(at for at in range(first, following) if lines[at - 1]))
    return found


def by_letters(old: str, new: str, spans: Iterable[Span], above: str = "") -> Wanted:
    """Where lines went while every letter and digit stayed, in its order, under what was put above."""
    before, after = letters(old), letters(new)
    skip = len(letters(above))
    assert [letter for letter, _ in after[skip:]] == [letter for letter, _ in before]
    wanted = {}
    for start, end in spans:
        inside = [number for number, (_, row) in enumerate(before) if start <= row <= end]
        wanted[start, end] = (after[skip + inside[0]][1], after[skip + inside[-1]][1])
    return wanted


def by_name(old: dict[str, Span], new: dict[str, Span]) -> Wanted:
    assert old
    assert old.keys() == new.keys()
    return {span: new[name] for name, span in old.items()}


def by_line(old: str, new: str, spans: Iterable[Span]) -> Wanted:
    """Where single lines went that are in a text once."""
    before, after = old.splitlines(), new.splitlines()
    assert all(before.count(before[start - 1]) == after.count(before[start - 1]) == 1 for start, _ in spans)
    places = {(start, end): after.index(before[start - 1]) + 1 for start, end in spans}
    return {span: (at, at) for span, at in places.items()}


def everything(old: str, new: str, above: str = "") -> Wanted:
    """Lines, windows and definitions of a Python module."""
    return by_letters(old, new, singles(old) + windows(old), above) | by_name(definitions(old), definitions(new))


def test_black(checkout):
    checkout.put("app/sessions.py", SESSIONS)
    old = checkout.commit()
    subprocess.run([sys.executable, "-m", "black", "-q", "."], cwd=checkout.root, check=True)
    new = checkout.text("app/sessions.py")
    assert len(new.splitlines()) > len(SESSIONS.splitlines()) + 50
    wanted = by_letters(SESSIONS, new, singles(SESSIONS)) | by_name(definitions(SESSIONS), definitions(new))
    assert checkout.lost(old, "app/sessions.py", wanted) == []


def test_prettier(checkout):
    """PRETTY is what prettier 3.10.1 made of SCRIPT: node is not there wherever tests run."""
    checkout.put("src/session.ts", SCRIPT)
    old = checkout.commit()
    checkout.put("src/session.ts", PRETTY)
    wanted = by_letters(SCRIPT, PRETTY, singles(SCRIPT)) | by_name(blocks(SCRIPT), blocks(PRETTY))
    assert checkout.lost(old, "src/session.ts", wanted) == []


def test_sorted_imports(checkout):
    checkout.put("app/report.py", REPORT)
    old = checkout.commit()
    sort = [sys.executable, "-m", "ruff", "check", "-q", "--isolated", "--no-cache", "--select", "I", "--fix", "."]
    subprocess.run(sort, cwd=checkout.root, check=True)
    new = checkout.text("app/report.py")
    order = [new.index(line) for line in REPORT.splitlines()[:8]]
    assert order != sorted(order)
    spans = singles(REPORT)
    wanted = by_line(REPORT, new, spans) | by_name(definitions(REPORT), definitions(new))
    assert len(wanted) > 20
    assert checkout.lost(old, "app/report.py", wanted) == []


def test_a_licence_header(checkout):
    header = "# Copyright The Contributors\n# SPDX-License-Identifier: Apache-2.0\n\n"
    for name, text in FILES.items():
        checkout.put(name, text)
    old = checkout.commit()
    for name, text in FILES.items():
        checkout.put(name, header + text)
    for name, text in FILES.items():
        assert checkout.lost(old, name, everything(text, header + text, header)) == []


def test_windows_line_ends(checkout):
    for name, text in FILES.items():
        checkout.put(name, text)
    old = checkout.commit()
    for name, text in FILES.items():
        checkout.put(name, text.replace("\n", "\r\n"))
        assert checkout.lost(old, name, everything(text, text)) == []


def test_a_folder_moves(checkout):
    for name, text in FILES.items():
        checkout.put(name, text)
    old = checkout.commit()
    (checkout.root / "src").mkdir()
    (checkout.root / "app").rename(checkout.root / "src/site")
    assert checkout.lost(old, "app/users.py", everything(USERS, USERS), "src/site/users.py") == []
    assert checkout.lost(old, "lib/billing.py", everything(BILLING, BILLING)) == []


def test_a_module_is_renamed_and_imported_by_its_new_name(checkout):
    for name, text in FILES.items():
        checkout.put(name, text)
    importing = "import app.users\n\n\n" + BILLING
    checkout.put("lib/billing.py", importing)
    old = checkout.commit()
    (checkout.root / "app/users.py").rename(checkout.root / "app/people.py")
    checkout.put("lib/billing.py", importing.replace("app.users", "app.people"))
    assert checkout.lost(old, "app/users.py", everything(USERS, USERS), "app/people.py") == []
    below = {span: to for span, to in everything(importing, importing).items() if span[0] > 1}
    assert checkout.lost(old, "lib/billing.py", below) == []


@pytest.mark.parametrize("indent", ["  ", "\t"], ids=["two blanks", "tabs"])
def test_another_indentation(checkout, indent):
    for name, text in FILES.items():
        checkout.put(name, text)
    old = checkout.commit()
    for name, text in FILES.items():
        new = re.sub(r"^(?: {4})+", lambda blanks: indent * (len(blanks[0]) // 4), text, flags=re.MULTILINE)
        assert new != text
        checkout.put(name, new)
        assert checkout.lost(old, name, everything(text, new)) == []
