"""Verification in a process of its own: reading damaged files may crash that process, but not this one."""

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

from backends.kit.child_process import child_command, child_environment, crash_signal
from backends.ports.errors import StoreError, Timeout, Unavailable, Unusable
from backends.ports.values import Json
from backends.registry import load_adapter

Task: TypeAlias = tuple[str, Mapping[str, Json], Path, float]
"""The adapter's name, its options, the data directory, and how many seconds the child may be silent."""
Finding: TypeAlias = StoreError | str | None
"""What is wrong: the engine's own error, or a sentence about damaged files; None if nothing is."""

HEARTBEAT: Final = b"."
SILENCE_S: Final = 60.0
"""The process sends a byte each second. One that is silent is in a loop over damaged pages, or waits for a stuck disk."""
SCRATCH: Final = "verification-"
"""The prefix of the folders of verifications; one that is killed leaves its folder behind."""
_INTERRUPTS: Final = (asyncio.CancelledError, KeyboardInterrupt, SystemExit)
"""Raised when the child itself is stopped; they say nothing about the files."""


class Unverified(Unavailable):
    """The files could not be read completely for a reason outside them, such as a full disk."""


async def verify_in_child(kind: str, options: Mapping[str, Json], directory: Path, files: tuple[Path, ...]) -> None:
    """Open an engine in another process, verify its data and close it, without a time limit.

    Raises what the engine raises; `Unverified`; and `Unusable`, with `files` as replaceable, for files that crash the
    process, hang it or make the engine fail.
    """
    _remove_leftovers(directory)
    try:
        # Anything that a crashed process leaves behind is removed with the folder.
        with TemporaryDirectory(prefix=SCRATCH, dir=directory) as scratch, filelock.FileLock(Path(scratch) / "lock"):
            finding = await _run_child(pickle.dumps((kind, options, directory, SILENCE_S)), scratch)
    except OSError as problem:
        finding = Unavailable(str(problem))
    if isinstance(finding, str):
        raise Unusable(
            f"{files[0]} cannot be read completely ({finding}): it is damaged. Stop and run `entrepot rebuild`: it moves "
            "it aside and fills a new one from the event log",
            replaceable=files,
        )
    if isinstance(finding, Unavailable):
        raise Unverified(f"{files[0]} could not be verified completely: {finding}") from finding
    if finding is not None:
        raise finding


def _remove_leftovers(directory: Path) -> None:
    """Remove the folders of verifications that were killed: their locks are free."""
    for lock in directory.glob(f"{SCRATCH}*/lock"):
        try:
            with filelock.FileLock(lock, timeout=0):
                shutil.rmtree(lock.parent, ignore_errors=True)
        except filelock.Timeout:
            continue


async def _run_child(task: bytes, scratch: str) -> Finding:
    """Return what the child found. Raises `OSError` if it cannot be started, `Unavailable` if it was stopped."""
    environment = {**child_environment(), "TMPDIR": scratch}
    command = child_command("-m", __name__)
    async with await anyio.open_process(command, stderr=subprocess.DEVNULL, env=environment) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("stdin and stdout are pipes")
        await process.stdin.send(task)
        await process.stdin.aclose()
        output = b""
        try:
            while True:
                with anyio.fail_after(SILENCE_S):
                    output += await process.stdout.receive()
        except anyio.EndOfStream:
            code = await process.wait()
        except TimeoutError:
            process.kill()
            return f"the process that read it was silent for {SILENCE_S:g} seconds"
    if code == 0:
        return cast("Finding", pickle.loads(output.lstrip(HEARTBEAT)))  # noqa: S301 -- from our own code
    if (crash := crash_signal(code)) is not None:
        return f"the process that read it died of {crash}"
    raise Unavailable(f"the verification process exited with {code}; try again with more memory")


async def _verify(kind: str, options: Mapping[str, Json], directory: Path) -> Finding:
    try:
        engine = await load_adapter(kind).open(options, directory)
    except StoreError as problem:
        return problem if type(problem) is not StoreError else _sentence(problem)
    except _INTERRUPTS:
        raise
    except BaseException as problem:  # noqa: BLE001 -- anything an engine raises for its own files, including Rust panics
        return _sentence(problem)
    try:
        await engine.verify()
        # An engine that failed is not closed: closing may hang.
        await engine.close()
    except (Unusable, Unavailable, Timeout) as problem:
        return problem
    except _INTERRUPTS:
        raise
    except BaseException as problem:  # noqa: BLE001 -- as above
        return _sentence(problem)
    return None


def _sentence(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"[:300]


async def _run_task(kind: str, options: Mapping[str, Json], directory: Path, silence_s: float, output: int) -> None:
    """Write the finding to `output` and exit at once: threads of the engine may still be busy."""
    _extend_life(silence_s)
    async with anyio.create_task_group() as group:
        group.start_soon(_send_heartbeats, silence_s, output)
        os.write(output, pickle.dumps(await _verify(kind, options, directory)))
        os._exit(0)


async def _send_heartbeats(silence_s: float, output: int) -> None:
    """Write a heartbeat every second; there is none while an engine hangs without releasing the interpreter.

    Ends the process when the parent has ended.
    """
    while True:
        _extend_life(silence_s)
        try:
            os.write(output, HEARTBEAT)
        except BrokenPipeError:
            os._exit(1)
        await anyio.sleep(1)


def _extend_life(silence_s: float) -> None:
    """Restart the timer that ends this process if it hangs and its parent is gone; the parent would end it sooner."""
    signal.setitimer(signal.ITIMER_REAL, 2 * silence_s)


if __name__ == "__main__":
    # Engines may write to standard output, so the finding has its own descriptor.
    output = os.dup(1)
    os.dup2(2, 1)
    task = cast("Task", pickle.load(sys.stdin.buffer))  # noqa: S301 -- from our own code
    anyio.run(_run_task, *task, output)
