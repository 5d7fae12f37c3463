"""Lines out of chunks, and descriptors of every kind."""

import os
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.transports.pipes import Lines, TooLong, hung_up, reader, writer


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), max_size=8), st.integers(1, 20))
def test_lines_do_not_depend_on_how_they_were_cut(lines: list[bytes], size: int) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    lines_of = Lines(8)
    found = [line for at in range(0, len(stream), size) for line in lines_of.feed(stream[at : at + size])]
    assert [None if isinstance(line, TooLong) else line for line in found] == [
        line if len(line) <= 8 else None for line in lines
    ]
    assert lines_of.finish() == b""


def test_what_follows_the_last_newline_is_kept_for_the_end() -> None:
    lines_of = Lines(8)
    assert list(lines_of.feed(b"a\nbc")) == [b"a"]
    assert lines_of.finish() == b"bc"


def test_an_input_hangs_up_when_its_writer_is_gone_though_some_of_it_is_unread(tmp_path: Path) -> None:
    readable, writable = os.pipe()
    os.write(writable, b"unread")
    assert not hung_up(readable)
    os.close(writable)
    assert hung_up(readable)
    os.close(readable)
    with (tmp_path / "file").open("w+b") as file:
        assert hung_up(file.fileno()), "nobody adds to it"


async def test_a_file_is_read_and_written_in_order(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        async with writer(file.fileno()) as output:
            for part in (b"a", b"b" * 100_000, b"c"):
                output.put(part)
            await output.drain()
            output.put(b"last")
    with path.open("rb") as file:
        async with reader(file.fileno()) as read:
            assert await read() + await read() == b"a" + b"b" * 100_000 + b"clast"


async def test_an_unread_pipe_delays_a_writer_only_briefly() -> None:
    readable, writable = os.pipe()
    with anyio.fail_after(1):
        async with writer(writable) as output:
            output.put(b"x" * 1_000_000)
            with anyio.move_on_after(0.01) as waiting:
                await output.drain()
    assert waiting.cancelled_caught
    os.close(readable)


async def write_until_refused(descriptor: int) -> None:
    async with writer(descriptor) as output:
        for _ in range(100):
            output.put(b"x" * 100_000)
            await output.drain()


async def test_writing_to_a_reader_that_is_gone_is_an_error() -> None:
    readable, writable = os.pipe()
    os.close(readable)
    with pytest.raises(ConnectionError):
        await write_until_refused(writable)
    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(OSError, match="No space"):
        await write_until_refused(full)
    os.close(full)


async def test_what_nobody_has_read_yet_is_counted() -> None:
    readable, writable = os.pipe()
    async with writer(writable) as output:
        output.put(b"x" * 1_000_000)
        assert output.waiting() == 1_000_000
        taken = len(os.read(readable, 30_000))
        assert output.waiting() == 1_000_000 - taken
    os.close(readable)
