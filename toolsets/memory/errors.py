"""How the memory toolset says no: one envelope, and the words for each failure."""

import logging
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from backends.ports.errors import StoreError
from backends.ports.values import JsonObject
from toolsets.memory.database import UnknownDatabase
from toolsets.memory.entity import TooMuchObserved, UnknownEntity
from toolsets.parsing import Problem
from toolsets.reply import MAX_SHOWN, Refused
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.spec import Reply

_logger = logging.getLogger(__name__)
_MAX_SENTENCES = 3


def envelope(message: str) -> Reply:
    """Return the error envelope."""
    return Reply({"status": "error", "message": message}, is_error=True)


def refusal(message: str) -> Refused:
    """Return an exception that ends the call with the error envelope."""
    return Refused(envelope(message))


def unknown_database(name: str) -> Refused:
    """Return the refusal of a name that no database has."""
    return refusal(f"Database '{name:.{MAX_SHOWN}}' not found")


def unknown_entity(name: str) -> Refused:
    """Return the refusal of a name that no entity has."""
    return refusal(f"Entity '{name}' not found")


def failure(during: str, error: Exception) -> Refused:
    """Return the refusal of a call whose store failed: what went wrong is for the log, it may name files and hosts."""
    _logger.warning("%s failed: %s", during, error)
    kind = f" ({error.code})" if isinstance(error, StoreError) else ""
    return refusal(f"{during} failed{kind}; the server's log says more")


@contextmanager
def failing(during: str) -> Generator[None]:
    """Word a store's failure inside the block, and what the pure part refuses."""
    try:
        yield
    except (StoreError, UnreadableEvent) as error:
        raise failure(during, error) from error
    except UnknownDatabase as error:
        raise unknown_database(error.name) from None
    except UnknownEntity as error:
        raise unknown_entity(error.name) from None
    except TooMuchObserved:
        raise refusal("Invalid parameter: observations of one entity must not exceed 256 kB in all") from None


class MemoryEnvelope:
    """The toolset's words for failures around a handler."""

    properties: ClassVar[JsonObject] = {"status": {"type": "string", "const": "error"}, "message": {"type": "string"}}
    """What an error reply has by contract."""

    def refused(self, problems: Sequence[Problem]) -> Reply:
        """Word arguments that break their rules, up to three of them."""
        return envelope(f"Invalid parameter: {'; '.join(problem.sentence for problem in problems[:_MAX_SENTENCES])}")

    def timed_out(self, seconds: float) -> Reply:
        """Word a call that passed its deadline."""
        return envelope(f"The call took longer than {seconds:g} seconds; read what is there to see whether it was done")

    def failed(self, error: Exception) -> Reply:
        """Word an error that no handler caught."""
        match error:
            case Refused():
                return error.reply
            case StoreError():
                return failure("The call", error).reply
            case _:
                return envelope("Something unforeseen went wrong; the server's log says more")


ENVELOPE = MemoryEnvelope()
