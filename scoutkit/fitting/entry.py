"""An entry of a JSON file: put in behind the others, in the file's own layout, and taken out again to the byte.

JSON has no comments that could mark what is ours, so the entry itself does: it is ours while it is as we write it.
Objects and lists that had to be made for it begin with a blank or a line end; one that was there, and empty, gets the
entry right behind its bracket. A file that was not there begins with a bracket and a line end, one that was empty with
a bracket and a blank.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scoutkit.errors import Refused
from scoutkit.fitting.fitted import Fitted, decoded, encoded, line_end
from scoutkit.fitting.jsontext import Document, Value

_ONE = re.compile(r'\[\s+("[^"\\]*")\s+\]')  # a list of one text: formatters have it in one line


@dataclass(frozen=True, slots=True)
class Entry:
    """`path` leads to an object or a list; `key` is the name of the entry there, or None for one more of the list."""

    name: str
    path: tuple[str, ...]
    key: str | None
    value: Any
    akin: Callable[[Any], bool] = lambda _value: False  # of an entry of a list: ours, but changed by somebody
    comments: bool = False

    def fit(self, raw: bytes | None) -> Fitted:
        if raw is None:
            return Fitted(f"{self._rendered(self._whole(), '', '  ', chr(10))}\n".encode(), "added")
        bom, text = decoded(raw, self.name)
        if not text.strip():
            return Fitted(encoded(bom, self._rendered(self._whole(), None, "", "") + text), "added")
        document = self._read(text)
        if there := self._there(document):
            own = "with other settings than scoutkit's: left as they are"
            return Fitted(raw, "there", "" if there[1] else own)
        put_in = self._put_in(document)
        if not _same(self._read(put_in).data, self._expected(document.data)) or self._taken_out(put_in) != text:
            raise Refused(f"{self.name} has no place for scoutkit's entry that could be taken out again", self._hint())
        return Fitted(encoded(bom, put_in), "added")

    def unfit(self, raw: bytes) -> Fitted:
        bom, text = decoded(raw, self.name)
        if not text.strip():
            return Fitted(raw, "there")
        there = self._there(document := self._read(text))
        if not there:
            return Fitted(raw, "there")
        if not there[1]:
            return Fitted(raw, "left", "scoutkit's entry was changed: delete it by hand")
        rest = self._taken_out(text)
        made = text[document.root.start + 1] in "\r\n" and not rest.strip() and not bom
        return Fitted(None if made else encoded(bom, rest), "removed", rest=b"{}\n")

    def _read(self, text: str) -> Document:
        try:
            document = Document.read(text, comments=self.comments)
        except ValueError as error:
            where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
            raise Refused(f"{self.name} is not valid JSON{where}", "mend it, and run this again") from error
        if not isinstance(document.data, dict):
            raise Refused(f"{self.name} holds no JSON object", "mend it, and run this again")
        return document

    def _there(self, document: Document) -> tuple[Value, bool] | None:
        """Our entry, and whether it is as we write it."""
        data, place = document.data, document.root
        for position, name in enumerate(self.path):
            if name not in data:
                return None
            data, inner = data[name], place.get(name)
            kind = list if self.key is None and position == len(self.path) - 1 else dict
            if not isinstance(data, kind) or inner is None:
                what = "list" if kind is list else "object"
                raise Refused(f"{self.name}: {'.'.join(self.path[: position + 1])} is no {what}", self._hint())
            place = inner
        if self.key is not None:
            value = place.get(self.key)
            return (value, _same(data[self.key], self.value)) if value else None
        ours = [position for position, one in enumerate(data) if _same(one, self.value)]
        akin = [position for position, one in enumerate(data) if self.akin(one)]
        value = place.get((ours or akin or [-1])[0])
        return (value, bool(ours)) if value else None

    def _put_in(self, document: Document) -> str:
        text, place, path = document.text, document.root, list(self.path)
        while path and (inner := place.get(path[0])):
            place = inner
            path.pop(0)
        key, value = self.key, self.value
        if path:
            value = [value] if key is None else {key: value}
            for name in reversed(path[1:]):
                value = {name: value}
            key = path[0]
        if not place.members:
            at = place.start + 1
            return f"{text[:at]}{_member(key, self._rendered(value, None, '', ''))}{text[at:]}"
        eol = line_end(text)
        last = place.members[-1]
        lead = text[text.rfind("\n", 0, last[1]) + 1 : last[1]]
        indent = lead if not lead.strip() and "\n" in text[place.start : last[1]] else None
        rendered = self._rendered(value, indent, self._unit(document), eol)
        blank = " " if indent is None else f"{eol}{indent}"
        comma = last[2].end
        at = max(document.before(place.end - 1)[1], comma)  # behind a comment
        return f"{text[:comma]},{text[comma:at]}{blank}{_member(key, rendered)}{text[at:]}"

    def _taken_out(self, text: str) -> str:
        document = Document.read(text, comments=self.comments)
        there = self._there(document)
        if there is None:
            return text
        chain = [document.root]
        for name in self.path:
            chain.append(chain[-1].get(name) or chain[-1])
        target = there[0]
        while chain:
            place = chain.pop()
            if len(place.members) > 1:
                return _without_one_of_many(document, place, target)
            if not text[place.start + 1].isspace():  # it was there, and empty
                return text[: place.start + 1] + text[target.end :]
            target = place
        rest = text[target.end :]
        return text[: target.start] + (rest.lstrip() if text[target.start + 1] in "\r\n" else rest)

    def _expected(self, data: Any) -> Any:
        expected = copy.deepcopy(data)
        place = expected
        for position, name in enumerate(self.path):
            last = self.key is None and position == len(self.path) - 1
            place = place.setdefault(name, [] if last else {})
        if self.key is None:
            place.append(self.value)
        else:
            place[self.key] = self.value
        return expected

    def _whole(self) -> Any:
        return self._expected({})

    def _rendered(self, value: Any, indent: str | None, unit: str, eol: str) -> str:
        """In lines, or in one where `indent` is None: with blanks inside the brackets that we make ourselves."""
        if indent is not None:
            lines = json.dumps(value, indent=unit, ensure_ascii=False)
            return _ONE.sub(r"[\1]", lines).replace("\n", f"{eol}{indent}")
        if value == self.value:
            return _flat(value)
        if isinstance(value, list):
            return f"[ {self._rendered(value[0], None, unit, eol)} ]"
        if isinstance(value, dict):
            inside = (f"{json.dumps(name)}: {self._rendered(one, None, unit, eol)}" for name, one in value.items())
            return f"{{ {', '.join(inside)} }}"
        return _flat(value)

    def _unit(self, document: Document) -> str:
        lead = re.match(r"\s*\n([ \t]+)\S", document.text[document.root.start + 1 :])
        return lead[1] if lead else "  "

    def _hint(self) -> str:
        place = ".".join((*self.path, *([self.key] if self.key else [])))
        return f"add it by hand under {place}: {_flat(self.value)}"


def _without_one_of_many(document: Document, place: Value, target: Value) -> str:
    text = document.text
    position = next(number for number, member in enumerate(place.members) if member[2] is target)
    start = place.members[position][1]
    if position == 0:
        following = place.members[1][1]
        return text[:start] + text[following:]
    comma = next(a for a, _ in document.tokens if a >= place.members[position - 1][2].end and text[a] == ",")
    before = document.before(start)[1]
    return text[:comma] + text[comma + 1 : before] + text[target.end :]


def _member(key: str | None, rendered: str) -> str:
    return rendered if key is None else f"{json.dumps(key)}: {rendered}"


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
