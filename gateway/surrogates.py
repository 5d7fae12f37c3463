"""Lone surrogates, which UTF-8 cannot encode: a tool refuses such an argument, and a reply is sent without them."""

import json
from collections.abc import Mapping
from typing import TypeVar, cast

import anyio.to_thread
import orjson
from starlette.types import Message, Scope

from backends.ports.values import Json, JsonObject

_ARGUMENTS = "entrepot.arguments"

JsonT = TypeVar("JsonT", bound=Json)


async def replace_lone_surrogates(first: Message, scope: Scope) -> Message:
    """Return a body that the protocol's parser accepts, and keep the original arguments in the request's scope."""
    body: bytes = first.get("body", b"")
    if b"\\ud" not in body and b"\\uD" not in body:
        return first
    # Several passes over a body of megabytes: in a thread, so that other requests are served between them.
    return await anyio.to_thread.run_sync(_replaced, first, body, scope)


def has_lone_surrogate(text: str) -> bool:
    """Return whether UTF-8 cannot encode a text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _replaced(first: Message, body: bytes, scope: Scope) -> Message:
    try:
        request: Json = json.loads(body.decode())
    except (ValueError, RecursionError):
        return first
    if isinstance(request, dict) and isinstance(sent := request.get("id"), str) and has_lone_surrogate(sent):
        # It could not be sent back, so the request is refused as one with a wrong id.
        request = {**request, "id": None}
    text = json.dumps(request, ensure_ascii=False)
    replaced = text.encode("utf-8", "replace")
    if replaced.decode() == text:
        return first
    scope[_ARGUMENTS] = _arguments(request)
    return {**first, "body": replaced}


def arguments_of(scope: Scope) -> JsonObject | None:
    """Return the original arguments of a request whose body was changed, None for nearly every request."""
    return cast("JsonObject | None", scope.get(_ARGUMENTS))


def encoded(value: JsonT) -> tuple[bytes, JsonT]:
    """Return a reply as JSON text and as a value; lone surrogates become question marks in both."""
    try:
        return orjson.dumps(value), value
    except orjson.JSONEncodeError:
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return text, cast("JsonT", json.loads(text))


def _arguments(request: Json) -> JsonObject | None:
    for step in ("params", "arguments"):
        request = request.get(step) if isinstance(request, Mapping) else None
    return request if isinstance(request, Mapping) else None
