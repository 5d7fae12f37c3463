"""Chroma in this process, in a folder that no other process may have open."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar, cast

import chromadb
from chromadb.api.client import Client
from chromadb.errors import ChromaError

from backends.chroma.driver import BucketGone, Buckets, NativeClient
from backends.chroma.errors import damaged, not_opened, translated
from backends.chroma.examining import Torn, check_database, examine
from backends.chroma.files import DATABASE
from backends.chroma.native import forget_opening, native_settings
from backends.holding import Held
from backends.offload import Workers
from backends.ports.errors import Timeout, Unavailable

WRITTEN_AT_ONCE: Final = 50
"""The engine holds the interpreter while it stores; more at once would keep everybody else waiting."""

EXAMINE_TIMEOUT_S: Final = 3_600.0

ResultT = TypeVar("ResultT")


class Embedded:
    """The embedded engine, on one thread: what was asked first is done first, also when nobody waits for it any more."""

    written_at_once = WRITTEN_AT_ONCE

    def __init__(self, path: Path, timeout_s: float, held: Held) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._held = held
        self._workers = Workers("chroma", threads=1)
        self._client: Client | None = None
        self._buckets: Buckets | None = None
        self._database: tuple[int, int] | None = None
        self.lost = False
        """Whether what was opened last was found to be no longer there; `open` mends that."""

    async def open(self) -> Buckets:
        """Open the folder, or make it; again when it was lost. Raises `Unusable` for one that is damaged.

        Only what was returned last can be used.
        """
        client = await self._run(self._open)

        async def run(call: Callable[[], object]) -> object:
            return await self._run(lambda: self._in_place(client, call))

        self._buckets = Buckets(cast("NativeClient", client), run)
        return self._buckets

    async def versions(self) -> dict[str, str]:
        """Return the version of the engine, which is the driver's. Raises `Unavailable` once it is closed."""
        await self._run(lambda: self._in_place(self._client, lambda: None))
        return {"chromadb": chromadb.__version__}

    async def examine(self) -> None:
        """Read all that the folder holds. Raises `Unusable`, and what a call raises."""
        try:
            await self._workers.run(lambda: check_database(self._path / DATABASE), timeout_s=EXAMINE_TIMEOUT_S)
            await examine(self._buckets or await self.open())
        except (Torn, BucketGone, ValueError, LookupError, sqlite3.Error) as problem:
            raise damaged(self._path, str(problem)) from problem

    async def close(self) -> None:
        """Let the engine finish and let go of its files and the folder; repeatable.

        What takes longer than the time for a call goes on, and has the folder for itself until it has ended.
        """
        with suppress(Timeout):
            await self._workers.end(self._let_go, timeout_s=self._timeout_s)

    async def _run(self, call: Callable[[], ResultT]) -> ResultT:
        return await self._workers.run(lambda: self._translated(call), timeout_s=self._timeout_s)

    def _translated(self, call: Callable[[], ResultT]) -> ResultT:
        with translated(f"Chroma in {self._path}", self._path):
            return call()

    def _in_place(self, client: Client | None, call: Callable[[], object]) -> object:
        """Call the client while its folder is there. Of a removed one it would go on to answer from files without a name."""
        there = self._database_there()
        is_current = client is not None and client is self._client
        if is_current and there is not None and there == self._database:
            return call()
        # One of before was lost already: what it still asks is no reason to open the present one again.
        self.lost = self.lost or is_current
        raise Unavailable(f"Chroma in {self._path}: the folder was removed or replaced; it is opened again")

    def _database_there(self) -> tuple[int, int] | None:
        """Return which file the database is, whatever it is called."""
        try:
            found = (self._path / DATABASE).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_dev, found.st_ino

    def _open(self) -> Client:
        self._close()
        settings = native_settings(
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
            is_persistent=True,
            persist_directory=str(self._path),
        )
        self._path.mkdir(parents=True, exist_ok=True)
        try:
            client = self._client = cast("Client", chromadb.PersistentClient(self._path, settings=settings))
        except (ChromaError, ValueError) as error:
            forget_opening(self._path)
            raise not_opened(error, self._path) from error
        self._database = self._database_there()
        self.lost = False
        return client

    def _let_go(self) -> None:
        try:
            self._close()
        finally:
            self._held.release()

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()
