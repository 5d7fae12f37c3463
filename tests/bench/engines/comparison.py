"""What a port costs: its calls and the bare driver's, taken in turn, so that a change of the machine's speed meets both."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final, Protocol, TypeAlias

Call: TypeAlias = Callable[[int], Awaitable[object]]
"""One call; it is given its number, from 0."""

CALLS: Final = 60
DEAREST: Final = 1.3
"""What a port may cost of the bare driver's time; the hop to a thread and back comes on top where the driver blocks."""
DEAREST_BULK: Final = 1 / 0.7
"""In bulk a port does at least 70 % of what the engine's own way of writing much does."""


@dataclass(frozen=True, slots=True)
class Row:
    """The same work done by the bare driver, in the thread that asks, and by a port, on data of their own."""

    name: str
    bare: Call
    port: Call
    calls: int = CALLS
    dearest: float = DEAREST
    blocks: bool = False
    """Whether the driver blocks, for which the port's call goes to a thread and back."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The medians of a row in milliseconds; the hop's is 0 where the port needs none."""

    engine: str
    name: str
    bare_ms: float
    hop_ms: float
    port_ms: float
    dearest: float

    def line(self) -> str:
        """Return the figures as a line of the table, marked when the port takes more than it may."""
        ratio, less_hop = self.port_ms / self.bare_ms, (self.port_ms - self.hop_ms) / self.bare_ms
        times = "".join(f"{ms:10.3f}" for ms in (self.bare_ms, self.hop_ms, self.port_ms))
        mark = " !" if less_hop > self.dearest else ""
        share = f"  {100 / ratio:4.0f} % of the engine's rate" if self.dearest == DEAREST_BULK else ""
        return f"{self.engine:10}{self.name:24}{times}{ratio:9.2f}x{less_hop:9.2f}x{mark:2}{share}"


class Comparison(Protocol):
    """A module of this package: the rows of a kind of engine."""

    def rows(self, kind: str, directory: Path) -> AsyncIterator[Row]:
        """Yield the rows; each is measured before the next is asked for, and everything is closed at the end."""
        ...


async def figure(engine: str, row: Row) -> Figure:
    """Measure a row: the calls in turn, and each in turn the first; the first tenth of the calls warms up."""
    with ThreadPoolExecutor(1) as thread:
        loop = asyncio.get_running_loop()
        calls: dict[str, Call] = {"bare": row.bare, "port": row.port}
        if row.blocks and row.dearest == DEAREST:
            calls["hop"] = lambda _: loop.run_in_executor(thread, _nothing)
        taken: dict[str, list[float]] = {name: [] for name in calls}
        for number in range(row.calls):
            first = number % len(calls)
            for name in [*calls][first:] + [*calls][:first]:
                began = time.perf_counter()
                await calls[name](number)
                taken[name].append((time.perf_counter() - began) * 1_000)
    ms = {name: median(times[row.calls // 10 :]) for name, times in taken.items()}
    return Figure(engine, row.name, ms["bare"], ms.get("hop", 0.0), ms["port"], row.dearest)


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as a table."""
    heads = "".join(f"{name:>10}" for name in ("bare", "hop", "port", "ratio", "less hop"))
    return "\n".join([f"{'engine':10}{'call, p50 in ms':24}{heads}", *(measured.line() for measured in figures)])


def _nothing() -> None:
    """Do no more than to get to a thread and back."""
