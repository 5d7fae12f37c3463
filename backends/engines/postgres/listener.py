"""Notifications of appends by other processes. A separate module, because it has its own connection and task.

They are hints: a waiter also polls.
"""

import asyncio
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import sql

from backends.engines.postgres.connection import ConnectionPool
from backends.ports.errors import StoreError

AGAIN_AFTER_S: Final = 1.0
"""How long to wait before listening again after the connection was lost."""


class Listener:
    """Wakes waiters when the log may have grown."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections
        self._listening: asyncio.Task[None] | None = None
        self.news = asyncio.Event()
        """Set by the next notification; get it before reading the log."""

    def start(self) -> None:
        """Start listening, unless it already does."""
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())

    def wake(self) -> None:
        """Wake all waiters."""
        self.news.set()
        self.news = asyncio.Event()

    async def close(self) -> None:
        """Stop listening; repeatable."""
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening

    async def _listen(self) -> None:
        while True:
            with suppress(StoreError, psycopg.Error):
                await self._follow()
            await asyncio.sleep(AGAIN_AFTER_S)

    async def _follow(self) -> None:
        connection = await self._connections.connect()
        try:
            channel = sql.Identifier(f"entrepot_{self._connections.space}")
            await connection.execute(sql.SQL("LISTEN {}").format(channel))
            # Appends before this moment are not announced.
            self.wake()
            async for _ in connection.notifies():
                self.wake()
        finally:
            await connection.close()
