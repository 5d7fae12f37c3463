"""The one tree of store errors; an adapter translates its driver's errors into these, once.

StoreError
├── InvalidInput    the caller broke a port's rule; the same call can never succeed
├── NotFound        something the call needs is not in the store
├── Conflict        another writer was first: a stream's version, a checkpoint, a differing declaration
├── AlreadyOpen     an engine that admits one process is open elsewhere
├── Unsupported     this engine does not offer it, as its `Capabilities` say
├── Unusable        the store exists, but is damaged, too new or made for another embedder; nothing was changed
│   └── Undecodable single records of an event log cannot be read, such as an event; the others can
├── Unavailable     the store did not answer; the same call may succeed later
└── Timeout         the store took longer than allowed; the same call may succeed later
"""

from pathlib import Path
from typing import ClassVar


class StoreError(Exception):
    """A store could not do something. `code` is stable; `retryable` says whether the same call may succeed later.

    `replaceable` names damaged files whose contents can be rebuilt from the event log: once they are moved away, the
    store opens empty. Only some `Unusable` errors have any.
    """

    code: ClassVar[str] = "store_error"
    retryable: ClassVar[bool] = False
    replaceable: tuple[Path, ...] = ()

    def __init__(self, message: str = "") -> None:
        """`message` is a sentence; line breaks in a driver's message become spaces."""
        super().__init__(" ".join(message.splitlines()))


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
    """Another writer was first; `key` names the stream, checkpoint or declaration in question."""

    code = "conflict"

    def __init__(self, message: str, *, key: str = "") -> None:
        super().__init__(message)
        self.key = key


class AlreadyOpen(StoreError):
    """An engine that admits one process is open elsewhere."""

    code = "already_open"


class Unsupported(StoreError):
    """This engine does not offer it, as its `Capabilities` say."""

    code = "unsupported"


class Unusable(StoreError):
    """The store must not be used as it is: damaged, written by a newer version, or made for another embedder.

    For a language model: its answer cannot be used.
    """

    code = "unusable"

    def __init__(self, message: str, *, replaceable: tuple[Path, ...] = ()) -> None:
        super().__init__(message)
        self.replaceable = replaceable


class Undecodable(Unusable):
    """Single records of an event log, such as events, cannot be read; the message names one of them.

    Calls that read such a record raise it, and so does `verify` if nothing else is damaged. Other records can be read.
    """


class Unavailable(StoreError):
    """The store did not answer; the same call may succeed later."""

    code = "unavailable"
    retryable = True


class Timeout(StoreError):
    """The store took longer than allowed; the same call may succeed later."""

    code = "timeout"
    retryable = True
