"""JSON-RPC messages that are refused before the protocol's parser reads them, or that it would leave without an answer."""

import json
from collections.abc import Mapping
from typing import cast

import mcp_types as wire
import orjson

from gateway.excess import MAX_VALUES


def error_reply(code: int, message: str, request: wire.RequestId | None = None) -> wire.JSONRPCError:
    """Return the error that answers a request, or a message whose id is not known."""
    return wire.JSONRPCError(jsonrpc="2.0", id=request, error=wire.ErrorData(code=code, message=message))


WRONG_ID = error_reply(wire.INVALID_REQUEST, "The id of a request must be a text or a whole number")
"""The answer to a request whose id the protocol's parser takes for none."""
TOO_MANY_VALUES = error_reply(wire.INVALID_REQUEST, f"A message has at most {MAX_VALUES} values")
"""The answer to a message that is not decoded, so that its id is not known."""
NO_JSON = error_reply(wire.PARSE_ERROR, "The message is not JSON")
BATCH = error_reply(wire.INVALID_REQUEST, "Batches are not served; send each JSON-RPC message by itself")


def problem_of(message: object) -> wire.JSONRPCError | None:
    """Return the answer to a decoded message that is no JSON-RPC request, notification or response; None for one that is."""
    if isinstance(message, list):
        return BATCH
    if has_wrong_id(message):
        return WRONG_ID
    return None if _is_message(message) else no_message(message)


def no_message(decoded: object) -> wire.JSONRPCError:
    """Return the answer to JSON that is no JSON-RPC message, with its id where it has one."""
    return error_reply(wire.INVALID_REQUEST, "This is not one JSON-RPC message", _id_of(decoded))


def has_wrong_id(request: object) -> bool:
    """Say whether a decoded message is a request with an id that is neither a text nor a whole number, such as null or NaN."""
    if not isinstance(request, Mapping) or "method" not in request or "id" not in request:
        return False
    return not _is_id(cast("Mapping[str, object]", request)["id"])


def decoded(body: bytes) -> object:
    """Return the JSON of a message, with NaN and whole numbers of any size as they are. Raises `ValueError` for no JSON."""
    try:
        message: object = orjson.loads(body)
        # orjson reads whole numbers beyond 64 bits as floats.
        return json.loads(body) if has_wrong_id(message) else message
    except ValueError:
        try:
            # orjson refuses NaN and infinity, which a tool refuses in its own words.
            return json.loads(body)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def _is_message(message: object) -> bool:
    if not isinstance(message, Mapping):
        return False
    fields = cast("Mapping[str, object]", message)
    if fields.get("jsonrpc") != "2.0":
        return False
    if "method" not in fields:
        return "result" in fields or "error" in fields
    return isinstance(fields["method"], str) and isinstance(fields.get("params", {}), Mapping | None)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _id_of(decoded: object) -> wire.RequestId | None:
    found = cast("Mapping[str, object]", decoded).get("id") if isinstance(decoded, Mapping) else None
    return cast("wire.RequestId", found) if _is_id(found) else None
