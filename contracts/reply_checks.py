"""Checks of replies against published schemas; kept separate because tests without a server need no MCP library."""

import json
from functools import cache
from typing import Protocol, cast

from jsonschema import Draft202012Validator

from backends.ports.values import JsonObject


class ReplyCheck(Protocol):
    """Compares replies with a schema."""

    def validate(self, instance: JsonObject) -> None:
        """Raise jsonschema's `ValidationError` for a reply that breaks the schema."""
        ...


def reply_check(schema: JsonObject) -> ReplyCheck:
    """Return a check of replies. Each schema is validated once per run, because that takes longer than checking replies."""
    return _reply_check(json.dumps(schema))


@cache
def _reply_check(text: str) -> ReplyCheck:
    schema: JsonObject = json.loads(text)
    Draft202012Validator.check_schema(schema)
    return cast("ReplyCheck", Draft202012Validator(schema))
