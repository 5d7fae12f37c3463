"""Opening an engine: if it fails, the engine is closed."""

from typing import Protocol, TypeVar


class Openable(Protocol):
    """An engine that connects in a separate call."""

    async def open(self) -> None:
        """Connect."""
        ...

    async def close(self) -> None:
        """Close; safe to repeat, also after a failed `open`."""
        ...


OpenableT = TypeVar("OpenableT", bound=Openable)


async def open_or_close(engine: OpenableT) -> OpenableT:
    """Open and return the engine. Raises what `open` raises, after closing the engine."""
    try:
        await engine.open()
    except BaseException:
        await engine.close()
        raise
    return engine
