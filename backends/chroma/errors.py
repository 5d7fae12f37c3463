"""Turns Chroma's errors into the ports' errors, once, in sentences that name the store."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

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
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable

_TAKEN = "already exists"
"""The server and the embedded engine have different classes for this, but the same words."""
_TROUBLE = ("disk is full", "readonly database", "disk I/O", "unable to open", "database is locked")
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
def translated(store: str) -> Generator[None]:
    """Raise store errors for the driver's; `store` says which one it is about."""
    try:
        yield
    except (StoreError, BucketGone, BucketTaken):
        raise
    # The client also raises plain exceptions, for answers that it cannot read.
    except Exception as error:
        raise _translate(error, store) from error


def _translate(error: Exception, store: str) -> Exception:
    text = str(error)[:300]
    if _TAKEN in text:
        return BucketTaken(text)
    if any(words in text for words in _TROUBLE):
        return Unavailable(f"{store}: {text}")
    became, sentence = next((became, sentence) for kinds, became, sentence in _KINDS if isinstance(error, kinds))
    return became(sentence.format(store=store, kind=type(error).__name__, text=text))
