"""Turns the driver's errors into the ports' errors, once, in sentences that name the place."""

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from backends.ports.errors import NotFound, StoreError, Timeout, Unavailable, Unusable

ResultT = TypeVar("ResultT")

# The driver raises ValueError, RuntimeError and OSError for everything; only the text tells them apart.
_GONE: Final = ("was not found", "/_versions,", "_versions not found")
_RACED: Final = ("already exists", "ommit conflict", "oncurrent modification", "oo many concurrent writers")
_MEANINGS: Final[tuple[tuple[type[StoreError], str, tuple[str, ...]], ...]] = (
    (
        Unavailable,
        "the object store refuses the credentials; check access_key, secret_key and what they may do in the bucket",
        (
            "status: 403",
            "status: 401",
            "403 Forbidden",
            "401 Unauthorized",
            "AccessDenied",
            "InvalidAccessKeyId",
            "SignatureDoesNotMatch",
            "PermissionDenied",
            "Unauthenticated",
        ),
    ),
    (Unavailable, "there is no such bucket; create it or correct the uri", ("NoSuchBucket",)),
    (Unavailable, "this user may not read and write there; check the permissions", ("Permission denied", "Read-only")),
    (Unavailable, "the disk is full; make room and try again", ("No space left", "Disk quota")),
    (Timeout, "the object store took too long", ("operation timed out", "TimedOut", "imeout expired")),
    (
        Unavailable,
        "the object store does not answer; check that it runs and the endpoint is right",
        ("Generic S3 error", 'store: "S3"', "error sending request", "kind: Connect"),
    ),
    (Timeout, "other processes kept writing for too long; try again", _RACED),
    (
        Unusable,
        "files there are damaged, missing or not LanceDB's; move them away and run `entrepot rebuild`",
        (
            "failed to fill whole buffer",
            "file size is too small",
            "Not found:",
            "walk dir",
            "UnableToWalkDir",
            "Not a directory",
            "magic",
            "Magic",
            "orrupt",
            "decode",
            "protobuf",
            "nvalid range",
            "out of range",
            "not contain",
            "Unable to created lance dataset",
        ),
    ),
)


class Raced(Timeout):
    """Another writer came in between; looking again shows what it did."""


def translate(error: Exception, place: str) -> StoreError:
    """Return the store error for a driver's error; `NotFound` when a whole table is missing."""
    text = str(error)
    if any(sign in text for sign in _GONE):
        return NotFound(f"{place}: a table is not there")
    for kind, sentence, signs in _MEANINGS:
        if any(sign in text for sign in signs):
            meant = Raced if signs is _RACED else kind
            return meant(f"{place}: {sentence} ({_brief(text)})")
    if "is closed" in text or "not open" in text:
        return Unavailable(f"{place} is closed")
    return StoreError(f"{place}: {_brief(text)}")


def _brief(text: str) -> str:
    """Return the first line of a driver's message, without the place in its own source."""
    return text.split(", /", 1)[0].split(", location:", 1)[0].splitlines()[0][:300]


class Calls:
    """Waits for the driver: never longer than agreed, and with the ports' errors."""

    def __init__(self, place: str, timeout_s: float) -> None:
        self.place = place
        self._timeout_s = timeout_s

    async def run(self, work: Awaitable[ResultT], *, timeout_s: float | None = None) -> ResultT:
        """Return what `work` returns. Raises `Timeout` after the agreed time, and what the driver's error means."""
        within = timeout_s or self._timeout_s
        try:
            async with asyncio.timeout(within):
                return await work
        except TimeoutError:
            raise Timeout(f"{self.place} did not answer within {within:g} seconds") from None
        except (ValueError, RuntimeError, OSError) as error:
            raise translate(error, self.place) from error
