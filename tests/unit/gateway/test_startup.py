"""The end of a start."""

import subprocess
import sys
import time

import pytest

from gateway.errors import INTERRUPTED, INTERRUPTED_CODE

HEAD = "import os, signal, time, anyio\nfrom gateway.startup import Startup, end_within\n"
SERVING = """
async def start():
    with Startup(watched={watched}) as start:
        print("started", flush=True)
        {over}
        await anyio.sleep(8)
anyio.run(start)
print("left", flush=True)
"""


def run(code: str, stdin: int | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HEAD + code]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=stdin)


def started(watched: str, over: str = "") -> subprocess.Popen[str]:
    process = run(SERVING.format(watched=watched, over=over), stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    return process


def test_a_process_ends_with_the_code_after_its_time() -> None:
    process = run("end_within(0.05, 7)\ntime.sleep(8)\n")
    process.communicate(timeout=8)
    assert process.returncode == 7


def test_an_interrupted_process_says_so() -> None:
    process = run(f"end_within(0.05, {INTERRUPTED_CODE})\ntime.sleep(8)\n")
    _, said = process.communicate(timeout=8)
    assert (process.returncode, said) == (INTERRUPTED_CODE, f"{INTERRUPTED}\n")


def test_a_process_that_ends_before_is_not_held() -> None:
    before = time.monotonic()
    process = run("end_within(60, 7)\n")
    process.communicate(timeout=20)
    assert process.returncode == 0
    assert time.monotonic() - before < 20


def test_a_start_is_left_when_the_client_closes_the_input_unused() -> None:
    out, _ = started("0").communicate(timeout=8)
    assert out == "left\n"


def test_a_client_that_leaves_after_the_start_is_the_transports() -> None:
    process = started("0", "start.over()")
    assert process.stdin is not None
    process.stdin.close()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.2)
    process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def test_a_signal_limits_a_start_that_hangs() -> None:
    process = run(
        "def hang(*_):\n    time.sleep(8)\nsignal.signal(signal.SIGTERM, hang)\n"
        "async def start():\n    with Startup(watched=None):\n        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        await anyio.sleep(8)\nanyio.run(start)\n"
    )
    _, said = process.communicate(timeout=6)
    assert (process.returncode, said) == (INTERRUPTED_CODE, f"{INTERRUPTED}\n")
