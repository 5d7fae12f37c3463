"""JSON-RPC requests that are refused before the protocol's parser reads them, or that it would leave without an answer."""

import json
from collections.abc import Mapping
from typing import cast

import mcp_types as wire
import orjson

from gateway.excess import MAX_VALUES

WRONG_ID = wire.JSONRPCError(
    jsonrpc="2.0",
    id=None,
    error=wire.ErrorData(code=wire.INVALID_REQUEST, message="The id of a request must be a text or a whole number"),
)
"""The answer to a request whose id the protocol's parser takes for none."""
TOO_MANY_VALUES = wire.JSONRPCError(
    jsonrpc="2.0",
    id=None,
    error=wire.ErrorData(code=wire.INVALID_REQUEST, message=f"A message has at most {MAX_VALUES} values"),
)
"""The answer to a message that is not decoded, so that its id is not known."""


def has_wrong_id(request: object) -> bool:
    """Say whether a decoded message is a request with an id that is null, fractional, boolean, an object or an array."""
    if not isinstance(request, Mapping) or "method" not in request or "id" not in request:
        return False
    sent = cast("Mapping[str, object]", request)["id"]
    return not isinstance(sent, str | int) or isinstance(sent, bool)


def decoded(body: bytes) -> object:
    """Return the JSON of a message, None where it is not JSON. Whole numbers of any size stay whole."""
    try:
        message: object = orjson.loads(body)
        # orjson reads whole numbers beyond 64 bits as floats.
        return json.loads(body) if has_wrong_id(message) else message
    except (ValueError, RecursionError):
        return None
