"""JSON-RPC messages that are refused before parsing, or that the protocol's parser would not answer."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

import mcp_types as wire
import orjson
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from gateway.surrogates import has_lone_surrogate
from gateway.value_limit import MAX_VALUES


def error_reply(code: int, message: str, request: wire.RequestId | None = None) -> wire.JSONRPCError:
    """Return the error reply to a request, or to a message whose id is unknown."""
    return wire.JSONRPCError(jsonrpc="2.0", id=request, error=wire.ErrorData(code=code, message=message))


WRONG_ID = error_reply(wire.INVALID_REQUEST, "The id of a request must be a text or a whole number")
"""The reply to a request whose id the protocol's parser ignores."""
TOO_MANY_VALUES = error_reply(wire.INVALID_REQUEST, f"A message has at most {MAX_VALUES} values")
"""The reply to a message that is not decoded, so its id is unknown."""
NO_JSON = error_reply(wire.PARSE_ERROR, "The message cannot be read as JSON")
"""The reply to what is not JSON, and to JSON that is nested too deeply or has a number that is too long."""
_REQUIRED: Mapping[str, str] = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
"""The parameter, a text, that each method requires."""
MAX_SHOWN = 50
"""The most characters of a header that an error reply repeats."""
BATCH = error_reply(wire.INVALID_REQUEST, "Batches are not served; send each JSON-RPC message by itself")


def problem_of(message: object) -> wire.JSONRPCError | None:
    """Return the error reply to a decoded message that is not valid JSON-RPC, None if it is valid."""
    if isinstance(message, list):
        return BATCH
    if has_wrong_id(message):
        return WRONG_ID
    if not _is_message(message):
        return no_message(message)
    fields = cast("Mapping[str, object]", message)
    return wrong_params(fields.get("method"), fields.get("params"), _id_of(message)) if "id" in fields else None


def wrong_params(method: object, params: object, request: wire.RequestId | None) -> wire.JSONRPCError | None:
    """Return an error reply that names the missing or wrong parameter of a request, None if its parameters are valid."""
    required = _REQUIRED.get(method) if isinstance(method, str) else None
    if required is None:
        return None
    if not isinstance(params, Mapping):
        return error_reply(wire.INVALID_PARAMS, f"params must be an object with {required}", request)
    fields = cast("Mapping[str, object]", params)
    if not isinstance(fields.get(required), str):
        return error_reply(wire.INVALID_PARAMS, f"params.{required} must be a text", request)
    for name in ("arguments", "_meta"):
        if not isinstance(fields.get(name), Mapping | None):
            return error_reply(wire.INVALID_PARAMS, f"params.{name} must be an object", request)
    return None


def wrong_version(sent: Sequence[str], message: object) -> wire.JSONRPCError | None:
    """Return the error reply to a message with these headers MCP-Protocol-Version, None if it has none or a served one."""
    if not sent or (len(sent) == 1 and sent[0] in KNOWN_PROTOCOL_VERSIONS):
        return None
    request = _id_of(message)
    if len(sent) > 1:
        return error_reply(wire.HEADER_MISMATCH, "The header MCP-Protocol-Version was sent more than once", request)
    served = ", ".join(KNOWN_PROTOCOL_VERSIONS)
    error = wire.ErrorData(
        code=wire.UNSUPPORTED_PROTOCOL_VERSION,
        message=f"The version {sent[0][:MAX_SHOWN]!r} of the header MCP-Protocol-Version is not supported; use one of {served}",
        data={"supported": list(KNOWN_PROTOCOL_VERSIONS), "requested": sent[0][:MAX_SHOWN]},
    )
    return wire.JSONRPCError(jsonrpc="2.0", id=request, error=error)


def not_acceptable(message: object, *, has_json: bool, has_stream: bool) -> wire.JSONRPCError | None:
    """Return the error reply to a message whose header Accept lacks a form of the reply, None if it has both it may need."""
    if not has_json:
        return error_reply(wire.INVALID_REQUEST, "The header Accept must have application/json", _id_of(message))
    if not has_stream and isinstance(message, Mapping):
        fields = cast("Mapping[str, object]", message)
        if fields.get("method") == "subscriptions/listen":
            sentence = "The header Accept must have text/event-stream for subscriptions/listen"
            return error_reply(wire.INVALID_REQUEST, sentence, _id_of(message))
    return None


def no_message(decoded: object) -> wire.JSONRPCError:
    """Return the error reply to JSON that is not a JSON-RPC message, with its id if it has one."""
    return error_reply(wire.INVALID_REQUEST, "This is not one JSON-RPC message", _id_of(decoded))


def has_wrong_id(request: object) -> bool:
    """Return whether a decoded message is a request whose id is neither an integer nor a text that UTF-8 can encode."""
    if not isinstance(request, Mapping) or "method" not in request or "id" not in request:
        return False
    return not _is_id(cast("Mapping[str, object]", request)["id"])


def decoded(body: bytes) -> object:
    """Return the JSON of a message, preserving NaN and integers. Raises `ValueError` if it cannot be read."""
    try:
        message: object = orjson.loads(body)
        # orjson reads integers beyond 64 bits as floats.
        return json.loads(body) if has_wrong_id(message) else message
    except ValueError:
        try:
            # orjson refuses NaN and infinity, which a tool refuses in its own form.
            # Decoded first: json guesses the encoding of bytes, but the protocol's parser only accepts UTF-8 without a BOM.
            return json.loads(body.decode())
        except RecursionError:
            raise ValueError("nested too deeply") from None


def _is_message(message: object) -> bool:
    if not isinstance(message, Mapping):
        return False
    fields = cast("Mapping[str, object]", message)
    if fields.get("jsonrpc") != "2.0":
        return False
    if "method" not in fields:
        return _is_response(fields)
    return isinstance(fields["method"], str) and isinstance(fields.get("params", {}), Mapping | None)


def _is_response(fields: Mapping[str, object]) -> bool:
    try:
        wire.jsonrpc_message_adapter.validate_python(fields, by_name=False)
    except ValueError:
        return False
    return True


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return not has_lone_surrogate(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _id_of(decoded: object) -> wire.RequestId | None:
    found = cast("Mapping[str, object]", decoded).get("id") if isinstance(decoded, Mapping) else None
    return cast("wire.RequestId", found) if _is_id(found) else None
