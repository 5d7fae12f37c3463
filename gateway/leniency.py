"""Lone surrogates: the protocol's parser refuses the whole request, a tool refuses the argument in its own words."""

import json
from collections.abc import Mapping
from typing import cast

from starlette.types import Message, Scope

from backends.ports.values import Json, JsonObject

_ARGUMENTS = "entrepot.arguments"


def lenient(first: Message, scope: Scope) -> Message:
    """Return a body that can be parsed; the arguments as they were sent stay with the request."""
    body: bytes = first.get("body", b"")
    if b"\\ud" not in body and b"\\uD" not in body:
        return first
    try:
        request: Json = json.loads(body)
    except (ValueError, RecursionError):
        return first
    text = json.dumps(request, ensure_ascii=False)
    mended = text.encode("utf-8", "replace")
    if mended.decode() == text:
        return first
    scope[_ARGUMENTS] = _arguments(request)
    return {**first, "body": mended}


def arguments_of(scope: Scope) -> JsonObject | None:
    """Return the arguments that could not cross as they were sent; None for nearly every request."""
    return cast("JsonObject | None", scope.get(_ARGUMENTS))


def _arguments(request: Json) -> JsonObject | None:
    for step in ("params", "arguments"):
        request = request.get(step) if isinstance(request, Mapping) else None
    return request if isinstance(request, Mapping) else None
