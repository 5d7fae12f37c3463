"""Turns the driver's errors into the ports' errors, once, in sentences that name the place."""

import asyncio
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from backends.ports.errors import NotFound, StoreError, Timeout, Unavailable, Unusable

ResultT = TypeVar("ResultT")

_TABLE: Final = r"(?:/[\w.]+\.lance)?"
"""The folder of a table below the place."""
_FOREIGN: Final = re.compile(r"https?://\S+|(?<!\w)'[^']*'")
"""Addresses, with the names of bucket and files in them, and texts in quotation marks, which no apostrophe begins."""


class Raced(Timeout):
    """Another writer came in between; looking again shows what it did."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What it means when the driver's text has one of `signs`: it raises ValueError and RuntimeError for everything."""

    error: type[StoreError]
    sentence: str
    signs: tuple[str, ...]


_DAMAGED: Final = (
    "files there are damaged, missing or not LanceDB's; run `entrepot rebuild`, which moves a folder's tables aside and "
    "fills new ones, or empty the place on an object store"
)
_MEANINGS: Final = (
    _Meaning(NotFound, "a table is not there", ("was not found", "/_versions,")),
    _Meaning(
        Unavailable,
        "the object store refuses the credentials; check access_key, secret_key and what they may do in the bucket",
        ("status: 403", "status: 401", "403 Forbidden", "401 Unauthorized", "AccessDenied"),
    ),
    _Meaning(Unavailable, "there is no such bucket; create it or correct the uri", ("NoSuchBucket",)),
    _Meaning(
        Unavailable, "this user may not read and write there; check the permissions", ("Permission denied", "Read-only")
    ),
    _Meaning(Unavailable, "the disk is full; make room and try again", ("No space left", "Disk quota")),
    _Meaning(
        Unavailable,
        "the object store does not answer as it should; check that it runs and that the endpoint is right",
        ("Generic S3 error", 'store: "S3"'),
    ),
    _Meaning(
        Raced,
        "other processes kept writing for too long; try again",
        ("already exists", "ommit conflict", "oncurrent modification", "oo many concurrent write"),
    ),
    _Meaning(
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


def translate(error: Exception, place: str) -> StoreError:
    """Return the store error for a driver's error; `NotFound` when a whole table is missing."""
    text = str(error)
    own = _own_words(text, place)
    for meaning in _MEANINGS:
        if any(sign in own for sign in meaning.signs):
            sentence = f"{place}: {meaning.sentence}"
            return (
                Unusable(sentence, replaceable=own_tables(place))
                if meaning.error is Unusable
                else meaning.error(sentence)
            )
    if "closed" in own:
        return Unavailable(f"{place} is closed")
    return StoreError(f"{place}: {_brief(text)}")


def damaged(place: str, text: str) -> Unusable:
    """Return the error for tables that cannot be read to their ends; `text` says what was found."""
    return Unusable(f"{place}: {_DAMAGED} ({text})", replaceable=own_tables(place))


def own_tables(place: str) -> tuple[Path, ...]:
    """Return what lies at a place and can be moved away; what an object store has cannot."""
    return () if "://" in place else tuple(sorted(Path(place).glob("*.lance")))


def _own_words(text: str, place: str) -> str:
    """Return a driver's message without places and quoted values, which may hold any of the signs themselves."""
    for written in (place, quote(place)):
        text = re.sub(re.escape(written.lstrip("/")) + _TABLE, "", text)
    return _FOREIGN.sub("", text)


def _brief(text: str) -> str:
    """Return the beginning of a driver's message, which goes on with places in its own source."""
    return next(iter(text.split(", /", 1)[0].splitlines()), "")[:300]


class Calls:
    """Waits for the driver: never longer than agreed, and with the ports' errors."""

    def __init__(self, place: str, timeout_s: float) -> None:
        self.place = place
        self._timeout_s = timeout_s

    async def run(self, work: Awaitable[ResultT], *, timeout_s: float | None = None) -> ResultT:
        """Return what `work` returns. Raises `Timeout` after the agreed time, else what the driver's error means."""
        within = timeout_s or self._timeout_s
        try:
            async with asyncio.timeout(within):
                return await work
        except TimeoutError:
            raise Timeout(f"{self.place} did not answer within {within:g} seconds") from None
        except (ValueError, RuntimeError, OSError) as error:
            raise translate(error, self.place) from error
