"""Translates the driver's errors into the ports' errors, with messages that name the folder or URI."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from backends.ports.errors import NotFound, StoreError, Timeout, Unavailable, Unusable

_TABLE: Final = r"(?:/[\w.]+\.lance)?"
"""A table's folder in a store's folder."""
_FOREIGN: Final = re.compile(r"https?://\S+|(?<!\w)'[^']*'")
"""Addresses, including bucket and file names, and quoted texts; an apostrophe inside a word does not start a quotation."""


class CommitConflict(Timeout):
    """Another writer committed first. The same call sees its changes when repeated."""


@dataclass(frozen=True, slots=True)
class _Translation:
    """The error for a driver error whose text contains one of `signs`; its types are only ValueError and RuntimeError."""

    error: type[StoreError]
    sentence: str
    signs: tuple[str, ...]


_DAMAGED: Final = (
    "files there are damaged, missing or not LanceDB's; run `entrepot rebuild`, which moves a folder's tables aside and "
    "fills new ones, or empty the place on an object store"
)
_TRANSLATIONS: Final = (
    _Translation(NotFound, "a table is not there", ("was not found", "/_versions,")),
    _Translation(
        Unavailable,
        "the object store refuses the credentials; check access_key, secret_key and what they may do in the bucket",
        ("status: 403", "status: 401", "403 Forbidden", "401 Unauthorized", "AccessDenied"),
    ),
    _Translation(Unavailable, "there is no such bucket; create it or correct the uri", ("NoSuchBucket",)),
    _Translation(
        Unavailable, "this user may not read and write there; check the permissions", ("Permission denied", "Read-only")
    ),
    _Translation(Unavailable, "the disk is full; make room and try again", ("No space left", "Disk quota")),
    _Translation(
        Unavailable,
        "the object store does not answer as expected; check that it runs and that the endpoint is correct",
        ("Generic S3 error", 'store: "S3"'),
    ),
    _Translation(
        CommitConflict,
        "other processes did not stop writing in time; try again",
        (
            "already exists",
            "ommit conflict",
            "oncurrent modification",
            "oo many concurrent write",
            "ncompatible transaction",
        ),
    ),
    _Translation(
        Unusable,
        _DAMAGED,
        (
            "failed to fill whole buffer",
            "file size is too small",
            "Not found:",
            "walk dir",
            "UnableToWalkDir",
            "Unable to created lance dataset",
            "magic",
            "Magic",
            "orrupt",
            "decod",
            "range end index",
        ),
    ),
)


def translate(error: Exception, location: str) -> StoreError:
    """Return the store error for a driver's error; `NotFound` if a whole table is missing."""
    text = str(error)
    own = _own_words(text, location)
    for translation in _TRANSLATIONS:
        if any(sign in own for sign in translation.signs):
            sentence = f"{location}: {translation.sentence}"
            return (
                Unusable(sentence, replaceable=own_tables(location))
                if translation.error is Unusable
                else translation.error(sentence)
            )
    if "closed" in own:
        return Unavailable(f"{location} is closed")
    return StoreError(f"{location}: {_brief(text)}")


def damaged_error(location: str, text: str) -> Unusable:
    """Return the error for unreadable tables. `text` says what was found."""
    return Unusable(f"{location}: {_DAMAGED} ({text})", replaceable=own_tables(location))


def own_tables(location: str) -> tuple[Path, ...]:
    """Return the tables in a folder, which can be moved away; none for an object store."""
    return () if "://" in location else tuple(sorted(Path(location).glob("*.lance")))


def _own_words(text: str, location: str) -> str:
    """Return a driver's message without paths and quoted values, which may contain any of the signs."""
    for written in (location, quote(location)):
        text = re.sub(re.escape(written.lstrip("/")) + _TABLE, "", text)
    return _FOREIGN.sub("", text)


def _brief(text: str) -> str:
    """Return the start of a driver's message, without the positions in its source code that follow."""
    return next(iter(text.split(", /", 1)[0].splitlines()), "")[:300]
