"""Replies: from a typed answer to what the gateway sends, and the way out of a handler that cannot answer."""

import json
from typing import Annotated

from pydantic import BaseModel, PlainSerializer, WithJsonSchema

from backends.ports.values import Json, JsonObject
from toolsets.spec import Reply

MAX_SHOWN = 200
"""Characters of a refused value that are shown to the caller."""


class Refused(Exception):
    """A call ends here with an error reply that its toolset has worded."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(str(reply.structured.get("message", "")))
        self.reply = reply


def answer(body: BaseModel, *, meta: JsonObject | None = None) -> Reply:
    """Return a success reply."""
    return Reply(body.model_dump(mode="json"), meta=meta or {})


def number(value: float) -> int | float:
    """Return a whole number without its fraction, as people write it: 90, but 90.5."""
    return int(value) if float(value).is_integer() else value


def shown(value: Json) -> Json:
    """Return `value` short enough to be shown: 200 characters of a text, or of the JSON of anything else.

    Raises `ValueError` when it cannot be written as JSON in UTF-8 (NaN, infinity, a lone surrogate).
    """
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    text.encode()
    if isinstance(value, str):
        return value[:MAX_SHOWN]
    return value if len(text) <= MAX_SHOWN else text[:MAX_SHOWN]


Number = Annotated[float, PlainSerializer(number), WithJsonSchema({"type": "number"})]
"""A number in a reply, printed without a fraction when it has none."""
