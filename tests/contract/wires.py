"""The four formats that agent programs speak with a model: what a request declares and knows, how an answer looks.

Anthropic Messages, OpenAI Responses and Chat Completions, Gemini generateContent; as one JSON object or as a stream.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

AUTH = frozenset({"authorization", "x-api-key", "x-goog-api-key", "api-key"})
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Tokens:
    input: int = 1200
    output: int = 80
    cached: int = 200


@dataclass(frozen=True)
class Tool:
    """As a request declares it. `free`: it takes text, not an object. `group`: it is one of several under this name."""

    name: str
    schema: Body = field(default_factory=dict)
    free: bool = False
    group: str = ""

    def filled(self, *, path: str, command: str, content: str, pattern: str) -> dict[str, Any]:
        """Arguments, by what parameters are usually called; other required ones get some value of their type."""
        usual = {
            **dict.fromkeys(("file_path", "path", "absolute_path", "filename", "file"), path),
            **dict.fromkeys(("command", "cmd", "script"), command),
            **dict.fromkeys(("content", "contents", "file_text"), content),
            **dict.fromkeys(("pattern", "query", "regex"), pattern),
        }
        if "pattern" in self.schema.get("properties", {}):
            usual = {name: value for name, value in usual.items() if value != path}  # the whole checkout is searched
        needed = self.schema.get("required", ())
        blank = {"string": ".", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}
        filled: dict[str, Any] = {}
        for name, kind in self.schema.get("properties", {}).items():
            if usual.get(name):
                filled[name] = ["bash", "-c", usual[name]] if kind.get("type") == "array" else usual[name]
            elif name in needed:
                filled[name] = blank.get(str(kind.get("type")), ".")
        return filled


@dataclass(frozen=True)
class Call:
    tool: Tool
    arguments: Any


@dataclass
class Turn:
    """What the model says: text, a call, both or nothing."""

    number: int
    text: str = ""
    call: Call | None = None
    used: Tokens = Tokens()

    @property
    def pieces(self) -> list[str]:
        """The text as it streams."""
        return re.findall(r".{1,40}", self.text, re.DOTALL)

    @property
    def id(self) -> str:
        return f"call_{self.number}"

    @property
    def arguments(self) -> str:
        assert self.call
        return self.call.arguments if isinstance(self.call.arguments, str) else json.dumps(self.call.arguments)


def strings(value: Any) -> Iterator[str]:
    """All strings in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def sse(said: Any, event: str = "") -> str:
    text = said if isinstance(said, str) else json.dumps(said)
    return (f"event: {event}\n" if event else "") + f"data: {text}\n\n"


@dataclass(frozen=True)
class Wire:
    """One format. `streams` and `model` where the address, not the body, says so."""

    streams: bool = False
    model: str = ""

    def streaming(self, body: Body) -> Wire:
        return replace(self, streams=self.streams or bool(body.get("stream")))

    def items(self, body: Body) -> list[Body]:
        """What has been said so far, a message or an item each."""
        return [one for one in body.get("messages") or [] if isinstance(one, dict)]

    def results(self, body: Body) -> list[Any]:
        """What tools gave back so far."""
        raise NotImplementedError

    def turn(self, body: Body) -> int:
        return len(self.results(body))

    def printed(self, body: Body) -> str:
        """What the last tool gave back, as text."""
        return "\n".join(strings(self.results(body)[-1:]))

    def asked_again(self, body: Body) -> bool:
        """A person spoke after tools were used: the session was resumed."""
        said = [one for one in self.items(body) if one.get("role") == "user" and "type" not in one]
        return bool(self.results(body)) and bool(said) and said[-1] is self.items(body)[-1]

    def tools(self, body: Body) -> list[Tool]:
        raise NotImplementedError

    def error(self, status: int) -> Body:
        raise NotImplementedError

    def whole(self, body: Body, turn: Turn) -> Any:
        raise NotImplementedError

    def frames(self, body: Body, turn: Turn) -> Iterator[str]:
        raise NotImplementedError


class Anthropic(Wire):
    def _blocks(self, body: Body) -> list[tuple[Body, Body]]:
        return [
            (message, block)
            for message in self.items(body)
            for block in (message["content"] if isinstance(message.get("content"), list) else [])
        ]

    def results(self, body: Body) -> list[Any]:
        return [block.get("content") for _, block in self._blocks(body) if block.get("type") == "tool_result"]

    def asked_again(self, body: Body) -> bool:
        last = self.items(body)[-1]
        with_results = {id(message) for message, block in self._blocks(body) if block.get("type") == "tool_result"}
        return bool(with_results) and last.get("role") == "user" and id(last) not in with_results

    def tools(self, body: Body) -> list[Tool]:
        return [Tool(one["name"], one.get("input_schema") or {}) for one in body.get("tools") or [] if "name" in one]

    def error(self, status: int) -> Body:
        kinds = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error"}
        kinds |= {404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        said = "invalid x-api-key" if status == 401 else f"scripted failure {status}"
        return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": said}}

    def _usage(self, turn: Turn, output: int) -> Body:
        return {
            "input_tokens": turn.used.input,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": turn.used.cached,
            "output_tokens": output,
        }

    def _message(self, body: Body, turn: Turn, content: list[Any], stop: str | None, output: int) -> Body:
        return {
            "id": f"msg_{turn.number}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": self._usage(turn, output),
        }

    def _content(self, turn: Turn) -> list[dict[str, Any]]:
        said: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
        if turn.call:
            used = {"type": "tool_use", "id": f"toolu_{turn.number}", "name": turn.call.tool.name}
            said.append({**used, "input": turn.call.arguments})
        return said

    def whole(self, body: Body, turn: Turn) -> Any:
        stop = "tool_use" if turn.call else "end_turn"
        return self._message(body, turn, self._content(turn), stop, turn.used.output)

    def frames(self, body: Body, turn: Turn) -> Iterator[str]:
        def event(kind: str, **more: Any) -> str:
            return sse({"type": kind, **more}, kind)

        yield event("message_start", message=self._message(body, turn, [], None, 1))
        for index, block in enumerate(self._content(turn)):
            if block["type"] == "text":
                start, deltas = {**block, "text": ""}, [{"type": "text_delta", "text": one} for one in turn.pieces]
            else:
                start, deltas = {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": turn.arguments}]
            yield event("content_block_start", index=index, content_block=start)
            for delta in deltas:
                yield event("content_block_delta", index=index, delta=delta)
            yield event("content_block_stop", index=index)
        stop = {"stop_reason": "tool_use" if turn.call else "end_turn", "stop_sequence": None}
        yield event("message_delta", delta=stop, usage=self._usage(turn, turn.used.output))
        yield event("message_stop")


def _openai_error(status: int) -> Body:
    kinds = {400: "invalid_request_error", 401: "invalid_request_error", 429: "rate_limit_exceeded"}
    said = {401: "Incorrect API key provided.", 429: "Rate limit reached. Please try again in 1s."}
    kind = kinds.get(status, "server_error")
    code = {401: "invalid_api_key", 429: "rate_limit_exceeded"}.get(status)
    return {
        "error": {"type": kind, "code": code, "message": said.get(status, f"scripted failure {status}"), "param": None}
    }


class Responses(Wire):
    def items(self, body: Body) -> list[Body]:
        said = body.get("input")
        return [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []

    def results(self, body: Body) -> list[Any]:
        return [one.get("output") for one in self.items(body) if str(one.get("type")).endswith("_call_output")]

    def asked_again(self, body: Body) -> bool:
        items = self.items(body)
        asked = [place for place, one in enumerate(items) if one.get("role") == "user"]
        told = [place for place, one in enumerate(items) if str(one.get("type")).endswith("_call_output")]
        return bool(told and asked) and asked[-1] > told[-1]

    def tools(self, body: Body) -> list[Tool]:
        found: list[Tool] = []
        todo = [*(body.get("tools") or []), *(one for item in self.items(body) for one in item.get("tools") or [])]
        for one in todo:
            todo.extend({**each, "group": one["name"]} for each in one.get("tools") or [])  # a namespace
            if one.get("type") in ("function", "custom"):
                made = Tool(one["name"], one.get("parameters") or {}, one["type"] == "custom", one.get("group", ""))
                found.append(made)
        return found

    def error(self, status: int) -> Body:
        return _openai_error(status)

    def _items(self, turn: Turn) -> list[dict[str, Any]]:
        said: list[dict[str, Any]] = []
        if turn.text:
            content = [{"type": "output_text", "text": turn.text, "annotations": []}]
            said.append({"type": "message", "id": f"msg_{turn.number}", "role": "assistant", "content": content})
        if turn.call and turn.call.tool.free:
            said.append({"type": "custom_tool_call", "id": f"ctc_{turn.number}", "input": turn.arguments})
        elif turn.call:
            said.append({"type": "function_call", "id": f"fc_{turn.number}", "arguments": turn.arguments})
        if turn.call:
            said[-1] |= {"call_id": turn.id, "name": turn.call.tool.name}
            if turn.call.tool.group:
                said[-1]["namespace"] = turn.call.tool.group
        return [{**one, "status": "completed"} for one in said]

    def _response(self, body: Body, turn: Turn, status: str) -> dict[str, Any]:
        used = turn.used
        usage = {
            "input_tokens": used.input,
            "input_tokens_details": {"cached_tokens": used.cached},
            "output_tokens": used.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used.input + used.output,
        }
        done = status == "completed"
        said: dict[str, Any] = {"id": f"resp_{turn.number}", "object": "response", "created_at": 1_700_000_000}
        said |= {"status": status, "model": body.get("model"), "error": None, "incomplete_details": None, "tools": []}
        return said | {"output": self._items(turn) if done else [], "usage": usage if done else None}

    def whole(self, body: Body, turn: Turn) -> Any:
        return self._response(body, turn, "completed")

    def frames(self, body: Body, turn: Turn) -> Iterator[str]:
        count = itertools.count()

        def event(kind: str, **more: Any) -> str:
            return sse({"type": f"response.{kind}", "sequence_number": next(count), **more}, f"response.{kind}")

        yield event("created", response=self._response(body, turn, "in_progress"))
        for index, item in enumerate(self._items(turn)):
            blank = {key: [] if key == "content" else "" for key in ("content", "arguments", "input") if key in item}
            at = {"output_index": index, "item_id": item["id"]}
            yield event("output_item.added", output_index=index, item={**item, **blank, "status": "in_progress"})
            if item["type"] == "message":
                part = item["content"][0]
                yield event("content_part.added", **at, content_index=0, part={**part, "text": ""})
                for one in turn.pieces:
                    yield event("output_text.delta", **at, content_index=0, delta=one)
                yield event("output_text.done", **at, content_index=0, text=turn.text)
                yield event("content_part.done", **at, content_index=0, part=part)
            elif item["type"] == "function_call":
                yield event("function_call_arguments.delta", **at, delta=item["arguments"])
                yield event("function_call_arguments.done", **at, arguments=item["arguments"])
            yield event("output_item.done", output_index=index, item=item)
        yield event("completed", response=self._response(body, turn, "completed"))


class Chat(Wire):
    def results(self, body: Body) -> list[Any]:
        return [one.get("content") for one in self.items(body) if one.get("role") == "tool"]

    def tools(self, body: Body) -> list[Tool]:
        declared = [one["function"] for one in body.get("tools") or [] if one.get("type") == "function"]
        return [Tool(one["name"], one.get("parameters") or {}) for one in declared]

    def error(self, status: int) -> Body:
        return _openai_error(status)

    def _calls(self, turn: Turn) -> list[dict[str, Any]]:
        if not turn.call:
            return []
        called = {"name": turn.call.tool.name, "arguments": turn.arguments}
        return [{"index": 0, "id": turn.id, "type": "function", "function": called}]

    def _object(self, body: Body, kind: str, choice: Body | None, **more: Any) -> Body:
        said = {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": body.get("model")}
        return {**said, "choices": [{"index": 0, **choice}] if choice else [], **more}

    def _usage(self, turn: Turn) -> Body:
        total = turn.used.input + turn.used.output
        return {"prompt_tokens": turn.used.input, "completion_tokens": turn.used.output, "total_tokens": total}

    def whole(self, body: Body, turn: Turn) -> Any:
        message = {"role": "assistant", "content": turn.text or None}
        message |= {"tool_calls": self._calls(turn)} if turn.call else {}
        choice = {"message": message, "finish_reason": "tool_calls" if turn.call else "stop"}
        return self._object(body, "chat.completion", choice, usage=self._usage(turn))

    def frames(self, body: Body, turn: Turn) -> Iterator[str]:
        def chunk(delta: Body, finish: str | None = None) -> str:
            return sse(self._object(body, "chat.completion.chunk", {"delta": delta, "finish_reason": finish}))

        yield chunk({"role": "assistant", "content": ""})
        for one in turn.pieces:
            yield chunk({"content": one})
        if turn.call:
            yield chunk({"tool_calls": self._calls(turn)})
        yield chunk({}, "tool_calls" if turn.call else "stop")
        yield sse(self._object(body, "chat.completion.chunk", None, usage=self._usage(turn)))
        yield sse("[DONE]")


class Gemini(Wire):
    def items(self, body: Body) -> list[Body]:
        return [one for one in body.get("contents") or [] if isinstance(one, dict)]

    def results(self, body: Body) -> list[Any]:
        parts = [part for item in self.items(body) for part in item.get("parts") or []]
        return [part["functionResponse"].get("response") for part in parts if "functionResponse" in part]

    def asked_again(self, body: Body) -> bool:
        last = self.items(body)[-1]
        parts = last.get("parts") or []
        return bool(self.results(body)) and last.get("role") == "user" and all("text" in part for part in parts)

    def tools(self, body: Body) -> list[Tool]:
        declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
        return [Tool(one["name"], one.get("parametersJsonSchema") or one.get("parameters") or {}) for one in declared]

    def error(self, status: int) -> Body:
        names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
        names |= {429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
        said = "API key not valid. Please pass a valid API key." if status == 401 else f"scripted failure {status}"
        return {"error": {"code": status, "message": said, "status": names.get(status, "INTERNAL")}}

    def _part(self, body: Body, turn: Turn, parts: list[Any], *, last: bool) -> Body:
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0} | (
            {"finishReason": "STOP"} if last else {}
        )
        said: dict[str, Any] = {"candidates": [candidate], "modelVersion": self.model}
        if last:
            used = turn.used
            said["usageMetadata"] = {
                "promptTokenCount": used.input,
                "candidatesTokenCount": used.output,
                "cachedContentTokenCount": used.cached,
                "totalTokenCount": used.input + used.output,
            }
        return said

    def _called(self, turn: Turn) -> list[Any]:
        if not turn.call:
            return []
        return [{"functionCall": {"id": turn.id, "name": turn.call.tool.name, "args": turn.call.arguments}}]

    def whole(self, body: Body, turn: Turn) -> Any:
        return self._part(body, turn, [*([{"text": turn.text}] if turn.text else []), *self._called(turn)], last=True)

    def frames(self, body: Body, turn: Turn) -> Iterator[str]:
        for one in turn.pieces:
            yield sse(self._part(body, turn, [{"text": one}], last=False))
        yield sse(self._part(body, turn, self._called(turn), last=True))


COUNTING = Wire()


def of(path: str, query: str) -> Wire | None:
    """The format of what is sent to an address; None where there is none."""
    if path.endswith(("/count_tokens", ":countTokens")):
        return COUNTING
    for end, wire in (("/messages", Anthropic()), ("/responses", Responses()), ("/chat/completions", Chat())):
        if path.endswith(end):
            return wire
    found = re.search(r"/models/([^/:]+):(generateContent|streamGenerateContent)$", path)
    if not found:
        return None
    return Gemini(streams=found[2].startswith("stream") and "alt=sse" in query, model=found[1])
