"""Parsers run in processes whose crashes, loops and greed cost one file."""

import hashlib
import os
import select
import signal
import socket
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import psutil
import pytest

from tests.support import hostile_parsers
from toolsets.concept_rag.ingestion.document import FailureKind, NotADocument, ParsedDocument, SkipKind, Unreadable
from toolsets.concept_rag.ingestion.pdf import second_process
from toolsets.concept_rag.ingestion.pool import ParserLimits, ParserPool

MIB = 1 << 20
LIMITS = ParserLimits(memory_bytes=320 * MIB)
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
async def pool() -> AsyncGenerator[ParserPool]:
    async with ParserPool(limits=LIMITS, parsers=hostile_parsers.PARSERS) as running:
        yield running


def _children() -> set[int]:
    """The processes that this one started and that have not ended."""
    return {child.pid for child in psutil.Process().children()}


def deed(folder: Path, name: str, ending: str = ".txt") -> Path:
    path = folder / f"{name}{ending}"
    path.write_text(name)
    return path


def text_of(document: ParsedDocument) -> str:
    return document.blocks[0].text


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("abort", "crashed", "aborted, most likely because the file needs more than 320 MiB of memory"),
        ("segfault", "crashed", "SIGSEGV"),
        ("leave", "crashed", "code 0"),
        ("exit", "crashed", "code 0"),
        ("raise", "damaged", "KeyError"),
        ("recurse", "damaged", "RecursionError"),
        ("refuse", "encrypted", "It has a lock."),
        ("grow", "too_large", "320 MiB"),
        ("flood", "too_large", "more text"),
        ("surrogate", "damaged", "characters"),
        ("fake image", "crashed", "broken reply"),
        ("truncate", "changed", "written to"),
        ("replace", "changed", "written to"),
        ("remove", "changed", "written to"),
    ],
)
async def test_a_parser_that_fails_costs_its_file_only(
    name: str, kind: FailureKind, words: str, pool: ParserPool, tmp_path: Path
) -> None:
    (tmp_path / "other").write_text(name)
    with pytest.raises(Unreadable) as failure:
        await pool.parse(deed(tmp_path, name))
    assert failure.value.kind == kind
    assert words in failure.value.reason
    assert text_of(await pool.parse(deed(tmp_path, "the next"))) == "the next"


@pytest.mark.parametrize("name", ["spin", "wait"])
async def test_a_parser_that_hangs_is_ended_when_its_time_is_over(name: str, tmp_path: Path) -> None:
    limits = ParserLimits(memory_bytes=LIMITS.memory_bytes, max_seconds=0.3)
    async with ParserPool(limits=limits, parsers=hostile_parsers.PARSERS) as pool:
        with pytest.raises(Unreadable) as failure:
            await pool.parse(deed(tmp_path, name))
        assert failure.value.kind == "too_slow"
        assert text_of(await pool.parse(deed(tmp_path, "next"))) == "next"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("skip", "no_text"), ("silence", "no_text"), ("nothing", "empty")],
)
async def test_a_file_without_anything_to_ingest_is_skipped(
    name: str, kind: SkipKind, pool: ParserPool, tmp_path: Path
) -> None:
    path = deed(tmp_path, name)
    if name == "nothing":
        path.write_bytes(b"")
    with pytest.raises(NotADocument) as skip:
        await pool.parse(path)
    assert skip.value.kind == kind


async def test_standard_streams_of_a_parser_are_not_those_of_requests_and_replies(
    pool: ParserPool, tmp_path: Path
) -> None:
    assert text_of(await pool.parse(deed(tmp_path, "print"))) == "read 0 characters"
    assert text_of(await pool.parse(deed(tmp_path, "next"))) == "next"


@pytest.mark.parametrize("ending", [".html", ".epub"])
async def test_a_parser_that_cannot_be_loaded_fails_its_file(ending: str, pool: ParserPool, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"PK\x03\x04" if ending == ".epub" else b"<p>")
    with pytest.raises(Unreadable):
        await pool.parse(path)


async def test_parsers_can_write_no_large_files(pool: ParserPool, tmp_path: Path) -> None:
    assert text_of(await pool.parse(deed(tmp_path, "write"))) == "OSError"


async def test_what_parsers_write_aside_goes_with_their_process(tmp_path: Path) -> None:
    async with ParserPool(limits=LIMITS, parsers=hostile_parsers.PARSERS) as pool:
        written = Path(text_of(await pool.parse(deed(tmp_path, "scratch"))))
        assert written.exists()
    assert not written.parent.exists()


async def test_parsers_get_no_secrets_from_the_environment(
    pool: ParserPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    assert "SOME_API_KEY" not in text_of(await pool.parse(deed(tmp_path, "variables")))


@pytest.mark.parametrize("ending", [".txt", ".md"])
async def test_a_document_carries_the_hash_of_the_bytes_that_were_parsed(
    ending: str, pool: ParserPool, tmp_path: Path
) -> None:
    path = deed(tmp_path, "some text", ending)
    assert (await pool.parse(path)).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


async def test_pictures_beyond_the_limit_are_left_out_with_a_note(pool: ParserPool, tmp_path: Path) -> None:
    document = await pool.parse(deed(tmp_path, "gallery"))
    assert [len(picture.png) for picture in document.pictures] == [(20 << 20) + 8] * 3
    assert document.notes == ("1 pictures are left out: a document keeps 64 MiB of them.",)


async def test_a_process_parses_one_file_after_the_other(pool: ParserPool, tmp_path: Path) -> None:
    path = deed(tmp_path, "process")
    assert text_of(await pool.parse(path)) == text_of(await pool.parse(path))


async def test_a_process_is_replaced_after_its_share_of_files(tmp_path: Path) -> None:
    limits = ParserLimits(memory_bytes=LIMITS.memory_bytes, files_per_worker=2)
    async with ParserPool(limits=limits, parsers=hostile_parsers.PARSERS) as pool:
        path = deed(tmp_path, "process")
        first, second, third = [text_of(await pool.parse(path)) for _ in range(3)]
    assert first == second != third


async def test_a_process_that_has_grown_is_replaced(pool: ParserPool, tmp_path: Path) -> None:
    path = deed(tmp_path, "grow some")
    assert text_of(await pool.parse(path)) != text_of(await pool.parse(path))


async def test_a_process_that_was_killed_between_files_is_replaced(pool: ParserPool, tmp_path: Path) -> None:
    path = deed(tmp_path, "process")
    killed = int(text_of(await pool.parse(path)))
    watch = os.pidfd_open(killed)
    os.kill(killed, signal.SIGKILL)
    assert select.select([watch], [], [], 10)[0]
    os.close(watch)
    assert int(text_of(await pool.parse(path))) != killed


async def test_two_files_at_a_time_go_through_two_processes(tmp_path: Path) -> None:
    found: set[str] = set()
    others = _children()
    limits = ParserLimits(memory_bytes=2 * LIMITS.memory_bytes)
    async with ParserPool(workers=2, limits=limits, parsers=hostile_parsers.PARSERS) as pool:

        async def parse() -> None:
            found.add(text_of(await pool.parse(deed(tmp_path, "process"))))

        async with anyio.create_task_group() as group:
            group.start_soon(parse)
            group.start_soon(parse)
        assert len(found) == 2
        assert len(_children() - others) == 2
    assert _children() <= others


@linux
async def test_a_cancelled_call_ends_its_process(pool: ParserPool, tmp_path: Path) -> None:
    workers: list[int] = []
    async with _Listener(tmp_path) as listener, anyio.create_task_group() as group:
        group.start_soon(pool.parse, deed(tmp_path, "listen"))
        workers.append(await listener.receive())
        assert {*workers} <= _children()
        group.cancel_scope.cancel()
    assert not {*workers} & _children()
    assert text_of(await pool.parse(deed(tmp_path, "next"))) == "next"


@linux
async def test_a_cancelled_call_ends_what_its_process_started(pool: ParserPool, tmp_path: Path) -> None:
    watches: list[int] = []
    async with _Listener(tmp_path) as listener, anyio.create_task_group() as group:
        group.start_soon(pool.parse, deed(tmp_path, "start"))
        watches.append(os.pidfd_open(await listener.receive()))
        group.cancel_scope.cancel()
    assert select.select(watches, [], [], 10)[0], "what the parser started lives on"
    os.close(watches[0])


class _Listener:
    """A socket beside the files, to which a parser says where it runs."""

    def __init__(self, folder: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(folder / "socket"))
        self._socket.listen()
        self._connected: list[socket.socket] = []

    async def __aenter__(self) -> "_Listener":
        return self

    async def __aexit__(self, *error: object) -> None:
        for open_socket in (self._socket, *self._connected):
            open_socket.close()

    async def receive(self) -> int:
        await anyio.wait_readable(self._socket)
        self._connected.append(self._socket.accept()[0])
        await anyio.wait_readable(self._connected[0])
        return int(self._connected[0].recv(100))


_PARENT = """
import sys
from pathlib import Path
import anyio
from tests.support import hostile_parsers
from toolsets.concept_rag.ingestion.pool import ParserPool

async def main():
    async with ParserPool(parsers=hostile_parsers.PARSERS) as pool:
        await pool.parse(Path(sys.argv[1]))

anyio.run(main)
"""


@linux
async def test_a_parsing_process_dies_with_the_one_that_started_it(tmp_path: Path) -> None:
    async with _Listener(tmp_path) as listener:
        path = str(deed(tmp_path, "listen"))
        # The parser is a module of the tests, which are not installed.
        search = os.pathsep.join(filter(None, sys.path))
        environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": search}
        async with await anyio.open_process(
            [sys.executable, "-c", _PARENT, path], stdin=None, stdout=None, env=environment
        ) as parent:
            with anyio.fail_after(30):
                child = os.pidfd_open(await listener.receive())
            parent.kill()
        assert select.select([child], [], [], 10)[0], "the child lives on"
        os.close(child)


async def test_the_time_for_a_file_grows_with_its_size_to_a_limit() -> None:
    limits = ParserLimits(seconds_per_mib=2, max_seconds=100)
    assert [limits.seconds(10, size) for size in (0, 5 * MIB, 1_000 * MIB)] == [10, 20, 100]


async def test_most_of_the_time_may_go_to_reading_images_of_pages(pool: ParserPool, tmp_path: Path) -> None:
    assert text_of(await pool.parse(deed(tmp_path, "budget", ".md"))) == "21"


async def test_all_workers_and_the_command_with_its_model_stay_below_a_gigabyte() -> None:
    command = 250_000_000
    assert command + ParserLimits().memory_bytes + second_process.MEMORY_BYTES < 10**9


async def test_paths_that_are_no_files_are_refused(pool: ParserPool, tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    for name in ("folder.txt", "pipe.txt", "nothing.txt"):
        with pytest.raises(NotADocument) as skip:
            await pool.parse(tmp_path / name)
        assert skip.value.kind == "not_a_file"
    with pytest.raises(NotADocument) as skip:
        await pool.parse(deed(tmp_path, "program", ".exe"))
    assert skip.value.kind == "unknown_format"


async def test_a_file_larger_than_its_format_allows_is_refused(pool: ParserPool, tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate((1 << 20) + 1)
    with pytest.raises(Unreadable) as failure:
        await pool.parse(path)
    assert failure.value.kind == "too_large"


async def test_a_name_of_any_bytes_is_parsed(pool: ParserPool, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 \xff.txt"))
    path.write_text("words")
    assert text_of(await pool.parse(path)) == "words"


@linux
async def test_the_first_file_is_parsed_by_the_process_that_was_started_for_it(tmp_path: Path) -> None:
    before = _children()
    async with ParserPool(limits=LIMITS, parsers=hostile_parsers.PARSERS) as pool:
        await pool.start()
        started = _children() - before
        assert text_of(await pool.parse(deed(tmp_path, "words"))) == "words"
        assert _children() - before == started != set()
    assert not _children() - before


@linux
async def test_a_started_process_that_dies_is_replaced(tmp_path: Path) -> None:
    before = _children()
    async with ParserPool(limits=LIMITS, parsers=hostile_parsers.PARSERS) as pool:
        await pool.start()
        (started,) = _children() - before
        os.kill(started, signal.SIGKILL)
        assert text_of(await pool.parse(deed(tmp_path, "words"))) == "words"


async def test_a_pool_parses_only_while_it_is_entered(tmp_path: Path) -> None:
    pool = ParserPool(parsers=hostile_parsers.PARSERS)
    with pytest.raises(RuntimeError):
        await pool.parse(deed(tmp_path, "words"))
