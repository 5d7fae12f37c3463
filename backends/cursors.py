"""Cursors: the sort keys and the id of the last item of a page, as opaque text."""

import base64
from collections.abc import Sequence

import orjson

from backends.ports.errors import InvalidInput

Key = str | int | float | None
Keys = tuple[Key, ...]
"""Sort keys as an engine holds them: booleans may be 0 and 1, None is a missing value."""


def encode(keys: Sequence[object], identifier: str) -> str:
    """Return the cursor that continues after an item, whose keys are of `Key`."""
    return base64.urlsafe_b64encode(orjson.dumps([*keys, identifier])).decode()


def decode(cursor: str, types: Sequence[str]) -> tuple[Keys, str]:
    """Return the sort keys, which are of the fields' `types` or missing, and the id. Raises `InvalidInput`."""
    try:
        parts: Sequence[Key] = orjson.loads(base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True))
        *keys, identifier = parts
        fits = all(_fits(key, kind) for key, kind in zip(keys, types, strict=True))
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"not a cursor of this listing: {cursor[:60]!r}") from error
    if not fits or not isinstance(identifier, str):
        raise InvalidInput(f"not a cursor of this listing: {cursor[:60]!r}")
    return tuple(keys), identifier


def _fits(key: Key, kind: str) -> bool:
    match key:
        case None:
            return True
        case str():
            return kind == "str"
        case _:
            return kind != "str" and type(key) in (int, float)
