"""The error of the gateway, the end of an interrupted command, and the cause inside exception groups."""

import os
from contextlib import suppress
from threading import Event, RLock
from typing import cast

INTERRUPTED = "entrepot: interrupted. Nothing that was stored is lost; run the command again."
INTERRUPTED_CODE = 130
"""What shells report for Ctrl-C: 128 and the number of SIGINT."""

_printing = RLock()  # reentrant: a second signal may come while the handler of the first one prints
_printed = Event()


def print_interrupted() -> None:
    """Print to stderr, at most once, that the command was interrupted; a slow shutdown calls this from two threads."""
    with _printing:
        if not _printed.is_set():
            with suppress(OSError):
                os.write(2, f"{INTERRUPTED}\n".encode())
        _printed.set()


class Refused(Exception):
    """The gateway cannot start, or cannot carry out a command; the message is a sentence that names the remedy."""


def cause_of(error: BaseException) -> BaseException:
    """Return the error inside nested exception groups, the first one if a group has several."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
