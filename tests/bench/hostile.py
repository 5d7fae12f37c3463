"""What hostile arguments cost: processor time of a call, and how long the event loop stands still meanwhile.

    python -m tests.bench.hostile [--tool NAME] [--kind NAME] [--all]
    python -m tests.bench.hostile --memory 2000 [--tool NAME]

Prints the dearest calls, with --all every call. It ends with 1 when one of them takes more than 1 s of processor time or
stops the loop for more than 50 ms.
"""

import argparse
import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import cast

import orjson

from backends.ports.values import Json
from config.sources import load
from gateway.composition import Gateway, assemble_gateway, background, open_stores
from gateway.dispatch import dispatch
from gateway.mcp_server import result_of
from tests.support.commands import entrepot
from tests.support.documents import samples
from tests.support.hostile import KINDS, Case, cases, distinct
from tests.support.skills import talk
from toolsets.spec import CallContext

MAX_CPU_S, MAX_STOP_S = 1.0, 0.05
TICK_S = 0.002


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call took: seconds of processor time, and the longest stop of the event loop."""

    case: Case
    cpu_s: float
    stop_s: float
    wall_s: float
    error: str

    @property
    def share(self) -> float:
        """How much of the nearer limit it uses; 1 is all of it."""
        return max(self.cpu_s / MAX_CPU_S, self.stop_s / MAX_STOP_S)

    def row(self) -> str:
        """Return its row of the table."""
        case = self.case
        times = f"{self.cpu_s:.2f} | {self.stop_s * 1_000:.0f} | {self.wall_s:.2f}"
        return f"| {case.tool} | {case.argument} | {case.kind} | {times} | {self.error[:90]} |"


@dataclass
class Ticker:
    """Notices how long the event loop stands still: less than the time of the clock and of the processor that passed."""

    longest_s: float = 0.0
    running: bool = field(default=True)

    async def run(self) -> None:
        """Tick until `running` is false."""
        while self.running:
            clock, cpu = time.perf_counter(), time.process_time()
            await asyncio.sleep(TICK_S)
            # While other processes have the processor, the clock goes on; while other threads work, the processor's does.
            stop = min(time.perf_counter() - clock, time.process_time() - cpu) - TICK_S
            self.longest_s = max(self.longest_s, stop)


@asynccontextmanager
async def served(directory: Path) -> AsyncGenerator[Gateway]:
    """Open a gateway with all toolsets and the default stores; concept_rag has a few documents."""
    books, data = directory / "books", directory / "data"
    books.mkdir()
    for name, content in samples().items():
        (books / name).write_bytes(content)
    done = await entrepot("ingest", str(books), "--data-dir", str(data))
    assert done.returncode == 0, done.stderr
    settings = load({"data_dir": str(data), "log": {"level": "error"}}).settings
    async with assemble_gateway(settings) as gateway:
        await open_stores(gateway)
        async with background(gateway.served):
            # As the server does once it serves: what was loaded until then is not looked through again.
            gc.collect()
            gc.freeze()
            yield gateway


async def called(gateway: Gateway, tool: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the structured reply of a call, which is serialised as it is for a client."""
    spec = gateway.unified.tools[tool]
    reply = await dispatch(spec, arguments, CallContext(tool, deadline_s=spec.deadline_s))
    result_of(reply, spec.envelope)
    return reply.structured


async def measured(gateway: Gateway, case: Case) -> Cost:
    """Return what a call costs, with what it leaves to be done in the background within 20 ms."""
    arguments = orjson.loads(orjson.dumps(case.arguments))
    ticker = Ticker()
    ticking = asyncio.create_task(ticker.run())
    await asyncio.sleep(TICK_S)
    clock, cpu = time.perf_counter(), time.process_time()
    reply = await called(gateway, case.tool, arguments)
    wall = time.perf_counter() - clock
    await asyncio.sleep(0.02)
    spent = time.process_time() - cpu
    ticker.running = False
    await ticking
    failed = reply.get("success") is False or "error" in reply
    return Cost(case, spent, ticker.longest_s, wall, str(reply)[:160] if failed else "")


async def known_values(gateway: Gateway) -> Mapping[str, Json]:
    """Fill the stores with some hostile things, and return good values for arguments that name things."""
    known: dict[str, Json] = {}
    tools = gateway.unified.tools
    if "create_concept" in tools:
        made = [
            await called(gateway, "create_concept", {"name": name, "explanation": name * 1_000})
            for name in ("e\u0301" * 20, "concept " * 12)
        ]
        known["concept_id"] = known["source_id"] = known["start_concept_id"] = made[0]["concept_id"]
        known["target_id"] = known["end_concept_id"] = made[1]["concept_id"]
    if "create_entity" in tools:
        for name in ("known", "other"):
            await called(
                gateway, "create_entity", {"name": name, "entity_type": "thing", "observations": ["x" * 9_000]}
            )
        known |= {"entity_name": "known", "from_entity": "known", "to_entity": "other"}
    if "kg_create_entity" in tools:
        made = [await called(gateway, "kg_create_entity", {"name": name, "type": "project"}) for name in ("Zub", "Kub")]
        known["entityId"] = known["fromEntityId"] = known["targetEntityId"] = entity_id(made[0])
        known["toEntityId"] = entity_id(made[1])
        known["sourceEntityIds"] = [entity_id(made[1])]
    if "create_skill" in tools:
        learned = await called(gateway, "create_skill", {"conversation": talk("known", "known")})
        known["skill_id"] = learned["skill_id"]
    return known


def entity_id(reply: Mapping[str, Json]) -> Json:
    """Return the id of the entity that a reply of agent_graph shows."""
    return cast("Mapping[str, Json]", reply["entity"])["id"]


async def measure(tools: frozenset[str], kinds: tuple[str, ...]) -> list[Cost]:
    """Return the costs of all calls, each tool's after a call that warms it."""
    costs: list[Cost] = []
    with tempfile.TemporaryDirectory() as directory:
        async with served(Path(directory)) as gateway:
            known = await known_values(gateway)
            # Tools that take things away come last.
            names = sorted(gateway.unified.tools, key=lambda name: ("delete" in name or "merge" in name, name))
            for name in names:
                if tools and name not in tools:
                    continue
                listed = list(cases(name, gateway.unified.tools[name].input_schema, known, kinds))
                await called(gateway, name, listed[-1].arguments)
                found = [await measured(gateway, case) for case in listed]
                worst = max(found, key=lambda cost: cost.share)
                print(f"{name}: {len(listed)} calls, {worst.row()}", file=sys.stderr, flush=True)
                costs += found
    return costs


async def growth(calls: int, tools: frozenset[str]) -> list[tuple[str, int]]:
    """Return by how many bytes the process grows in a third of so many calls of each tool, all with other arguments.

    It is the second or the last third, in which it grows less: what is kept grows in both, what is loaded once in one.
    """
    grown: list[tuple[str, int]] = []
    with tempfile.TemporaryDirectory() as directory:
        async with served(Path(directory)) as gateway:
            known = await known_values(gateway)
            for name in sorted(tools or gateway.unified.tools):
                listed = list(cases(name, gateway.unified.tools[name].input_schema, known, ("one word",)))
                sizes: list[int] = []
                for number in range(calls):
                    await called(gateway, name, distinct(listed[number % len(listed)], number))
                    if number + 1 in (calls // 3, 2 * calls // 3, calls):
                        sizes.append(resident_bytes())
                grown.append((name, min(after - before for before, after in pairwise(sizes))))
                print(f"{name}: {grown[-1][1] / 2**20:.1f} MiB", file=sys.stderr, flush=True)
    return grown


def resident_bytes() -> int:
    """Return how much memory the process has now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Print the table; end with 1 when a limit is passed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", action="append", default=[])
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument(
        "--memory", type=int, default=0, help="calls of each tool, such as 2000; prints what memory grows by"
    )
    options = parser.parse_args()
    if options.memory:
        for name, grown in asyncio.run(growth(options.memory, frozenset(options.tool))):
            print(f"| {name} | {grown / 2**20:.1f} MiB |", flush=True)
        return
    costs = asyncio.run(measure(frozenset(options.tool), tuple(options.kind) or KINDS))
    costs.sort(key=lambda cost: cost.share, reverse=True)
    print("| tool | argument | kind | CPU s | stop ms | wall s | |\n|---|---|---|---|---|---|---|")
    for cost in costs if options.all else costs[:60]:
        print(cost.row())
    sys.exit(any(cost.share > 1 for cost in costs))


if __name__ == "__main__":
    main()
