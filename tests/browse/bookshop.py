"""A repository that looks like somebody's: files, three months of commits, notes of which some no longer hold, runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

FILES = {
    "src/auth/signing.py": '''\
"""Signed cookies."""

import hmac
import time

MAX_AGE = 14 * 24 * 3600


class SessionSigner:
    """Signs and verifies session cookies."""

    def __init__(self, key):
        self.key = key

    def sign(self, value):
        stamp = int(time.time()).to_bytes(8, "big")
        mac = hmac.new(self.key, stamp + value, "sha256")
        return b".".join((value, stamp, mac.digest()))

    def verify(self, cookie):
        value, stamp, mac = cookie.rsplit(b".", 2)
        expected = hmac.new(self.key, stamp + value, "sha256")
        return hmac.compare_digest(expected.digest(), mac)


def rotate(signers, key):
    """The newest key signs; older ones still verify."""
    return [SessionSigner(key), *signers[:2]]
''',
    "src/auth/middleware.py": """\
from auth.signing import SessionSigner


def check_cookie(request, key):
    signer = SessionSigner(key)
    if not signer.verify(request.cookie):
        raise PermissionError("the cookie is not ours")
    return request.cookie.split(b".")[0]


def require_login(handler):
    def guarded(request):
        request.user = check_cookie(request, request.app.key)
        return handler(request)

    return guarded
""",
    "src/billing/invoice.py": """\
from decimal import Decimal


def total(lines):
    return sum((line.price * line.count for line in lines), Decimal())


def refund(order, amount):
    if amount > order.paid:
        raise ValueError("more than was paid")
    order.paid -= amount
    return order.gateway.refund(order.charge, amount)


def tax(lines, country):
    rate = RATES.get(country, Decimal("0.20"))
    return (total(lines) * rate).quantize(Decimal("0.01"))


def legacy_export(orders):
    for order in orders:
        yield f"{order.id};{order.paid};{order.currency}"


RATES = {"DE": Decimal("0.07"), "FR": Decimal("0.055")}
""",
    "src/catalogue/search.py": """\
def tokens(text):
    return [word.strip(".,;").lower() for word in text.split()]


def find(index, text):
    hits = [index.get(word, set()) for word in tokens(text)]
    return set.intersection(*hits) if hits else set()


def rank(books, hits):
    return sorted(hits, key=lambda hit: books[hit].sold, reverse=True)


def reindex(books):
    index = {}
    for number, book in enumerate(books):
        for word in tokens(book.title):
            index.setdefault(word, set()).add(number)
    return index
""",
    "web/cart.ts": """\
export interface Line {
  isbn: string;
  count: number;
}

export function addLine(cart: Line[], isbn: string): Line[] {
  const known = cart.find((line) => line.isbn === isbn);
  if (known) return cart.map((line) => (line === known ? { ...line, count: line.count + 1 } : line));
  return [...cart, { isbn, count: 1 }];
}

export async function checkout(cart: Line[]): Promise<string> {
  const answer = await fetch("/orders", { method: "POST", body: JSON.stringify(cart) });
  if (!answer.ok) throw new Error(`the order was refused: ${answer.status}`);
  return (await answer.json()).id;
}

export function persist(cart: Line[]): void {
  localStorage.setItem("cart", JSON.stringify(cart));
}
""",
}
KNOWN = (  # file, the line that begins what is cited, what the note says of it, tag
    ("src/auth/signing.py", "def sign(", "Session cookies are signed with HMAC-SHA256", "auth"),
    ("src/auth/signing.py", "def verify(", "A cookie is verified in constant time", "auth"),
    ("src/auth/signing.py", "MAX_AGE", "Cookies say when they were made; nothing checks their age", "auth"),
    ("src/auth/signing.py", "def rotate(", "Three keys verify, the newest signs", "auth"),
    ("src/auth/middleware.py", "def check_cookie(", "check_cookie turns a request away without a valid cookie", "auth"),
    ("src/auth/middleware.py", "def require_login(", "Handlers ask for a login with require_login", "auth"),
    ("src/billing/invoice.py", "def total(", "Totals are Decimal, never float", "billing"),
    ("src/billing/invoice.py", "def refund(", "A refund never exceeds what was paid", "billing"),
    ("src/billing/invoice.py", "def tax(", "Books have a rate of their own in Germany and France", "billing"),
    ("src/billing/invoice.py", "def legacy_export(", "The old accounts read one line an order", "billing"),
    ("src/catalogue/search.py", "def tokens(", "Titles are split at blanks and lower-cased", "search"),
    ("src/catalogue/search.py", "def find(", "A search finds books that have every word", "search"),
    ("src/catalogue/search.py", "def rank(", "What sells most comes first", "search"),
    ("src/catalogue/search.py", "def reindex(", "The index is made anew at every start", "search"),
    ("web/cart.ts", "export function addLine(", "Adding a book twice counts it twice", "cart"),
    ("web/cart.ts", "export async function checkout(", "An order is sent as one request", "cart"),
    ("web/cart.ts", "export function persist(", "The cart lives in localStorage until checkout", "cart"),
)
HOSTILE = """\
# <script>alert("title")</script>

<script>alert(1)</script> <img src=x onerror="alert(2)"> <svg onload="alert(3)"><script>alert(4)</script></svg>

[a link](javascript:alert(5)) [another](JaVaScRiPt:alert(6)) <a href="javascript:alert(7)" onclick="alert(8)">third</a>
![picture](https://elsewhere.example/track.png) ![drawn](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDkpIi8+)

<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><iframe src="javascript:alert(10)"/></foreignObject></svg>
<style>body { display: none }</style><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">
<form action="https://elsewhere.example/"><input name="q" autofocus onfocus="alert(11)"></form>

\x1b[31mred\x1b[0m \x1b]8;;https://elsewhere.example\x07link\x1b]8;;\x07 \u202egnp.exe \u2066hidden\u2069

`src/auth/signing.py:16-19"><script>alert(12)</script>` {{ 7 * 7 }} ${alert(13)}

```html
</code></pre><script>alert(14)</script>
```
"""


def build(folder: Path, env: Mapping[str, str]) -> Path:
    """The repository, with its notes and runs; `folder` must not be there yet. Gives `folder`."""
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "remote", "add", "origin", "https://github.com/example/bookshop.git")
    monday = datetime.now(UTC) - timedelta(weeks=11)
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    first = _commit(folder, "The shop", monday)
    for number, (path, begin, title, tag) in enumerate(KNOWN):
        _ask(folder, first, number, monday + timedelta(days=number), path, begin, title, tag)
        _scout(folder, first, number, monday + timedelta(days=2 * number), path, begin, title, tag)
    _edit(folder, "src/billing/invoice.py", '"more than was paid"', 'f"{amount} is more than {order.paid}"')
    _commit(folder, "Refunds say how much", monday + timedelta(weeks=4))
    _edit(folder, "src/auth/signing.py", "import time\n", "import time\n\nfrom auth.keys import load\n")
    _edit(folder, "src/auth/signing.py", 'stamp + value, "sha256"', 'stamp + value, "sha512"')
    _commit(folder, "Cookies are signed with SHA-512", monday + timedelta(weeks=7))
    _edit(folder, "src/billing/invoice.py", FILES["src/billing/invoice.py"].split("\n\n\n")[4] + "\n\n\n", "")
    _commit(folder, "Nobody reads the old export", monday + timedelta(weeks=9))
    _edit(folder, "src/auth/middleware.py", "the cookie is not ours", "log in first")  # not committed
    _write(
        folder, "hostile", first, "scout", "Text by a stranger", "odd", monday, ["src/auth/signing.py:16-19"], HOSTILE
    )
    _write(
        folder, "long", first, "note", "A long text", "odd", monday, [], "# A long text\n\n" + "<b>words</b> " * 40_000
    )
    _write(folder, "old00000", first, "ask", "Cookies are kept for a month", "auth", monday, [], "Wrong.", "deprecated")
    for question, command in (
        (
            "How are session cookies signed?",
            "echo '# `sign` makes an HMAC'; echo '`sign` is at src/auth/signing.py:17-20.'",
        ),
        ("Why do refunds fail on Sundays?", "echo 'looking'; exit 3"),
    ):
        asked = [sys.executable, "-m", "scoutkit", "ask", question, "--agent-cmd", command]
        subprocess.run(asked, cwd=folder, env=env, capture_output=True, timeout=60)
    return folder


def _ask(folder: Path, commit: str, number: int, at: datetime, path: str, begin: str, title: str, tag: str) -> None:
    cited = [_place(path, begin), _place(*KNOWN[(number + 1) % len(KNOWN)][:2])]
    name = begin.removesuffix("(").split()[-1]
    body = f"`{name}` does it (`{cited[0]}` ✓): {title.lower()}. Beside it stands what is at `{cited[1]}`.\n\n"
    body += "```python\n" + "\n".join(_lines(path, begin)[:4]) + "\n```\n"
    _write(folder, f"ask{number:05}", commit, "ask", title, tag, at, cited, body)


def _scout(folder: Path, commit: str, number: int, at: datetime, path: str, begin: str, title: str, tag: str) -> None:
    cited = [_place(path, begin), *(_place(*KNOWN[(number + more) % len(KNOWN)][:2]) for more in (3, 5, 7))]
    name = begin.removesuffix("(").split()[-1]
    body = f"Tried it: `{name}` (`{cited[0]}`) is called from three places.\n\n## Where it gets hard\n\n"
    body += "".join(f"- `{place}` takes the old form\n" for place in cited[1:])
    body += f"\n## Open questions\n\n- Who else calls `{name}`?\n"
    _write(folder, f"sct{number:05}", commit, "scout", f"What changing {name} in {path} breaks", tag, at, cited, body)


def _write(
    folder: Path,
    note_id: str,
    commit: str,
    kind: str,
    title: str,
    tag: str,
    at: datetime,
    cited: list[str],
    body: str,
    status: str = "stable",
) -> None:
    citations = "".join(f"\n- {{at: '{place}', verdict: supported}}" for place in cited) or " []"
    text = (
        f"---\nid: {note_id}\ntype: {kind}\ntitle: '{title}'\ndescription: '{title}, in short.'\ntags: [{tag}]\n"
        f"question: 'Is it so that {title[0].lower()}{title[1:]}?'\nstatus: {status}\ncommit: {commit}\n"
        f"generated: {{by: claude/2.1.240 (claude-sonnet-4-5), at: '{at.isoformat(timespec='seconds')}'}}\n"
        f"citations:{citations}\n---\n\n# {title}\n\n{body}"
    )
    (folder / ".claude/notes").mkdir(parents=True, exist_ok=True)
    (folder / f".claude/notes/{note_id}.md").write_text(text)


def _place(path: str, begin: str) -> str:
    first = next(number for number, line in enumerate(FILES[path].splitlines(), 1) if line.lstrip().startswith(begin))
    return f"{path}:{first}-{first + len(_lines(path, begin)) - 1}"


def _lines(path: str, begin: str) -> list[str]:
    """What begins there, up to the next blank line."""
    lines = FILES[path].splitlines()
    first = next(number for number, line in enumerate(lines) if line.lstrip().startswith(begin))
    return lines[first : next((number for number in range(first, len(lines)) if not lines[number]), len(lines))]


def _edit(folder: Path, path: str, old: str, new: str) -> None:
    text = (folder / path).read_text()
    assert old in text
    (folder / path).write_text(text.replace(old, new))


def _commit(folder: Path, message: str, at: datetime) -> str:
    _git(folder, "add", "src", "web")
    _git(folder, "commit", "-q", "-m", message, at=at)
    return _git(folder, "rev-parse", "HEAD").strip()


def _git(folder: Path, *args: str, at: datetime | None = None) -> str:
    who = {
        f"GIT_{role}_{name}": said
        for role in ("AUTHOR", "COMMITTER")
        for name, said in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), *((("DATE", at.isoformat()),) if at else ()))
    }
    done = subprocess.run(["git", *args], cwd=folder, env={**os.environ, **who}, capture_output=True, check=True)
    return done.stdout.decode()
