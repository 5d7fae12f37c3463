"""Turns Chroma's errors into the ports' errors, once, in sentences that name the store."""

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

from backends.chroma.driver import BucketGone, BucketTaken
from backends.chroma.files import own_files
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable

_TAKEN: Final = re.compile(r"Collection \[[\w.-]+\] already exists")
"""The server and the embedded engine have different classes for this, but the same words."""
_OF_SQLITE: Final = re.compile(r"error returned from database: \(code: (\d+)\)")
_OF_INDEX: Final = re.compile(r"hnsw (?:index|segment)")
_TROUBLE: Final = frozenset({5, 6, 8, 10, 13, 14})
"""What passes or can be mended: busy, locked, read-only, I/O error, full, cannot be opened. The low byte of a code says it."""
_DAMAGE: Final = frozenset({11, 26})
"""Damaged, and no database at all."""
_KINDS: Sequence[tuple[tuple[type[Exception], ...], type[Exception], str]] = (
    ((httpx.ReadTimeout, httpx.WriteTimeout, TimeoutError), Timeout, "{store} did not answer in time"),
    ((httpx.HTTPError,), Unavailable, "{store} does not answer ({kind} {text}); start it, or correct `uri`"),
    ((NotFoundError,), BucketGone, "{text}"),
    ((UniqueConstraintError,), BucketTaken, "{text}"),
    ((RateLimitError,), Unavailable, "{store} is asked too often: {text}"),
    ((InvalidArgumentError, InvalidDimensionException), InvalidInput, "{store}: {text}"),
    ((ChromaError,), StoreError, "{store}: {text}"),
    ((Exception,), Unavailable, "{store} gave an answer that is none: {text}"),
)
"""The first that fits says what an error becomes."""


@contextmanager
def translated(store: str, folder: Path | None = None) -> Generator[None]:
    """Raise store errors for the driver's; `store` says which one it is about, `folder` where an embedded one lies."""
    try:
        yield
    except (StoreError, BucketGone, BucketTaken):
        raise
    # The client also raises plain exceptions, for answers that it cannot read.
    except Exception as error:
        raise _translate(error, store, folder) from error


def not_opened(error: Exception, folder: Path) -> StoreError:
    """Return the store error for a folder that cannot be opened: it is damaged, unless the error names other trouble."""
    text = str(error)[:300]
    return Unavailable(f"Chroma in {folder}: {text}") if _sqlite_code(text) in _TROUBLE else damaged(folder, text)


def damaged(folder: Path, text: str) -> Unusable:
    """Return the error for a folder that cannot be used; `text` says what was found."""
    return Unusable(
        f"Chroma in {folder} cannot be used ({text}). If it is damaged, stop and run `entrepot rebuild`: it moves its "
        "files aside and fills new ones from the event log",
        replaceable=own_files(folder),
    )


def _sqlite_code(text: str) -> int:
    """Return the primary code of SQLite that an error names, else 0, which means that nothing is wrong."""
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
            return damaged(folder, text)
    became, sentence = next((became, sentence) for kinds, became, sentence in _KINDS if isinstance(error, kinds))
    return became(sentence.format(store=store, kind=type(error).__name__, text=text))
