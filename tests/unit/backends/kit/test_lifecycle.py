"""An engine that fails while it opens is closed."""

import pytest

from backends.kit.lifecycle import open_or_close
from backends.ports.errors import Unavailable


class Door:
    def __init__(self, problem: Exception | None = None) -> None:
        self.calls: list[str] = []
        self._problem = problem

    async def open(self) -> None:
        self.calls.append("open")
        if self._problem is not None:
            raise self._problem

    async def close(self) -> None:
        self.calls.append("close")


async def test_an_engine_that_opens_stays_open() -> None:
    door = Door()
    assert await open_or_close(door) is door
    assert door.calls == ["open"]


async def test_an_engine_that_fails_is_closed_and_its_error_raised() -> None:
    door = Door(Unavailable("no"))
    with pytest.raises(Unavailable):
        await open_or_close(door)
    assert door.calls == ["open", "close"]
