"""Looks through all that an engine holds in a process of its own, which damaged files may take down instead of this one."""

import asyncio
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias, cast

import anyio
import filelock

from backends.ports.errors import StoreError, Timeout, Unavailable, Unusable
from backends.ports.values import Json
from backends.registry import load_adapter

Question: TypeAlias = tuple[str, Mapping[str, Json], Path, float]
Answer: TypeAlias = StoreError | str | None
"""What is wrong: as the engine says it, or in words where it is the files' fault; None when all is well."""

BEAT: Final = b"."
SILENCE_S: Final = 60.0
SCRATCH: Final = "examined-"
_CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE})
"""What a process dies of that reads what cannot be; others are sent by somebody, such as a system that lacks memory."""

_ENDED: Final = (asyncio.CancelledError, KeyboardInterrupt, SystemExit)
"""What a process raises that somebody ends: no word about the files."""


class Unexamined(Unavailable):
    """Something that is no fault of the files kept the engine from going through them, such as a full disk."""


async def look_through(kind: str, options: Mapping[str, Json], directory: Path, files: tuple[Path, ...]) -> None:
    """Open the engine elsewhere, let it examine what it holds and close it, however long that takes.

    Raises what that raises, `Unexamined`, and `Unusable`, with `files` to be replaced, when they cannot be read to the end.
    """
    _clear_leftovers(directory)
    try:
        # What it leaves behind when it dies goes with the folder.
        with TemporaryDirectory(prefix=SCRATCH, dir=directory) as scratch, filelock.FileLock(Path(scratch) / "lock"):
            answer = await _answer(pickle.dumps((kind, options, directory, SILENCE_S)), scratch)
    except OSError as problem:
        answer = Unavailable(str(problem))
    if isinstance(answer, str):
        raise Unusable(
            f"{files[0]} cannot be read to its end ({answer}): it is damaged. Stop and run `entrepot rebuild`: it moves "
            "it aside and fills a new one from the event log",
            replaceable=files,
        )
    if isinstance(answer, Unavailable):
        raise Unexamined(f"{files[0]} could not be examined to its end: {answer}") from answer
    if answer is not None:
        raise answer


def _clear_leftovers(directory: Path) -> None:
    """Remove the folders of looks that were killed: nobody holds their locks."""
    for lock in directory.glob(f"{SCRATCH}*/lock"):
        try:
            with filelock.FileLock(lock, timeout=0):
                shutil.rmtree(lock.parent, ignore_errors=True)
        except filelock.Timeout:
            continue


async def _answer(question: bytes, scratch: str) -> Answer:
    # What lies in the current directory is not what this process runs.
    command = [sys.executable, "-P", "-m", __name__]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": scratch}
    async with await anyio.open_process(command, stderr=subprocess.DEVNULL, env=environment) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("a process has the streams that it was given")
        await process.stdin.send(question)
        await process.stdin.aclose()
        said = b""
        try:
            while True:
                with anyio.fail_after(SILENCE_S):
                    said += await process.stdout.receive()
        except anyio.EndOfStream:
            code = await process.wait()
        except TimeoutError:
            process.kill()
            return f"nothing was heard of the process that read it for {SILENCE_S:g} seconds"
    if code == 0:
        return cast("Answer", pickle.loads(said.lstrip(BEAT)))  # noqa: S301 -- from our own code
    if -code in _CRASHES:
        return f"the process that read it died of {signal.Signals(-code).name}"
    raise Unavailable(f"the process that was to look through a store ended with {code}; try again with more memory")


async def _look(kind: str, options: Mapping[str, Json], directory: Path) -> Answer:
    try:
        engine = await load_adapter(kind).open(options, directory)
    except StoreError as problem:
        return problem if type(problem) is not StoreError else _words(problem)
    except _ENDED:
        raise
    except BaseException as problem:  # noqa: BLE001 -- whatever an engine trips over in its own files, panics of Rust too
        return _words(problem)
    try:
        await engine.examine()
        # One that tripped is not closed: it may hang.
        await engine.close()
    except (Unusable, Unavailable, Timeout) as problem:
        return problem
    except _ENDED:
        raise
    except BaseException as problem:  # noqa: BLE001 -- as above
        return _words(problem)
    return None


def _words(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"[:300]


async def _told(kind: str, options: Mapping[str, Json], directory: Path, silence_s: float, answering: int) -> None:
    """Tell what was found, and end before anything waits for what the engine still does."""
    _let_live(silence_s)
    async with anyio.create_task_group() as group:
        group.start_soon(_beat, silence_s, answering)
        os.write(answering, pickle.dumps(await _look(kind, options, directory)))
        os._exit(0)


async def _beat(silence_s: float, answering: int) -> None:
    """Give signs of life; there are none while an engine that turns for ever keeps the interpreter to itself.

    Ends all when nobody listens any more, without waiting for the engine.
    """
    while True:
        _let_live(silence_s)
        try:
            os.write(answering, BEAT)
        except BrokenPipeError:
            os._exit(1)
        await anyio.sleep(1)


def _let_live(silence_s: float) -> None:
    """Let the system end this process later than whoever listens would: he may have been killed."""
    signal.setitimer(signal.ITIMER_REAL, 2 * silence_s)


if __name__ == "__main__":
    # Engines write to the same stream as we.
    answering = os.dup(1)
    os.dup2(2, 1)
    question = cast("Question", pickle.load(sys.stdin.buffer))  # noqa: S301 -- from our own code
    anyio.run(_told, *question, answering)
