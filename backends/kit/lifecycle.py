"""Opening an engine: one that fails half-way is closed again."""

from typing import Protocol, TypeVar


class Openable(Protocol):
    """An engine that connects in a call of its own."""

    async def open(self) -> None:
        """Connect."""
        ...

    async def close(self) -> None:
        """Let go of what is open; repeatable, also when `open` failed."""
        ...


OpenableT = TypeVar("OpenableT", bound=Openable)


async def open_or_close(engine: OpenableT) -> OpenableT:
    """Return the engine when it is open. Raises what opening it raises, after closing it."""
    try:
        await engine.open()
    except BaseException:
        await engine.close()
        raise
    return engine
