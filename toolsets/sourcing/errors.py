"""Errors of handlers: what stores and the log raise during a call becomes the `ToolError` of a toolset."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager

from backends.ports.errors import Conflict, StoreError
from backends.ports.values import Json
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.spec import ToolError

_LOST_RACE = "others changed the same thing at the same moment; nothing was written, so try again"

_logger = logging.getLogger(__name__)


def failure(code: str, during: str, error: Exception, **details: Json) -> ToolError:
    """Return the error of a call whose store failed, and log the store's own text, which may name files and hosts.

    The message names the code of a `StoreError`, unless `details` describe the error. After a `Conflict` nothing was
    written, and the message says so.
    """
    _logger.warning("%s failed: %s", during, error)
    if isinstance(error, Conflict):
        return ToolError(code, f"{during} failed: {_LOST_RACE}", **details)
    kind = f" ({error.code})" if isinstance(error, StoreError) and not details else ""
    return ToolError(code, f"{during} failed{kind}; see the server's log", **details)


@contextmanager
def store_errors(worded: Callable[[Exception], ToolError]) -> Generator[None]:
    """Convert each `StoreError` and `UnreadableEvent` raised inside the block with `worded`."""
    try:
        yield
    except (StoreError, UnreadableEvent) as error:
        raise worded(error) from error
