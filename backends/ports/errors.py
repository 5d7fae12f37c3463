"""The one tree of store errors; an adapter translates its driver's errors into these, once.

StoreError
├── InvalidInput    the caller broke a port's rule; the same call can never succeed
├── NotFound        something the call needs is not in the store
├── Conflict        somebody else was there first: a stream's version, a checkpoint, a differing definition
├── AlreadyOpen     an engine that admits one process is open elsewhere
├── Unsupported     this engine lacks the capability; `Capabilities` said so
├── Unusable        the store is there, but damaged, too new or made for another embedder; nothing was changed
├── Unavailable     the store did not answer; the same call may succeed later
└── Timeout         the store took longer than it was given; the same call may succeed later
"""

from pathlib import Path
from typing import ClassVar


class StoreError(Exception):
    """Something a store could not do. `code` is stable, `retryable` says whether the same call may succeed later.

    `replaceable` names what is damaged and holds nothing but what the event log fills again: once it is moved away,
    the store opens anew. Empty for all but some that are `Unusable`.
    """

    code: ClassVar[str] = "store_error"
    retryable: ClassVar[bool] = False
    replaceable: tuple[Path, ...] = ()


class InvalidInput(StoreError):
    """The caller broke a port's rule; the same call can never succeed."""

    code = "invalid_input"


class NotFound(StoreError):
    """Something the call needs is not in the store; `missing` lists the ids."""

    code = "not_found"

    def __init__(self, message: str, *, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.missing = missing


class Conflict(StoreError):
    """Somebody else was there first; `key` names the stream, checkpoint or definition in question."""

    code = "conflict"

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class AlreadyOpen(StoreError):
    """An engine that admits one process is open elsewhere."""

    code = "already_open"


class Unsupported(StoreError):
    """This engine lacks the capability, as its `Capabilities` declare."""

    code = "unsupported"


class Unusable(StoreError):
    """The store must not be used as it is: damaged, written by a newer version, or made for another embedder.

    Of a language model, that nothing can be done with what it says.
    """

    code = "unusable"

    def __init__(self, message: str, *, replaceable: tuple[Path, ...] = ()) -> None:
        super().__init__(message)
        self.replaceable = replaceable


class Unavailable(StoreError):
    """The store did not answer; the same call may succeed later."""

    code = "unavailable"
    retryable = True


class Timeout(StoreError):
    """The store took longer than it was given; the same call may succeed later."""

    code = "timeout"
    retryable = True
