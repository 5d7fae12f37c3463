"""A server that has loaded all it ever loads still ends within a second, with code 0 and a clean wire."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.raw import request, structured
from tests.support.servers import ours_on_stdio


@pytest.mark.parametrize("stop", [None, signal.SIGINT, signal.SIGTERM])
def test_an_idle_server_ends_within_a_second_of_the_signal(tmp_path: Path, stop: signal.Signals | None) -> None:
    filing = request(1, "create_concept", {"name": "Sand", "explanation": "Sand is ground stone."})
    with subprocess.Popen(ours_on_stdio(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(filing + b"\n")
        server.stdin.flush()
        assert structured(server.stdout.readline())["message"] == "Created"
        asked = time.monotonic()
        if stop is None:
            server.stdin.close()
        else:
            server.send_signal(stop)
        assert server.wait(timeout=20) == 0
        assert time.monotonic() - asked < 4
        assert server.stdout.read() == b""
