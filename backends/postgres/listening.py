"""Learns of appends by other processes as they happen. Only a hint: whoever waits also looks by itself."""

import asyncio
from contextlib import suppress
from typing import Final

import psycopg
from psycopg import sql

from backends.ports.errors import StoreError
from backends.postgres.connections import Connections

AGAIN_AFTER_S: Final = 1.0
"""How long after losing the server its news are asked for again."""


class Listener:
    """Tells those who wait that the log may have grown."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._listening: asyncio.Task[None] | None = None
        self.news = asyncio.Event()
        """Set by the next piece of news; take it before looking at the log."""

    def start(self) -> None:
        """Listen from now on, if nobody does yet."""
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())

    def tell(self) -> None:
        """Wake everybody who waits."""
        self.news.set()
        self.news = asyncio.Event()

    async def close(self) -> None:
        """Listen no more; repeatable."""
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
            # What came before the server listened for us is not announced again.
            self.tell()
            async for _ in connection.notifies():
                self.tell()
        finally:
            await connection.close()
