"""Measure and print the tables.

    python -m tests.bench [--toolset NAME] [--sizes 1000,10000,100000] [--calls 200] [--keep DIRECTORY] [--only PATTERN]

Every time is a whole call through a raw client. All rows of a size and the yardsticks are taken in
turn, call by call, so that a change of the machine's speed meets all of them.
"""

import argparse
import asyncio
import os
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from statistics import median

from backends.ports.embedder import Embedder
from backends.registry import load_adapter
from tests.bench.subjects import KNOWLEDGE, SUBJECTS, Measured
from tests.support.raw import Caller, HttpCaller, StdioCaller
from tests.support.servers import BARE, bare_http, ours_http_from_nothing, ours_on_stdio

BARE_ECHO, EMBEDDING = "bare SDK server", "embedding of a text"
EMBEDDING_OF = "embedding of "


async def embedder() -> Embedder:
    """Return the embedder of the default profile."""
    engine = await load_adapter("minilm").open({"remembered": 0}, Path())
    return await engine.embedder()


async def timed(caller: Caller, tool: str, arguments: Mapping[str, object]) -> float:
    """Return the milliseconds of one call of a tool, or of a route where the name is a path."""
    began = time.perf_counter()
    if tool.startswith("/") and isinstance(caller, HttpCaller):
        await caller.post(tool, arguments)
    else:
        await caller.call(tool, arguments)
    return (time.perf_counter() - began) * 1_000


async def measure(
    subject: Measured, directory: Path, size: int, calls: int, only: str = ""
) -> Mapping[str, list[float]]:
    """Return the times of each row whose name matches the pattern `only`, in milliseconds."""
    questions = await subject.asking(directory, size)
    rows = {row: question for row, question in questions.rows().items() if re.search(only, row)}
    times: dict[str, list[float]] = defaultdict(list)
    model = await embedder()
    async with bare_http() as bare, ours_http_from_nothing(directory, toolsets=subject.toolset) as ours:
        caller = ours.caller()
        for question in rows.values():
            await timed(caller, *next(question))
        for _ in range(calls):
            # Anew each time: a server lets go of whom it hears nothing of for seconds, which a round may take.
            echo = bare.caller()
            await echo.call("echo", {"text": "warm"})
            times[BARE_ECHO].append(await timed(echo, "echo", {"text": "x"}))
            began = time.perf_counter()
            await model.embed([questions.new_text()])
            times[EMBEDDING].append((time.perf_counter() - began) * 1_000)
            for row, question in rows.items():
                tool, arguments = next(question)
                times[row].append(await timed(caller, tool, arguments))
                if (passage := subject.passages.get(tool)) is not None:
                    text = passage(arguments)
                    began = time.perf_counter()
                    await model.embed([text])
                    times[EMBEDDING_OF + row].append((time.perf_counter() - began) * 1_000)
        print(f"resident memory of our server at {size}, model and vectors in use: {ours.resident_mb():.0f} MB")
    return times


def print_sizes(measured: Mapping[int, Mapping[str, list[float]]], embedding: Collection[str]) -> None:
    """Print p50 per row and size, beyond the bare echo, and the growth from the smaller to the larger size."""
    sizes = list(measured)
    print(f"\n{'p50 ms (p95)':34}" + "".join(f"{size:>18,}" for size in sizes) + f"{'last/previous':>15}")
    for row in measured[sizes[0]]:
        cells = [quantiles(measured[size][row]) for size in sizes]
        growth = f"{cells[-1][0] / cells[-2][0]:.2f}x" if len(sizes) > 1 else ""
        print(f"{row:36}" + "".join(f"{p50:10.2f} ({p95:5.1f})" for p50, p95 in cells) + f"{growth:>15}")
    print("\nbeyond the bare echo (and beyond one embedding, where the call embeds a text), p50 ms")
    for row in measured[sizes[0]]:
        if row != BARE_ECHO and not row.startswith(EMBEDDING_OF):
            print(f"{row:36}" + "".join(f"{beyond(measured[size], row, embedding):18.2f}" for size in sizes))


def quantiles(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    return median(times), sorted(times)[int(len(times) * 0.95)]


def beyond(times: Mapping[str, list[float]], row: str, embedding: Collection[str]) -> float:
    """Return what a row costs beyond the yardsticks; the row is a tool, and what it is asked after a comma."""
    own = times[row], times[BARE_ECHO], times.get(EMBEDDING_OF + row) or times[EMBEDDING]
    whole, echo, embedded = map(median, own)
    embeds = EMBEDDING_OF + row in times or row.partition(",")[0] in embedding
    return whole - echo - (embedded if embeds else 0)


async def measure_transports(data: Path, calls: int) -> None:
    """Print the gateway's own cost: our ping against the bare echo, over both transports."""
    async with bare_http() as bare, ours_http_from_nothing(data) as ours:
        await compare("HTTP JSON", bare.caller(), ours.caller(), calls)
    theirs, our_own = await StdioCaller.start((*BARE, "stdio")), await StdioCaller.start(ours_on_stdio(data))
    await compare("stdio", theirs, our_own, calls)
    await asyncio.gather(theirs.close(), our_own.close())


async def compare(transport: str, bare: Caller, ours: Caller, calls: int) -> None:
    """Print the ratio of our ping to the bare echo, taken in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(calls + 20):
        times[0].append(await timed(bare, "echo", {"text": "x"}))
        times[1].append(await timed(ours, "ping", {}))
    one, other = median(times[0][20:]), median(times[1][20:])
    print(f"gateway over {transport}: bare {one:.2f} ms, ours {other:.2f} ms, ratio {other / one:.2f}x")


async def measure_cold_start(data: Path, rounds: int = 5) -> None:
    """Print the time from starting a process to its first answered stdio call, ours against bare.

    The first round does not count: it leaves the bytecode behind that an installation has.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    commands: tuple[tuple[Sequence[str], str, Mapping[str, object]], ...] = (
        ((*BARE, "stdio"), "echo", {"text": "x"}),
        (ours_on_stdio(data), "get_recent_concepts", {}),
    )
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for place, (command, tool, arguments) in enumerate(commands):
            began = time.perf_counter()
            caller = await StdioCaller.start(command)
            await caller.call(tool, arguments)
            times[place].append(time.perf_counter() - began)
            await caller.close()
    one, other = median(times[0][1:]), median(times[1][1:])
    print(f"cold start to first answered stdio call: bare {one:.2f} s, ours {other:.2f} s, ratio {other / one:.2f}x")


async def measure_memory(data: Path) -> None:
    """Print the resident memory of an idle server whose model is loaded."""
    async with ours_http_from_nothing(data) as ours:
        await ours.caller().call("search_concepts_semantic", {"query": "load the model"})
        print(f"resident memory, small store, model loaded, idle: {ours.resident_mb():.0f} MB")


async def run(subject: Measured, sizes: Sequence[int], calls: int, keep: Path, only: str) -> None:
    """Take all measurements of a toolset; the gateway's own with those of the knowledge tools."""
    measured = {size: await measure(subject, subject.directory(keep, size), size, calls, only) for size in sizes}
    print_sizes(measured, subject.embedding)
    print()
    if subject is not KNOWLEDGE:
        return
    small = subject.directory(keep, sizes[0])
    await measure_transports(small, calls * 2)
    await measure_cold_start(small)
    await measure_memory(small)


def main() -> None:
    """Parse the words and run."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--sizes", default="1000,10000,100000")
    words.add_argument("--calls", type=int, default=200)
    words.add_argument("--keep", type=Path, help="where filled data directories stay for the next run")
    words.add_argument("--only", default="", help="a pattern that rows must match")
    words.add_argument("--toolset", choices=SUBJECTS, default=KNOWLEDGE.toolset)
    given = words.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(run(SUBJECTS[given.toolset], sizes, given.calls, given.keep or Path(scratch), given.only))


if __name__ == "__main__":
    main()
