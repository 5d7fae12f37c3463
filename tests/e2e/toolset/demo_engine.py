"""An engine that opens, is down or is damaged, as its options say."""

import os
import re
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import anyio
import anyio.to_thread
from pydantic import BaseModel, ConfigDict

from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.embedder import EmbedderIdentity
from backends.ports.errors import Unavailable, Unusable
from backends.ports.values import Json

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


EMBEDDED: list[str] = []
"""All texts so far."""


class ShelfSettings(BaseModel):
    """The options of the engine."""

    model_config = ConfigDict(extra="forbid")

    state: Literal["up", "damaged", "interrupted", "panic", "SIGKILL", "SIGSEGV", "full", "turns", "waits", "busy"] = (
        "up"
    )
    model: str = "shelf"
    password: str = ""


class ShelfEmbedder:
    """Every text is the same to it."""

    def __init__(self, model: str) -> None:
        self.identity = EmbedderIdentity(model=model, dim=1, revision="1")

    async def embed(self, texts: Sequence[str]) -> "NDArray[numpy.float32]":
        """Return the one direction there is, for each text."""
        import numpy

        EMBEDDED.extend(texts)
        return numpy.ones((len(texts), 1), dtype=numpy.float32)


class ShelfEngine(Engine):
    """Is there as long as the file `shelf` is in the data directory."""

    def __init__(self, file: Path, settings: ShelfSettings) -> None:
        self._file = file
        self._embedder = ShelfEmbedder(settings.model)
        self._full = settings.state == "full"

    async def embedder(self) -> ShelfEmbedder:
        """Return the embedder."""
        return self._embedder

    async def verify(self) -> None:
        """Look through the shelf, for which there may be no room."""
        if self._full:
            raise Unavailable("there is no room")

    async def health(self) -> Health:
        """Say whether the shelf is still there."""
        return Health(ok=self._file.exists(), detail=str(self._file), versions={"shelf": "1"})

    async def close(self) -> None:
        """Leave everything as it is."""


class Panic(BaseException):
    """What engines in Rust raise where they fall over: no `Exception`."""


async def wait(directory: Path) -> None:
    """Die of a shelf that is torn; over another one wait for ever, having told so in the pipe that is there."""
    if (directory / "shelf").exists() and (directory / "shelf").read_text(encoding="utf-8") == "torn":
        os.kill(os.getpid(), signal.SIGSEGV)
    with (directory / "pipe").open("wb", buffering=0) as pipe:
        pipe.write(b".")
        await anyio.sleep_forever()


async def work(directory: Path) -> None:
    """Tell so in the pipe that is there, and go on for minutes in a thread, which nothing can interrupt."""
    with (directory / "pipe").open("wb", buffering=0) as pipe:
        pipe.write(b".")
        await anyio.to_thread.run_sync(time.sleep, 300)


class ShelfAdapter:
    """How a configuration gets the engine."""

    name = "shelf"
    capabilities = Capabilities(ports=frozenset({"embedder"}))
    settings = ShelfSettings

    def files(self, options: Mapping[str, Json], directory: Path) -> tuple[Path, ...]:
        """Return the file."""
        return (directory / "shelf",)

    async def open(self, options: Mapping[str, Json], directory: Path) -> ShelfEngine:
        """Open the shelf, if it is there."""
        settings = ShelfSettings.model_validate(options)
        if settings.state.startswith("SIG"):
            os.kill(os.getpid(), signal.Signals[settings.state])
        if settings.state == "waits":
            await wait(directory)
        if settings.state == "busy":
            await work(directory)
        if settings.state == "turns":
            re.match("(a+)+$", "a" * 64 + "b")  # without letting anybody else run
        if settings.state == "interrupted":
            raise KeyboardInterrupt
        if settings.state == "panic":
            raise Panic("torn")
        if settings.state == "damaged":
            raise Unusable("The shelf is damaged; restore it from a backup.")
        if not (directory / "shelf").exists():
            raise Unavailable("there is no shelf")
        return ShelfEngine(directory / "shelf", settings)


ADAPTER = ShelfAdapter()
