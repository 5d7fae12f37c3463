"""Clients that send or read too slowly are disconnected; those that wait for a reply are not."""

import asyncio
import socket
from contextlib import suppress

import anyio
import pytest

from gateway.transports import connections
from tests.unit.gateway.transports.test_connections import BIG, OK, SLOW, START, server, status_after, statuses


async def test_nothing_is_sent_to_a_client_that_is_gone_while_requests_are_queued(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "UNREAD_S", 0.1)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server() as (port, state):
        with socket.create_connection(("127.0.0.1", port)) as deaf:
            deaf.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3)
            with anyio.fail_after(10):
                while not state.total_requests or state.connections or state.tasks:
                    await anyio.sleep(0.01)
        assert state.total_requests == 1


async def test_a_client_whose_requests_wait_for_another_is_not_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part that is parsed at once ends within the headers of the third."""
    monkeypatch.setattr(connections, "HEADERS_S", 0.1)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        third = b"GET /third HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 2_000 + b"\r\n\r\n"
        writer.write(b"GET /slow HTTP/1.1\r\n\r\n" + b"GET /second HTTP/1.1\r\n\r\n" + third)
        with anyio.fail_after(10):
            for path in (b"slow", b"second", b"third"):
                assert b"\r\npath: /" + path in await reader.readuntil(b"done")
        writer.close()


async def test_slow_headers_do_not_end_the_reply_to_the_request_before_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.05)
    monkeypatch.setattr(connections, "SWEEP_S", 0.01)
    async with server() as (port, _):
        found = await statuses(port, SLOW + b"\r\nhello", b"POST /fa")
    assert found == [OK, b"HTTP/1.1 408 Request Timeout"]


@pytest.mark.parametrize("sent", [b"", b"POST", START, b"\r\n"])
async def test_headers_that_do_not_arrive_in_time_are_answered_408(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.05)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server() as (port, _):
        assert await status_after(port, sent) == b"HTTP/1.1 408 Request Timeout"


async def test_a_second_request_on_a_connection_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.1)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with anyio.fail_after(10):
            writer.write(START + b"Content-Length: 0\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            await anyio.sleep(0.2)
            await reader.readuntil(b"done")
            writer.write(b"POST /x HT")
            assert (await reader.readline()).startswith(b"HTTP/1.1 408")
        writer.close()


async def test_an_unread_body_closes_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MESSAGE_S", 0.1)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server() as (port, state):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /deaf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
        with anyio.fail_after(10), suppress(ConnectionError):
            while await reader.read(100):
                writer.write(b"")
        assert not state.connections
        writer.close()


async def test_a_client_that_does_not_read_its_reply_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "UNREAD_S", 0.1)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server() as (port, state):
        with socket.create_connection(("127.0.0.1", port)) as deaf:
            deaf.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with anyio.fail_after(10):
                while not state.total_requests:
                    await anyio.sleep(0.01)
                while state.connections:
                    await anyio.sleep(0.01)
            received = 0
            with suppress(ConnectionError):
                while chunk := deaf.recv(1 << 20):
                    received += len(chunk)
            assert received < BIG


async def test_a_client_that_reads_slowly_gets_its_whole_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "UNREAD_S", 1.0)
    monkeypatch.setattr(connections, "SWEEP_S", 0.02)
    async with server() as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=64 * 1024)
        writer.write(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        read = 0
        with anyio.fail_after(20):
            while read < BIG:
                read += len(await reader.readexactly(min(1024 * 1024, BIG - read)))
                await anyio.sleep(0.12)
        assert head.startswith(b"HTTP/1.1 200")
        writer.close()
