"""Errors of handlers: what stores and the log raise during a call becomes the `ToolError` of a toolset."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeAlias

from backends.ports.errors import Conflict, StoreError
from backends.ports.values import Json
from toolsets.replies import UNFORESEEN
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.commit import UnknownOutcome
from toolsets.spec import ToolError

Translation: TypeAlias = Callable[[Exception], ToolError]
"""Makes the `ToolError` of a call out of what a store or the log raised."""

UNKNOWN_OUTCOME = "the event log did not answer; the change may have been recorded, so check before you repeat the call"
_LOST_RACE = "other calls changed the same data at the same time; nothing was written, so try again"

_logger = logging.getLogger(__name__)


def failure(code: str, during: str, error: Exception, **details: Json) -> ToolError:
    """Return the error of a call whose store failed, and log the store's own text, which may name files and hosts.

    The message names the code of a `StoreError`, unless `details` describe the error. After a `Conflict` nothing was
    written, and the message says so; after an `UnknownOutcome` it says that the change may have been recorded.
    """
    _logger.warning("%s failed: %s", during, error)
    if isinstance(error, Conflict):
        return ToolError(code, f"{during} failed: {_LOST_RACE}", **details)
    if isinstance(error, UnknownOutcome):
        return ToolError(code, f"{during} failed: {UNKNOWN_OUTCOME}", **details)
    kind = f" ({error.code})" if isinstance(error, StoreError) and not details else ""
    return ToolError(code, f"{during} failed{kind}; see the server's log", **details)


def uncaught(error: Exception, translate: Translation, unforeseen: str) -> ToolError:
    """Return the error of a call whose handler let an error pass, for `Envelope.failed`.

    A `StoreError` and an `UnreadableEvent` are as `translate` returns them; another error has the code `unforeseen` and
    nothing of its own text.
    """
    if isinstance(error, StoreError | UnreadableEvent):
        return translate(error)
    return ToolError(unforeseen, UNFORESEEN)


def translate_to(code: str, during: str, *, unreadable: str | None = None) -> Translation:
    """Return the translation of a `StoreError` into `code`, and of an `UnreadableEvent` into `unreadable`, else `code` too."""
    return lambda error: failure(code if isinstance(error, StoreError) else unreadable or code, during, error)


@contextmanager
def store_errors(translate: Translation) -> Generator[None]:
    """Raise each `StoreError` and `UnreadableEvent` of the block as `translate` returns it."""
    try:
        yield
    except (StoreError, UnreadableEvent) as error:
        raise translate(error) from error
