"""What each call costs beside another version: processor time of the server, the same call to both, in turn.

    python -m tests.bench.former PYTHON [--size 1500] [--rounds 25] [--calls 8] [--only PATTERN] [--keep DIRECTORY]

PYTHON is the interpreter of an environment in which the other version is installed. Each version fills a data directory of
its own with the same packages of Debian: upgraded data would have the former generation beside the present one. Printed
is, for each call of the three toolsets, the median of the rounds' ratios, ours to theirs, with the rounds' quartiles.
"""

import argparse
import asyncio
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median, quantiles

from tests.bench.debian import Thing, things
from tests.bench.http_load import load
from tests.bench.packages import HUB, AgentGraphQuestions, MemoryQuestions, load_agent_graph, load_memory
from tests.bench.questions import Question, Questions, always
from tests.bench.wordnet import Synset
from tests.support.ports import free_port
from tests.support.servers import Running, listening_process

TOOLSETS = ("knowledge", "memory", "agent_graph")
SETTLE_S = 0.03
"""What a writing call leaves to the background is counted with it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of call: where it goes, what is asked, and the milliseconds a call took theirs and ours, round by round."""

    toolset: str
    label: str
    questions: Iterator[tuple[Question, Question]]
    """What they are asked, and what we are: the same, with the ids of each."""
    theirs: list[float] = field(default_factory=list[float])
    ours: list[float] = field(default_factory=list[float])

    def __str__(self) -> str:
        """Return its line of the table."""
        ratios = [our / their for our, their in zip(self.ours, self.theirs, strict=True)]
        low, middle, high = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        times = f"{median(self.theirs):9.2f}{median(self.ours):9.2f}"
        return f"{self.toolset:12} {self.label:34}{times}{middle:8.3f}   {low:.3f} to {high:.3f}"


@dataclass(frozen=True, slots=True)
class Data:
    """What the stores hold: things that are read, and as many that a call may take away; ids by toolset and name."""

    kept: Sequence[Thing]
    spare: Sequence[Thing]
    ids: Mapping[str, Mapping[str, str]]

    def questions(self) -> Mapping[tuple[str, str], Iterator[Question]]:
        """Return endless questions by toolset and row, the same for all data of that size."""
        knowledge, memory, graph = (self.ids[toolset] for toolset in TOOLSETS)
        synsets = _synsets(self.kept)
        asked: Mapping[str, Mapping[str, Iterator[Question]]] = {
            "knowledge": {**Questions(synsets, knowledge).rows(), **self._knowledge(knowledge)},
            "memory": MemoryQuestions(self.kept, memory).rows(),
            "agent_graph": {**AgentGraphQuestions(self.kept, graph).rows(), **self._agent_graph(graph)},
        }
        return {(toolset, label): each for toolset, rows in asked.items() for label, each in rows.items()}

    def _knowledge(self, ids: Mapping[str, str]) -> Mapping[str, Iterator[Question]]:
        one, other = (ids[thing.name] for thing in self.kept[-2:])
        pair = {"source_id": one, "target_id": other, "relationship_type": "relates_to"}
        hub = ids[HUB]
        return {
            f"get_related_concepts, {HUB}": always("get_related_concepts", {"concept_id": hub, "limit": 50}),
            "get_tool_availability": always("get_tool_availability", {}),
            "update_concept": (
                ("update_concept", {"concept_id": ids[thing.name], "explanation": thing.text + str(time.time_ns())})
                for _ in iter(int, 1)
                for thing in self.kept
            ),
            "create_, delete_relationship": (
                (tool, pair if tool.startswith("delete") else {**pair, "strength": 0.5})
                for _ in iter(int, 1)
                for tool in ("create_relationship", "delete_relationship")
            ),
            "delete_concept": (("delete_concept", {"concept_id": ids[thing.name]}) for thing in self.spare),
        }

    def _agent_graph(self, ids: Mapping[str, str]) -> Mapping[str, Iterator[Question]]:
        def text(thing: Thing) -> str:
            return f"{thing.name} depends on {HUB}. {thing.text} {thing.name} uses Python and PostgreSQL."

        return {
            "kg_get_context, no keywords": always("kg_get_context", {}),
            "kg_find_duplicates": always("kg_find_duplicates", {}),
            "kg_extract_from_text": (
                ("kg_extract_from_text", {"text": text(thing)}) for _ in iter(int, 1) for thing in self.kept
            ),
            "kg_extract_from_memory": (
                ("kg_extract_from_memory", {"memoryId": thing.name, "memoryContent": text(thing)})
                for _ in iter(int, 1)
                for thing in self.kept
            ),
            "kg_merge_entities": (
                ("kg_merge_entities", {"targetEntityId": ids[self.kept[-1].name], "sourceEntityIds": [ids[thing.name]]})
                for thing in self.spare
            ),
        }


def _synsets(some: Sequence[Thing]) -> list[Synset]:
    """Return packages as concepts; what a package depends on includes it where it comes first, so that there is no ring."""
    seen: set[str] = set()
    made: list[Synset] = []
    for thing in some:
        above = tuple(name for _, name in thing.links if name in seen)
        made.append(Synset(thing.name, thing.name, thing.text, thing.kind, above))
        seen.add(thing.name)
    return made


@asynccontextmanager
async def served(python: str, data: Path) -> AsyncGenerator[Running]:
    """Run the server of a version over a data directory, with its packages and no others on the path."""
    port = free_port()
    place = ("--port", str(port), "--data-dir", str(data), "--toolsets", ",".join(TOOLSETS))
    words = ("-P", "-m", "gateway.cli.main", "serve", "--transport", "http", *place)
    async with listening_process((python, *words), port, data) as running:
        yield running


def cpu_ms(server: Running) -> float:
    """Return the processor time of a server's process to the nanosecond: Linux has a clock for each."""
    return time.clock_gettime_ns((~server.process.pid << 3) | 2) / 1e6


async def filled(python: str, directory: Path, size: int, spare: int) -> Data:
    """Return what a directory holds, filling it through that version's tools if it is new."""
    chosen = things()[: size + spare]
    listing = directory / "ids.json"
    if not listing.exists():
        directory.mkdir(parents=True, exist_ok=True)
        ids: dict[str, Mapping[str, str]] = {}
        async with served(python, directory) as server:
            for toolset in TOOLSETS:
                at = Running(server.port, server.process, f"/mcp/{toolset}", server.callers)
                match toolset:
                    case "knowledge":
                        loaded = await load(at, _synsets(chosen))
                    case "memory":
                        loaded = await load_memory(at, chosen)
                    case _:
                        loaded = await load_agent_graph(at, chosen)
                ids[toolset] = loaded.ids
                print(f"{toolset}: filled, {loaded.entities}; edges {loaded.edges}", flush=True)
            await server.caught_up()
        listing.write_text(json.dumps(ids), encoding="utf-8")
    return Data(chosen[:size], chosen[size:], json.loads(listing.read_text(encoding="utf-8")))


async def measure(theirs: Running, ours: Running, rows: Sequence[Row], rounds: int, calls: int) -> None:
    """Put each call to both servers, each of them first in every other round."""
    for number in range(rounds + 1):
        for row in rows:
            theirs_first = bool(number % 2)
            servers = (theirs, ours) if theirs_first else (ours, theirs)
            spent = await _round(row, servers, calls, theirs_first=theirs_first)
            if number:  # the one before loads the model and fills the caches
                row.theirs.append(spent[theirs.port])
                row.ours.append(spent[ours.port])


async def _round(row: Row, servers: Sequence[Running], calls: int, *, theirs_first: bool) -> Mapping[int, float]:
    """Return what a call took of each server's processor time, by port."""
    callers = [server.caller(f"/mcp/{row.toolset}") for server in servers]
    for caller in callers:
        await caller.get("/livez")
    began = [cpu_ms(server) for server in servers]
    for asked in islice(row.questions, calls):
        in_turn = zip(callers, asked if theirs_first else asked[::-1], strict=True)
        for caller, (tool, arguments) in in_turn:
            await caller.call(tool, arguments)
    await asyncio.sleep(SETTLE_S)
    spent = {server.port: (cpu_ms(server) - before) / calls for server, before in zip(servers, began, strict=True)}
    for server, caller in zip(servers, callers, strict=True):
        await caller.close()
        server.callers.remove(caller)
    return spent


async def run(python: str, given: argparse.Namespace, keep: Path) -> None:
    """Fill, measure, print."""
    size, rounds, calls = int(given.size), int(given.rounds), int(given.calls)
    spare = (rounds + 1) * calls
    servers: list[Running] = []
    questions: list[Mapping[tuple[str, str], Iterator[Question]]] = []
    async with AsyncExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name, interpreter in (("theirs", python), ("ours", sys.executable)):
            directory = keep / f"{name}-{size}-{spare}"
            data = await filled(interpreter, directory, size, spare)
            questions.append(data.questions())
            # A copy, because the calls change it.
            server = await stack.enter_async_context(served(interpreter, shutil.copytree(directory, scratch / name)))
            await server.caught_up()
            servers.append(server)
        rows = [
            Row(*key, zip(theirs, questions[1][key], strict=False))
            for key, theirs in questions[0].items()
            if re.search(given.only, " ".join(key))
        ]
        await measure(servers[0], servers[1], rows, rounds, calls)
    print(f"{'ms of processor time a call':47}{'theirs':>9}{'ours':>9}{'ratio':>8}   quartiles of {rounds} rounds")
    for row in rows:
        print(row)


def main() -> None:
    """Parse the words and run."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("python", help="the interpreter of the other version's environment")
    words.add_argument("--size", type=int, default=1500)
    words.add_argument("--rounds", type=int, default=25)
    words.add_argument("--calls", type=int, default=8)
    words.add_argument("--only", default="", help="a pattern that toolset and row must match")
    words.add_argument("--keep", type=Path, help="where the filled data directory stays for the next run")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(run(given.python, given, given.keep or Path(scratch)))


if __name__ == "__main__":
    main()
