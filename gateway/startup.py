"""The start of a server, which is aborted within a second of a signal or of the client's disconnect."""

import array
import asyncio
import fcntl
import os
import select
import signal
import termios
import time
from threading import Thread, Timer
from types import FrameType, TracebackType
from typing import Self

import anyio

from gateway.errors import INTERRUPTED_CODE, print_interrupted
from gateway.transports.pipes import is_pipe

END_S = 0.5
"""How long an orderly end of the start may take: an import, a thread that opens a store, engines that are closed."""
LEFT_S = 0.3
"""How long the start continues after the client has left, so that a refusal can still be printed."""


class Startup:
    """A block in which a server starts and then serves; it is left early if the client closes the input unused.

    The process is ended `END_S` after SIGINT or SIGTERM, or after the client has left, if it has not ended by then; nothing
    was acknowledged yet, and engines survive a kill. After `over`, the transport ends the process instead.
    """

    def __init__(self, *, watched: int | None) -> None:
        """Prepare to watch the descriptor of the input, or none."""
        self._watched = watched
        self._block = anyio.CancelScope()
        self._over = False

    def __enter__(self) -> Self:
        """Install the signal handlers and start to watch the input."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._limit_at(number)
        if self._watched is not None and is_pipe(self._watched):
            loop = asyncio.get_running_loop()
            Thread(target=self._watch, args=(self._watched, loop), daemon=True).start()
        self._block.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> bool:
        """Suppress the cancellation if the client has left."""
        return bool(self._block.__exit__(kind, error, tb))

    def over(self) -> None:
        """Stop watching: the transport serves now, and installs its own signal handlers."""
        self._over = True

    def _limit_at(self, number: signal.Signals) -> None:
        former = signal.getsignal(number)
        if former == signal.SIG_IGN:
            return  # as a script does with Ctrl-C for what it starts in the background

        def limit(received: int, frame: FrameType | None) -> None:
            end_within(END_S, INTERRUPTED_CODE)
            if callable(former):
                former(received, frame)

        signal.signal(number, limit)

    def _watch(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        poll = select.poll()
        poll.register(descriptor, getattr(select, "POLLRDHUP", 0))
        poll.poll()
        # Requests that the client sent before it closed its side are answered, if the answers can still be read.
        if self._over or (_unread(descriptor) and not _has_no_reader(1)):
            return
        time.sleep(LEFT_S)
        if self._over:
            return
        end_within(END_S, 0)
        loop.call_soon_threadsafe(self._block.cancel)


def end_within(seconds: float, code: int) -> None:
    """End the process with an exit code after some seconds, unless it has ended by then."""

    def end() -> None:
        if code == INTERRUPTED_CODE:
            print_interrupted()
        os._exit(code)

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()


def _unread(descriptor: int) -> bool:
    size = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, size)
    return size[0] > 0


def _has_no_reader(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(events & select.POLLERR for _, events in poll.poll(0))
