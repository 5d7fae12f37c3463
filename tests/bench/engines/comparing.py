"""What a port costs: its calls and the bare driver's, taken in turn, so that a change of the machine's speed meets both."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final, Protocol, TypeAlias

Call: TypeAlias = Callable[[int], Awaitable[object]]
"""One call; it is given its number, from 0."""

CALLS: Final = 60
DEAREST: Final = 1.3
"""What a port may cost of the bare driver's time; a thread hop comes on top where the driver blocks."""
DEAREST_BULK: Final = 1 / 0.7
"""In bulk a port does at least 70 % of what the engine's own way of writing much does."""


@dataclass(frozen=True, slots=True)
class Row:
    """The same work done by the bare driver and by a port, on data of their own."""

    name: str
    bare: Call
    port: Call
    calls: int = CALLS
    dearest: float = DEAREST


@dataclass(frozen=True, slots=True)
class Figure:
    """The medians of a row in milliseconds."""

    engine: str
    name: str
    bare_ms: float
    port_ms: float
    dearest: float

    @property
    def ratio(self) -> float:
        """How many times the bare call's time the port's call takes."""
        return self.port_ms / self.bare_ms

    def line(self) -> str:
        """Return the figures as a line of the table, marked when the port takes more than it may."""
        mark = " !" if self.ratio > self.dearest else ""
        share = f"  {100 / self.ratio:4.0f} % of the engine's rate" if self.dearest == DEAREST_BULK else ""
        return (
            f"{self.engine:10}{self.name:24}{self.bare_ms:10.2f}{self.port_ms:10.2f}{self.ratio:8.2f}x{mark:2}{share}"
        )


class Comparison(Protocol):
    """A module of this package: the rows of a kind of engine."""

    def rows(self, kind: str, directory: Path) -> AsyncIterator[Row]:
        """Yield the rows; each is measured before the next is asked for, and everything is closed at the end."""
        ...


async def figure(engine: str, row: Row) -> Figure:
    """Measure a row: the two calls in turn, and in turn the first; the first tenth of the calls warms up."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(row.calls):
        turn = [(taken[0], row.bare), (taken[1], row.port)]
        for times, call in turn if number % 2 else reversed(turn):
            began = time.perf_counter()
            await call(number)
            times.append((time.perf_counter() - began) * 1_000)
    bare, port = (median(times[row.calls // 10 :]) for times in taken)
    return Figure(engine, row.name, bare, port, row.dearest)


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as a table."""
    head = f"{'engine':10}{'call, p50 in ms':24}{'bare':>10}{'port':>10}{'ratio':>9}"
    return "\n".join([head, *(measured.line() for measured in figures)])
