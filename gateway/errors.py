"""The one error of the gateway itself, and how to find an error in the groups that wrap it."""

from typing import cast


class Refused(Exception):
    """The gateway cannot start or cannot do this; the message is a sentence for the operator that names the way out."""


def cause_of(error: BaseException) -> BaseException:
    """Return the error that task groups on its way wrapped in groups of one; of several, the first."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
