"""A Chroma server: `chroma run` of the installed driver."""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.services.needed import Missing
from tests.support.ports import free_port

STARTS_WITHIN_S = 60.0


class ChromaProcess:
    """A server with a port and a folder of its own, which may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._command = Path(sys.executable).with_name("chroma")
        if not self._command.exists():
            raise Missing('chroma is not installed (pip install "entrepot[chroma]")')
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.uri = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it and wait until it answers. Raises `TimeoutError`."""
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    self._command,
                    "run",
                    "--host",
                    "127.0.0.1",
                    "--port",
                    str(self._port),
                    "--path",
                    self._folder / "data",
                ],
                stdout=log,
                stderr=log,
                env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
                cwd=self._folder,
            )
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                self.kill()
                raise TimeoutError(f"the Chroma server did not start; see {self._folder / 'server.log'}")
            time.sleep(0.05)

    def signal(self, number: int) -> None:
        """Send it a signal."""
        if self._process is not None:
            self._process.send_signal(number)

    def kill(self) -> None:
        """End it at once; repeatable."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _answers(self) -> bool:
        asking = http.client.HTTPConnection("127.0.0.1", self._port, timeout=1)
        try:
            asking.request("GET", "/api/v2/heartbeat")
            return asking.getresponse().status == 200
        except OSError:
            return False
        finally:
            asking.close()


@contextmanager
def running(folder: Path) -> Generator[Mapping[str, str]]:
    """Run a server on a free loopback port."""
    server = ChromaProcess(folder)
    server.start()
    try:
        yield {"ENTREPOT_TEST_CHROMA_URI": server.uri}
    finally:
        server.kill()
