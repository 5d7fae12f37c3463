"""A call over any transport: deadline, handler, errors, and a line in the log."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

import anyio

from backends.ports.errors import StoreError
from backends.ports.values import Json
from toolsets.spec import CallContext, HttpReply, Reply, ToolSpec

log = logging.getLogger("entrepot.calls")

MAX_REPLY_BYTES = 8_000_000
"""The largest reply; a last resort against one that takes gigabytes of memory and blocks the event loop for seconds."""

ReplyT_co = TypeVar("ReplyT_co", covariant=True)


class FailureReplies(Protocol[ReplyT_co]):
    """The replies to failures around a handler."""

    def timed_out(self, seconds: float) -> ReplyT_co:
        """Return the reply to a call that passed its deadline."""
        ...

    def failed(self, error: Exception) -> ReplyT_co:
        """Return the reply to an error that no handler caught."""
        ...


async def dispatch(tool: ToolSpec, arguments: Mapping[str, Json], context: CallContext) -> Reply:
    """Call a tool and return its reply, even if it fails or takes too long; raises only cancellation."""
    return await reply_within_deadline(lambda: tool.call(arguments, context), context, tool.envelope)


ReplyT = TypeVar("ReplyT")


async def reply_within_deadline(
    call: Callable[[], Awaitable[ReplyT]], context: CallContext, failures: FailureReplies[ReplyT]
) -> ReplyT:
    """Await `call` within the context's deadline and return its result, or the reply to its failure."""
    started = time.perf_counter()
    outcome = "cancelled"
    try:
        with anyio.move_on_after(context.deadline_s) as scope:
            reply = await call()
            outcome = "error" if _is_error(reply) else "ok"
            return reply
        # Reached only if the scope was cancelled by its own deadline.
        outcome = "timeout" if scope.cancelled_caught else outcome
        return failures.timed_out(context.deadline_s)
    except Exception as error:
        outcome = "failed"
        log.log(
            logging.WARNING if isinstance(error, StoreError) else logging.ERROR,
            "%s failed: %s",
            context.tool,
            error if isinstance(error, StoreError) else type(error).__name__,
            exc_info=None if isinstance(error, StoreError) else error,
        )
        return failures.failed(error)
    finally:
        _record(context, outcome, started)


def _is_error(reply: object) -> bool:
    return (isinstance(reply, Reply) and reply.is_error) or (isinstance(reply, HttpReply) and reply.status >= 400)


def _record(context: CallContext, outcome: str, started: float) -> None:
    if log.isEnabledFor(logging.INFO):
        ms = round((time.perf_counter() - started) * 1000, 2)
        fields = {"tool": context.tool, "ms": ms, "outcome": outcome, "request": context.request_id}
        log.info("%s %s in %s ms", context.tool, outcome, ms, extra={"fields": fields})
