"""Cursors: the sort keys and the id of the last item of a page, encoded as opaque text."""

import base64
from collections.abc import Sequence
from typing import TypeAlias

import orjson

from backends.ports.errors import InvalidInput

Key: TypeAlias = str | int | float | None
"""A sort key; a boolean is 0 or 1, None is a missing value."""
Keys: TypeAlias = tuple[Key, ...]
"""The sort keys of an item, in the order of the listing's sort keys; empty for a listing by id."""


def encode(keys: Sequence[object], identifier: str) -> str:
    """Return the cursor that continues after the item with this id and these sort keys, each a `Key` or a boolean."""
    plain = [int(key) if isinstance(key, bool) else key for key in keys]
    return base64.urlsafe_b64encode(orjson.dumps([*plain, identifier])).decode()


def decode(cursor: str, types: Sequence[str]) -> tuple[Keys, str]:
    """Return the sort keys and the id that `encode` was given; `types` are the types of the fields sorted by, in order.

    Raises `InvalidInput` for any other text and for keys of other types.
    """
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
