"""Measure and print the tables.

    python -m tests.bench [--sizes 1000,10000,100000] [--calls 200] [--keep DIRECTORY]

Every time is a whole call through a raw client. All rows of a size and the yardsticks are taken in
turn, call by call, so that a change of the machine's speed meets all of them.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from backends.ports.embedder import Embedder
from backends.registry import load_adapter
from tests.bench.loading import load
from tests.bench.questions import Questions
from tests.bench.wordnet import Synset, synsets
from tests.support.raw import Caller, StdioCaller
from tests.support.servers import BARE, bare_http, ours_http, ours_on_stdio

BARE_ECHO, EMBEDDING = "bare SDK server", "embedding of a text"


async def embedder() -> Embedder:
    """Return the embedder of the default profile."""
    engine = await load_adapter("minilm").open({"remembered": 0}, Path())
    return await engine.embedder()


async def timed(caller: Caller, tool: str, arguments: Mapping[str, object]) -> float:
    """Return the milliseconds of one call."""
    began = time.perf_counter()
    await caller.call(tool, arguments)
    return (time.perf_counter() - began) * 1_000


async def filled(directory: Path, size: int, found: list[Synset]) -> dict[str, str]:
    """Return the ids in a data directory of that size, filling it if it is new."""
    listing = directory / "ids.json"
    if not listing.exists():
        directory.mkdir(parents=True, exist_ok=True)
        async with ours_http(directory) as server:
            ids, concepts, edges = await load("127.0.0.1", server.port, found)
        listing.write_text(json.dumps(ids), encoding="utf-8")
        print(f"loaded {size}: {concepts:.0f} concepts/s with embedding, {edges:.0f} edges/s, 16 connections")
    return dict(json.loads(listing.read_text(encoding="utf-8")))


async def measure(directory: Path, size: int, calls: int) -> Mapping[str, list[float]]:
    """Return the times of each row in milliseconds."""
    found = synsets(size)
    questions = Questions(found, await filled(directory, size, found))
    rows = questions.rows()
    times: dict[str, list[float]] = defaultdict(list)
    model = await embedder()
    async with bare_http() as bare, ours_http(directory) as ours:
        echo, caller = bare.caller(), ours.caller()
        for question in rows.values():
            await caller.call(*next(question))
        for _ in range(calls):
            times[BARE_ECHO].append(await timed(echo, "echo", {"text": "x"}))
            began = time.perf_counter()
            await model.embed([questions.new_text()])
            times[EMBEDDING].append((time.perf_counter() - began) * 1_000)
            for row, question in rows.items():
                times[row].append(await timed(caller, *next(question)))
        print(f"resident memory of our server at {size}, model and vectors in use: {ours.resident_mb():.0f} MB")
    return times


def print_sizes(measured: Mapping[int, Mapping[str, list[float]]]) -> None:
    """Print p50 per row and size, beyond the bare echo, and the growth from the smaller to the larger size."""
    sizes = list(measured)
    print(f"\n{'p50 ms (p95)':34}" + "".join(f"{size:>18,}" for size in sizes) + f"{'last/previous':>15}")
    for row in measured[sizes[0]]:
        cells = [quantiles(measured[size][row]) for size in sizes]
        growth = f"{cells[-1][0] / cells[-2][0]:.2f}x" if len(sizes) > 1 else ""
        print(f"{row:34}" + "".join(f"{p50:10.2f} ({p95:5.1f})" for p50, p95 in cells) + f"{growth:>15}")
    print("\nbeyond the bare echo (and beyond one embedding, where the call embeds a new text), p50 ms")
    for row in measured[sizes[0]]:
        if row not in (BARE_ECHO, EMBEDDING):
            print(f"{row:34}" + "".join(f"{beyond(measured[size], row):18.2f}" for size in sizes))


def quantiles(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    return median(times), sorted(times)[int(len(times) * 0.95)]


def beyond(times: Mapping[str, list[float]], row: str) -> float:
    """Return what a row costs beyond the yardsticks."""
    embeds = "semantic" in row or row == "create_concept"
    return median(times[row]) - median(times[BARE_ECHO]) - (median(times[EMBEDDING]) if embeds else 0)


async def measure_transports(data: Path, calls: int) -> None:
    """Print the gateway's own cost: our ping against the bare echo, over both transports."""
    async with bare_http() as bare, ours_http(data) as ours:
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
    async with ours_http(data) as ours:
        await ours.caller().call("search_concepts_semantic", {"query": "load the model"})
        print(f"resident memory, small store, model loaded, idle: {ours.resident_mb():.0f} MB")


async def run(sizes: Sequence[int], calls: int, keep: Path) -> None:
    """Take all measurements."""
    measured = {size: await measure(keep / f"wordnet-{size}", size, calls) for size in sizes}
    print_sizes(measured)
    print()
    small = keep / f"wordnet-{sizes[0]}"
    await measure_transports(small, calls * 2)
    await measure_cold_start(small)
    await measure_memory(small)


def main() -> None:
    """Parse the words and run."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--sizes", default="1000,10000,100000")
    words.add_argument("--calls", type=int, default=200)
    words.add_argument("--keep", type=Path, help="where filled data directories stay for the next run")
    given = words.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(run(sizes, given.calls, given.keep or Path(scratch)))


if __name__ == "__main__":
    main()
