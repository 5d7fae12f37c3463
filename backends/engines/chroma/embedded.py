"""Chroma embedded in this process, in a folder that no other process may open."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar, cast

import chromadb
from chromadb.api.client import Client
from chromadb.errors import ChromaError

from backends.engines.chroma.driver import BucketGone, Buckets, NativeClient, forget_opening, native_settings
from backends.engines.chroma.errors import damaged_error, not_opened_error, translated
from backends.engines.chroma.files import DATABASE
from backends.engines.chroma.verify import check_database, verify
from backends.kit import disk
from backends.kit.file_identity import OpenedPath
from backends.kit.file_lock import AcquiredLock
from backends.kit.scratch_copy import DamageFound
from backends.kit.threads import Workers
from backends.ports.errors import Timeout, Unavailable

WRITTEN_AT_ONCE: Final = 50
"""The engine holds the GIL while it stores, so larger calls would block all other work for longer."""
MIN_FREE_BYTES: Final = 64 * 1024 * 1024
"""The least free space for a write. On a full disk the engine never returns, and holds the GIL, so the process stands still."""

VERIFY_TIMEOUT_S: Final = 3_600.0
"""The check reads the whole database file: minutes for a large one, so only a read that hangs takes an hour."""

ResultT = TypeVar("ResultT")


class EmbeddedEngine:
    """The embedded engine on one thread. Calls run in order, even if their caller has stopped waiting."""

    written_at_once = WRITTEN_AT_ONCE

    def __init__(self, path: Path, timeout_s: float, lock: AcquiredLock) -> None:
        self.path = path
        self._timeout_s = timeout_s
        self._lock = lock
        self._workers = Workers("chroma", threads=1)
        self._client: Client | None = None
        self._buckets: Buckets | None = None
        self._database = OpenedPath(path / DATABASE)
        self.lost = False
        """Whether the open folder was removed or replaced. `open` opens it again."""

    async def open(self) -> Buckets:
        """Open the folder, created if needed. Raises `Unusable` for a damaged one.

        Buckets returned earlier become unusable.
        """
        client = await self._run(self._open)

        async def run(call: Callable[[], object], *, writes: bool = False) -> object:
            return await self._run(lambda: self._in_place(client, call, writes=writes))

        self._buckets = Buckets(cast("NativeClient", client), run)
        return self._buckets

    async def versions(self) -> dict[str, str]:
        """Return the engine's version, which is the driver's. Raises `Unavailable` after closing."""
        await self._run(lambda: self._in_place(self._client, lambda: None))
        return {"chromadb": chromadb.__version__}

    def out_of_space(self) -> str | None:
        """Return a sentence if the disk has no room for a write."""
        return disk.disk_full_problem(self.path, min_bytes=MIN_FREE_BYTES)

    async def verify(self) -> None:
        """Read everything in the folder. Raises `Unusable`, and what a call raises."""
        try:
            await self._workers.run(lambda: check_database(self.path / DATABASE), timeout_s=VERIFY_TIMEOUT_S)
            await verify(self._buckets or await self.open())
        except (DamageFound, BucketGone, ValueError, LookupError, sqlite3.Error) as problem:
            raise damaged_error(self.path, str(problem)) from problem

    async def close(self) -> None:
        """Wait for running calls, then release the files and the folder. Repeatable.

        A call that exceeds its time limit continues and keeps the folder locked until it ends.
        """
        with suppress(Timeout):
            await self._workers.end(self._close_and_unlock, timeout_s=self._timeout_s)

    async def _run(self, call: Callable[[], ResultT]) -> ResultT:
        return await self._workers.run(lambda: self._translated(call), timeout_s=self._timeout_s)

    def _translated(self, call: Callable[[], ResultT]) -> ResultT:
        with translated(f"Chroma in {self.path}", self.path):
            return call()

    def _in_place(self, client: Client | None, call: Callable[[], object], *, writes: bool = False) -> object:
        """Call the client if its folder still exists. In a removed folder it would keep answering from deleted files.

        A folder that was moved away may be moved back, so no new one is created in its place. A call that `writes`
        raises `Unavailable` without room.
        """
        state = self._database.state()
        is_current = client is not None and client is self._client
        if is_current and state == "same":
            if writes:
                disk.check_free_space(self.path, min_bytes=MIN_FREE_BYTES)
            return call()
        if state in ("moved", "unreachable"):
            raise Unavailable(f"Chroma: {self._database.problem(state)}")
        # Calls of an earlier client must not cause another reopening.
        self.lost = self.lost or is_current
        raise Unavailable(f"Chroma in {self.path}: the folder was removed or replaced; it is opened again")

    def _open(self) -> Client:
        self._close()
        settings = native_settings(
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
            is_persistent=True,
            persist_directory=str(self.path),
        )
        self.path.mkdir(parents=True, exist_ok=True)
        if not (self.path / DATABASE).exists():
            disk.check_free_space(self.path, min_bytes=MIN_FREE_BYTES)
        try:
            client = self._client = cast("Client", chromadb.PersistentClient(self.path, settings=settings))
        except (ChromaError, ValueError) as error:
            forget_opening(self.path)
            raise not_opened_error(error, self.path) from error
        self._database.remember()
        self.lost = False
        return client

    def _close_and_unlock(self) -> None:
        try:
            self._close()
        finally:
            self._lock.release()

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()
        self._database.close()
