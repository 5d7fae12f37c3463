"""A server that is down, slow, unsuitable or shared: a clear error in time, and recovery without help."""

import asyncio
import http.server
import json
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backends.engines.chroma.adapter import ADAPTER
from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable
from backends.ports.ids import namespace
from backends.ports.values import RecordId
from contracts.ports.vector_records import DIM, NAME, axis, fill, record
from tests.engines.chroma.conftest import Open, opened
from tests.services.chroma import ChromaProcess
from tests.support.ports import free_port

SPACE = namespace("here")


@contextmanager
def answering(status: int, paths: dict[str, object]) -> Generator[str]:
    """Run an HTTP server that is not a supported Chroma; other paths are answered with `status`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(paths.get(self.path, {"error": "x", "message": "no"})).encode()
            self.send_response(200 if self.path in paths else status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("status", "paths", "error", "words"),
    [
        (404, {"/api/v1/version": "0.4.24"}, Unusable, "1.0 or later is needed"),
        (404, {"/api/v2/version": "0.6.3"}, Unusable, "version 0.6.3; 1.0 or later is needed"),
        (401, {}, InvalidInput, "refused the credentials; correct `token`"),
        (403, {}, InvalidInput, "refused the credentials; correct `token`"),
    ],
)
async def test_an_unsuitable_server_is_refused_in_one_sentence(
    tmp_path: Path, status: int, paths: dict[str, object], error: type[StoreError], words: str
) -> None:
    with answering(status, paths) as uri, pytest.raises(error, match=words):
        await ADAPTER.open({"uri": uri, "token": "secret"}, tmp_path)


@pytest.mark.parametrize("options", [{"tenant": "nobody"}, {"database": "nothing"}])
async def test_a_missing_tenant_or_database_is_named(on_server: Open, options: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=r"has no database .* correct `tenant` and `database`"):
        async with on_server(**options):
            pass


async def test_an_address_without_a_server_is_unavailable_at_once(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(Unavailable, match="does not answer"):
        await ADAPTER.open({"uri": f"http://127.0.0.1:{free_port()}"}, tmp_path)
    assert time.monotonic() - started < 20


async def test_a_restarted_server_has_everything_and_is_used_again(mortal: ChromaProcess, tmp_path: Path) -> None:
    async with opened(tmp_path, uri=mortal.uri, timeout_s=3) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, *(record(f"r{number}", axis(number)) for number in range(10)))
        acknowledged: list[str] = []

        async def write() -> None:
            for number in range(1_000):
                await vectors.upsert(NAME, [record(f"w{number:03}", axis(number % DIM))])
                acknowledged.append(f"w{number:03}")

        writing = asyncio.ensure_future(write())
        while len(acknowledged) < 20:
            await asyncio.sleep(0)
        mortal.kill()
        with pytest.raises((Unavailable, Timeout)):
            await writing
        started = time.monotonic()
        with pytest.raises(Unavailable):
            await vectors.dense(NAME, axis(0), 1)
        assert not (await engine.health()).ok
        assert time.monotonic() - started < 20
        mortal.start()
        assert (await engine.health()).ok
        there = await vectors.get(NAME, [RecordId(name) for name in acknowledged])
        assert sorted(there) == acknowledged
        assert len(await vectors.dense(NAME, axis(3), 100, min_score=0.9)) >= 1
        await vectors.upsert(NAME, [record("after", axis(1))])


async def test_a_server_that_hangs_times_out(mortal: ChromaProcess, tmp_path: Path) -> None:
    async with opened(tmp_path, uri=mortal.uri, space="hangs", timeout_s=0.5) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("r"))
        mortal.signal(signal.SIGSTOP)
        try:
            started = time.monotonic()
            with pytest.raises(Timeout):
                await vectors.count(NAME)
            assert time.monotonic() - started < 20
        finally:
            mortal.signal(signal.SIGCONT)
        assert await vectors.count(NAME) == 1
