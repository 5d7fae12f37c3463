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
from typing import Literal

import anyio
import pytest

from backends.engines.chroma.adapter import ADAPTER
from backends.ports.errors import Conflict, InvalidInput, StoreError, Timeout, Unavailable, Unusable
from backends.ports.filters import And, Eq
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, Vectors
from config.secrets import masked_text
from contracts.ports.vector_records import DIM, FIELDS, MODEL, NAME, THINGS, axis, fill, names_stored, record
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


@pytest.mark.parametrize("uri", ["localhost:8000", "ftp://x", "http://", "http://x?y", "http://u:hush@x"])
async def test_an_invalid_address_is_refused(tmp_path: Path, uri: str) -> None:
    with pytest.raises(InvalidInput, match="option uri should be like http://HOST:8000, without a user") as problem:
        await ADAPTER.open({"uri": uri}, tmp_path)
    assert masked_text(str(problem.value)) == str(problem.value)


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


async def test_clients_that_declare_at_once_get_one_collection(on_server: Open) -> None:
    """Later clients find the collection that the first one created, whatever error the server returns."""
    async with on_server() as one, on_server() as two, on_server() as three:
        for attempt in range(5):
            place = namespace(f"race{attempt}")
            parties = [await engine.vectors(place) for engine in (one, two, three)]
            async with anyio.create_task_group() as group:
                for party in parties:
                    group.start_soon(party.ensure, THINGS)
            for number, party in enumerate(parties):
                await party.upsert(NAME, [record(f"r{number}")])
            for party in parties:
                assert await names_stored(party) == ["r0", "r1", "r2"]


async def test_fields_that_clients_add_at_once_are_all_declared(on_server: Open) -> None:
    """A field never gets two types: one of two rivals gets a conflict."""
    async with on_server() as one, on_server() as two, on_server() as three:
        for attempt in range(5):
            place = namespace(f"fields{attempt}")
            parties = [await engine.vectors(place) for engine in (one, two)]
            await parties[0].ensure(THINGS)
            conflicts: list[str] = []

            async def add(
                party: Vectors, name: str, kind: Literal["int", "str"], conflicts: list[str] = conflicts
            ) -> None:
                try:
                    await party.ensure(CollectionSpec(NAME, DIM, MODEL, (FieldSpec(name, kind),)))
                except Conflict:
                    conflicts.append(kind)

            async with anyio.create_task_group() as group:
                for number, party in enumerate(parties):
                    group.start_soon(add, party, f"own{number}", "int")
                    group.start_soon(add, party, "both", "int" if number else "str")
            assert len(conflicts) == 1
            both: Value = "text" if conflicts == ["int"] else 3
            await (await three.vectors(place)).upsert(NAME, [record("r", own0=1, own1=2, both=both)])
            for party in parties:
                await party.ensure(THINGS)
                assert await party.count(NAME, And((Eq("own0", 1), Eq("own1", 2), Eq("both", both)))) == 1


async def test_one_of_many_clients_sets_a_meta_value_first(on_server: Open) -> None:
    async with on_server() as one, on_server() as two:
        for attempt in range(5):
            place = namespace(f"notes{attempt}")
            parties = [await one.vectors(place), await two.vectors(place)]
            answers: set[str] = set()

            async def note(party: Vectors, value: str, answers: set[str] = answers) -> None:
                answers.add(await party.set_meta("who", value, if_absent=True))

            async with anyio.create_task_group() as group:
                for number, party in enumerate(parties * 4):
                    group.start_soon(note, party, str(number))
            assert len(answers) == 1


async def test_a_collection_recreated_by_another_client_is_found(on_server: Open) -> None:
    """A handle refers to the dropped collection; the new one is used."""
    async with on_server() as one, on_server() as two:
        mine, theirs = await one.vectors(SPACE), await two.vectors(SPACE)
        await fill(mine, record("old"))
        assert await names_stored(theirs) == ["old"]
        await mine.drop(NAME)
        await mine.ensure(CollectionSpec(NAME, DIM, MODEL, FIELDS))
        await mine.upsert(NAME, [record("new")])
        assert await names_stored(theirs) == ["new"]


async def test_a_late_write_never_replaces_a_newer_state(on_server: Open) -> None:
    """All revisions of all records are written at once in any order, with a delete in between."""
    async with on_server() as engine:
        vectors = await engine.vectors(SPACE)
        await vectors.ensure(THINGS)
        async with anyio.create_task_group() as group:
            for rev in (3, 9, 1, 7, 5, 2, 10, 4, 8):
                group.start_soon(vectors.upsert, NAME, [record(f"r{n}", rank=rev, rev=rev) for n in range(5)])
            group.start_soon(vectors.delete, NAME, {RecordId(f"r{n}"): Revision(6) for n in range(5)})
        found = await vectors.scan(NAME)
        assert [(item.id, item.rev, item.fields["rank"]) for item in found.items] == [
            (f"r{n}", 10, 10) for n in range(5)
        ]


async def test_a_cancelled_writer_leaves_no_partial_write(on_server: Open) -> None:
    """The next write waits for the abandoned one, and the later revision wins."""
    async with on_server() as engine:
        vectors = await engine.vectors(SPACE)
        await vectors.ensure(THINGS)
        for attempt in range(20):
            leaving = asyncio.ensure_future(vectors.upsert(NAME, [record("r", rank=0, rev=2 * attempt + 1)]))
            for _ in range(attempt):
                await asyncio.sleep(0)
            leaving.cancel()
            await vectors.upsert(NAME, [record("r", rank=attempt, rev=2 * attempt + 2)])
            [found] = (await vectors.scan(NAME)).items
            assert (found.rev, found.fields["rank"]) == (2 * attempt + 2, attempt)
