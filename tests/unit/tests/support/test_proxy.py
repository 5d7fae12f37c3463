"""A road that is cut carries nothing more, whenever a connection was made."""

import asyncio
import gc
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest

from tests.support.proxy import Road


@pytest.fixture
async def road() -> AsyncIterator[Road]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)
        writer.close()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        made = Road(int(server.sockets[0].getsockname()[1]))
        await made.mend()
        yield made
        await made.cut()


async def answered(road: Road, steps: int) -> bytes:
    """Connect, cut the road so many turns of the loop later, and return what still comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", road.port)
    for _ in range(steps):
        await asyncio.sleep(0)
    await road.cut()
    writer.write(b"still there\n")
    try:
        return await asyncio.wait_for(reader.readline(), 10)
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("steps", range(8))
async def test_a_connection_made_just_before_is_broken(road: Road, steps: int) -> None:
    assert await answered(road, steps) == b""
    await road.mend()
    reader, writer = await asyncio.open_connection("127.0.0.1", road.port)
    writer.write(b"again\n")
    assert await reader.readline() == b"again\n"
    writer.close()


def test_a_cut_leaves_no_open_transport_when_the_loop_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[object] = []

    async def once(target: socket.socket, clients: ExitStack) -> None:
        road = Road(int(target.getsockname()[1]))
        await road.mend()
        calling = [clients.enter_context(socket.create_connection(("127.0.0.1", road.port))) for _ in range(5)]
        await asyncio.sleep(0.01)
        for client in calling[:2]:
            client.close()
        await asyncio.sleep(0)
        await road.cut()

    def remember(caught: "sys.UnraisableHookArgs") -> None:
        left.append(caught.exc_value)

    monkeypatch.setattr(sys, "unraisablehook", remember)
    with socket.create_server(("127.0.0.1", 0)) as target, ExitStack() as clients:
        asyncio.run(once(target, clients))
        gc.collect()
    assert not left
