"""Translates Chroma's errors into the ports' errors, with messages that name the store."""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
from chromadb.errors import (
    ChromaError,
    InvalidArgumentError,
    InvalidDimensionException,
    NotFoundError,
    RateLimitError,
    UniqueConstraintError,
)

from backends.engines.chroma.driver import BucketGone, BucketTaken
from backends.engines.chroma.files import own_files
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable

_TAKEN: Final = re.compile(r"Collection \[[\w.-]+\] already exists")
"""The server and the embedded engine raise different classes with the same message."""
_OF_SQLITE: Final = re.compile(r"error returned from database: \(code: (\d+)\)")
_OF_INDEX: Final = re.compile(r"hnsw (?:index|segment)")
_TROUBLE: Final = frozenset({5, 6, 8, 10, 13, 14})
"""Temporary or repairable: busy, locked, read-only, I/O error, full, cannot open. Compared with the code's low byte."""
_DAMAGE: Final = frozenset({11, 26})
"""Damaged, and not a database."""
_KINDS: Sequence[tuple[tuple[type[Exception], ...], type[Exception], str]] = (
    ((httpx.ReadTimeout, httpx.WriteTimeout, TimeoutError), Timeout, "{store} did not answer in time"),
    ((httpx.HTTPError,), Unavailable, "{store} does not answer ({kind} {text}); start it, or correct `uri`"),
    ((NotFoundError,), BucketGone, "{text}"),
    ((UniqueConstraintError,), BucketTaken, "{text}"),
    ((RateLimitError,), Unavailable, "{store} limits the rate of requests: {text}"),
    ((InvalidArgumentError, InvalidDimensionException), InvalidInput, "{store}: {text}"),
    ((ChromaError,), StoreError, "{store}: {text}"),
    ((Exception,), Unavailable, "{store} gave an invalid response: {text}"),
)
"""What an error becomes; the first match counts."""


@contextmanager
def translated(store: str, folder: Path | None = None) -> Generator[None]:
    """Raise store errors in place of the driver's. `store` names the store; `folder` is an embedded store's folder."""
    try:
        yield
    except (StoreError, BucketGone, BucketTaken):
        raise
    # The client also raises plain exceptions for responses that it cannot parse.
    except Exception as error:
        raise _translate(error, store, folder) from error


def not_opened_error(error: Exception, folder: Path) -> StoreError:
    """Return the store error for a folder that cannot be opened. It counts as damaged unless the error is temporary."""
    text = str(error)[:300]
    return Unavailable(f"Chroma in {folder}: {text}") if _sqlite_code(text) in _TROUBLE else damaged_error(folder, text)


def damaged_error(folder: Path, text: str) -> Unusable:
    """Return the error for an unusable folder. `text` says what was found."""
    return Unusable(
        f"Chroma in {folder} cannot be used ({text}). If it is damaged, stop and run `entrepot rebuild`: it moves its "
        "files aside and fills new ones from the event log",
        replaceable=own_files(folder),
    )


def _sqlite_code(text: str) -> int:
    """Return the primary SQLite error code in a message, 0 if there is none."""
    found = _OF_SQLITE.search(text)
    return int(found[1]) % 256 if found else 0


def _translate(error: Exception, store: str, folder: Path | None) -> Exception:
    text = str(error)[:300]
    if isinstance(error, ChromaError):
        if _TAKEN.fullmatch(text):
            return BucketTaken(text)
        if (code := _sqlite_code(text)) in _TROUBLE:
            return Unavailable(f"{store}: {text}")
        if folder is not None and (code in _DAMAGE or _OF_INDEX.search(text)):
            return damaged_error(folder, text)
    became, sentence = next((became, sentence) for kinds, became, sentence in _KINDS if isinstance(error, kinds))
    return became(sentence.format(store=store, kind=type(error).__name__, text=text))
