"""Blocking drivers behind async code: a bounded number of threads, bounded waits, safe cancellation."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from typing import Generic, Protocol, TypeVar

from backends.ports.errors import Timeout, Unavailable


class _Interruptible(Protocol):
    """A driver's session, for one call at a time."""

    def interrupt(self) -> None:
        """Stop its current statement; called from another thread."""
        ...


ResultT = TypeVar("ResultT")
SessionT = TypeVar("SessionT", bound=_Interruptible)


def _nothing() -> None:
    """Do nothing."""


async def outcome(
    work: Future[ResultT], *, timeout_s: float, what: str, give_up: Callable[[], None] = _nothing
) -> ResultT:
    """Return the result of work in another thread. Raises `Timeout` after `timeout_s`, and `Unavailable` for cancelled work.

    If the caller stops waiting, by timeout or cancellation, work that has not started is cancelled, and `give_up` is
    called. Running work continues, and its result is discarded. `what` names the driver in messages.
    """
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()
    # This costs half as much as `wrap_future` inside a `timeout`, and every store call does it.
    timer = loop.call_later(timeout_s, _wake, waiter)
    work.add_done_callback(lambda _: _wake_from_thread(loop, waiter))
    try:
        await waiter
    except asyncio.CancelledError:
        work.cancel()
        give_up()
        raise
    finally:
        timer.cancel()
    if not work.done():
        work.cancel()
        give_up()
        raise Timeout(f"{what} did not answer within {timeout_s:g} seconds")
    try:
        return work.result()
    except CancelledError:
        raise Unavailable(f"{what} is closed") from None


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)


def _wake_from_thread(loop: asyncio.AbstractEventLoop, waiter: "asyncio.Future[None]") -> None:
    # Nothing waits on a loop that has ended.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(_wake, waiter)


def _copy_result(done: Future[None], waited_for: Future[None]) -> None:
    if not waited_for.set_running_or_notify_cancel():
        return
    if (error := done.exception()) is not None:
        waited_for.set_exception(error)
    else:
        waited_for.set_result(None)


class InterruptibleCall(Generic[SessionT, ResultT]):
    """A call that gets a driver's session while it runs in a worker thread; `interrupt` stops its current statement."""

    def __init__(
        self, acquired: Callable[[], AbstractContextManager[SessionT]], call: Callable[[SessionT], ResultT]
    ) -> None:
        """Take what acquires a session for a block and releases it, and the call."""
        self._acquired = acquired
        self._call = call
        self._guard = threading.Lock()
        self._session: SessionT | None = None

    def __call__(self) -> ResultT:
        """Run the call and return its result; blocking."""
        with self._acquired() as session:
            with self._guard:
                self._session = session
            try:
                return self._call(session)
            finally:
                # After this an interrupt would stop the session's next user.
                with self._guard:
                    self._session = None

    def interrupt(self) -> None:
        """Stop the call if it is running."""
        with self._guard:
            if self._session is not None:
                self._session.interrupt()


class Workers:
    """A bounded set of threads for one driver. Fetch rows inside the call, not on the event loop."""

    def __init__(self, name: str, *, threads: int) -> None:
        self._name = name
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(
        self, call: Callable[[], ResultT], *, timeout_s: float, give_up: Callable[[], None] = _nothing
    ) -> ResultT:
        """Return what `call` returns in a worker thread. Raises `Timeout`, and `Unavailable` after closing."""
        try:
            work = self._executor.submit(call)
        except RuntimeError:
            raise Unavailable(f"{self._name} is closed") from None
        return await outcome(work, timeout_s=timeout_s, what=self._name, give_up=give_up)

    async def end(self, last: Callable[[], None], *, timeout_s: float) -> None:
        """Accept no more calls, and run `last` once the running calls have ended, however late; repeatable.

        Raises `Timeout` if that takes longer than `timeout_s`; `last` runs all the same.
        """
        try:
            work = self._executor.submit(last)
        except RuntimeError:
            return
        self._executor.shutdown(wait=False)
        # Waits for a copy, because a caller that stops waiting cancels the future it waits for.
        ended: Future[None] = Future()
        work.add_done_callback(lambda done: _copy_result(done, ended))
        await outcome(ended, timeout_s=timeout_s, what=self._name)

    def close(self) -> None:
        """Accept no more calls and wait for the running ones; repeatable, blocking."""
        with suppress(RuntimeError):
            self._executor.shutdown(wait=True, cancel_futures=True)
