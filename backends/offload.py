"""The one way from async code to a blocking driver: bounded threads, bounded waits, safe to cancel."""

import asyncio
import atexit
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

from backends.ports.errors import Timeout, Unavailable

ResultT = TypeVar("ResultT")
Task: TypeAlias = tuple[Callable[[], Callable[[], None]], Callable[[], object]]
"""How a call is made, which returns how to tell what came of it, and how it is withdrawn."""


def _nothing() -> None:
    """Give up without telling anybody."""


async def outcome(
    work: Future[ResultT], *, timeout_s: float, what: str, give_up: Callable[[], None] = _nothing
) -> ResultT:
    """Return what a worker thread will answer. Raises `Timeout` after `timeout_s`, naming `what` was waited for.

    Whoever stops waiting, by time or by cancellation, withdraws work that has not started and calls
    `give_up`; work under way ends by itself, and its result is dropped.
    """
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()
    # Half the price of `wrap_future` inside a `timeout`, which is paid for each question to a store.
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
    # A loop that has ended has nobody waiting.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(_wake, waiter)


def _pass_on(done: Future[None], waited_for: Future[None]) -> None:
    if not waited_for.set_running_or_notify_cancel():
        return
    if (error := done.exception()) is not None:
        waited_for.set_exception(error)
    else:
        waited_for.set_result(None)


class Workers:
    """A bounded set of threads for one driver; fetch rows inside the call, so that the event loop never does.

    A call goes to the thread that rested last, whose caches are warm: calls that come one by one stay in one thread.
    """

    def __init__(self, name: str, *, threads: int) -> None:
        self._name = name
        self._most = threads
        self._guard = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._resting: list[SimpleQueue[Task | None]] = []
        self._waiting: deque[Task] = deque()
        self._closed = False

    async def run(
        self, call: Callable[[], ResultT], *, timeout_s: float, give_up: Callable[[], None] = _nothing
    ) -> ResultT:
        """Return what `call` returns in a worker thread. Raises `Timeout`, and `Unavailable` after closing."""
        work: Future[ResultT] = Future()
        self._submit((partial(_attempt, work, call), work.cancel))
        return await outcome(work, timeout_s=timeout_s, what=self._name, give_up=give_up)

    async def end(self, last: Callable[[], None], *, timeout_s: float) -> None:
        """Take no more calls, and do `last` when those under way have ended, whenever that is; repeatable.

        Raises `Timeout` when it was not done within `timeout_s`; it will be all the same.
        """
        try:
            work = self._executor.submit(last)
        except RuntimeError:
            return
        self._executor.shutdown(wait=False)
        # Waited for by a stand-in: whoever stops waiting withdraws what it waits for.
        ended: Future[None] = Future()
        work.add_done_callback(lambda done: _pass_on(done, ended))
        await outcome(ended, timeout_s=timeout_s, what=self._name)

    def close(self) -> None:
        """Take no more calls and wait for those under way; repeatable, blocking."""
        with self._guard:
            self._closed = True
            withdrawn, resting = [*self._waiting], [*self._resting]
            self._waiting.clear()
            self._resting.clear()
        for _, withdraw in withdrawn:
            withdraw()
        for inbox in resting:
            inbox.put(None)
        for thread in self._threads:
            thread.join()
        atexit.unregister(self.close)

    def _submit(self, task: Task) -> None:
        with self._guard:
            if self._closed:
                raise Unavailable(f"{self._name} is closed")
            if self._resting:
                self._resting.pop().put(task)
            elif len(self._threads) < self._most:
                self._start(task)
            else:
                self._waiting.append(task)

    def _start(self, first: Task) -> None:
        name = f"{self._name}_{len(self._threads)}"
        thread = threading.Thread(target=self._serve, args=(first,), name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise Unavailable(f"{self._name} has no thread to work in: {error}") from error
        if not self._threads:
            # A driver must not lose its process in the middle of a call: at the end of all, too, it is waited for.
            atexit.register(self.close)
        self._threads.append(thread)

    def _serve(self, task: Task | None) -> None:
        inbox: SimpleQueue[Task | None] = SimpleQueue()
        while task is not None:
            tell = task[0]()
            with self._guard:
                # Resting before it tells: whoever is told and calls again finds this thread, and wakes no other.
                task = self._waiting.popleft() if self._waiting else None
                resting = task is None and not self._closed
                if resting:
                    self._resting.append(inbox)
            tell()
            # Nothing of a call is kept while resting.
            del tell
            if resting:
                task = inbox.get()


def _attempt(work: "Future[ResultT]", call: Callable[[], ResultT]) -> Callable[[], None]:
    """Make the call if anybody still waits for it, and return how to tell what came of it."""
    if not work.set_running_or_notify_cancel():
        return _nothing
    try:
        return partial(work.set_result, call())
    # Whatever the call raised belongs to its caller; the thread must live on for the others.
    except BaseException as error:  # noqa: BLE001
        try:
            return partial(work.set_exception, error)
        finally:
            # The error knows this frame, which would know the error.
            del work
