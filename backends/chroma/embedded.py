"""Chroma in this process, in a folder that no other process may have open."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import chromadb
from chromadb.api.client import Client
from chromadb.errors import ChromaError

from backends.chroma.driver import NativeClient
from backends.chroma.errors import translated
from backends.chroma.native import native_settings
from backends.offload import Workers
from backends.ports.errors import StoreError, Unusable

WRITTEN_AT_ONCE: Final = 50
"""The engine holds the interpreter while it stores; more at once would keep everybody else waiting."""


class Embedded:
    """The embedded engine, on one thread: what was asked first is done first, also when nobody waits for it any more."""

    written_at_once = WRITTEN_AT_ONCE

    def __init__(self, path: Path, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._workers = Workers("chroma", threads=1)
        self._client: Client | None = None

    async def open(self) -> NativeClient:
        """Open the folder, or make it. Raises `Unusable` for one that is damaged."""
        return cast("NativeClient", await self.run(self._open))

    async def run(self, call: Callable[[], object]) -> object:
        """Return what the client answers."""
        return await self._workers.run(lambda: self._translated(call), timeout_s=self._timeout_s)

    async def versions(self) -> dict[str, str]:
        """Return the version of the engine, which is the driver's. Raises `Unavailable` once it is closed."""
        await self.run(lambda: self._client.heartbeat() if self._client is not None else None)
        return {"chromadb": chromadb.__version__}

    async def close(self) -> None:
        """Let the engine finish and let go of its files; repeatable."""
        try:
            await self._workers.run(self._close, timeout_s=self._timeout_s)
        except StoreError:
            return
        self._workers.close()

    def _translated(self, call: Callable[[], object]) -> object:
        with translated(f"Chroma in {self._path}"):
            return call()

    def _open(self) -> object:
        settings = native_settings(
            chroma_api_impl="chromadb.api.rust.RustBindingsAPI",
            is_persistent=True,
            persist_directory=str(self._path),
        )
        self._path.mkdir(parents=True, exist_ok=True)
        try:
            self._client = cast("Client", chromadb.PersistentClient(self._path, settings=settings))
        except (ChromaError, ValueError) as error:
            raise Unusable(
                f"Chroma in {self._path} cannot be opened ({error}). If it is damaged: stop, move the folder away, "
                "start; it is filled again from the event log"
            ) from error
        return self._client

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()
