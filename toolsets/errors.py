"""Errors of handlers: what stores raise during a call becomes the `ToolError` of a toolset."""

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager

from backends.ports.errors import StoreError, Unavailable
from toolsets.spec import ToolError

_logger = logging.getLogger(__name__)


class LiveGenerationUnknown(Unavailable):
    """The log does not answer, and a new store has not noted which of its generations is live: the log is to be blamed."""


class UnreadableEvent(Exception):
    """An event is of a type or form that this version does not know."""


def failure(code: str, during: str, error: Exception) -> ToolError:
    """Return the error of a call whose store failed; the store's text may name files and hosts and is only logged."""
    _logger.warning("%s failed: %s", during, error)
    kind = f" ({error.code})" if isinstance(error, StoreError) else ""
    return ToolError(code, f"{during} failed{kind}; the server's log says more")


@contextmanager
def store_errors(worded: Callable[[Exception], ToolError]) -> Generator[None]:
    """Raise `worded` of the errors of stores, and of events that cannot be read, raised inside the block."""
    try:
        yield
    except (StoreError, UnreadableEvent) as error:
        raise worded(error) from error
