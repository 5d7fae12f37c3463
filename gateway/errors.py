"""The error of the gateway, the end of an interrupted command, and the cause inside exception groups."""

from typing import cast

INTERRUPTED = "entrepot: interrupted. Nothing that was stored is lost; run the command again."
INTERRUPTED_CODE = 130


class Refused(Exception):
    """The gateway cannot start, or cannot carry out a command; the message is a sentence that names the remedy."""


def cause_of(error: BaseException) -> BaseException:
    """Return the error inside nested exception groups, the first one if a group has several."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
