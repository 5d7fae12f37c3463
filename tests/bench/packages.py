"""Debian's packages in the memory and agent_graph tools: how they get there, and the calls that are measured."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import cast

from tests.bench.debian import Thing, edges
from tests.bench.http_load import Loaded, checked, fill
from tests.bench.questions import Question, always
from tests.support.raw import HttpCaller, structured
from tests.support.servers import Running
from toolsets.agent_graph.extraction.model import EntityType, RelationType

DATABASE = "memory"
TYPES: Mapping[str, EntityType] = {"package": "technology", "source": "document", "maintainer": "organization"}
RELATIONS: Mapping[str, RelationType] = {
    "depends on": "DEPENDS_ON",
    "is built from": "RELATED_TO",
    "is maintained by": "RELATED_TO",
}
HUB = "libc6"

Edge = tuple[str, str, str]


async def load_memory(server: Running, things: Sequence[Thing]) -> Loaded:
    """Create an entity of each thing and a relationship of each edge; names are their ids."""

    async def create(caller: HttpCaller, thing: Thing) -> None:
        stored(await caller.call("create_entity", remembered(thing)))

    async def relate(caller: HttpCaller, edge: Edge) -> None:
        source, kind, target = edge
        ends = {"database": DATABASE, "from_entity": source, "to_entity": target, "relationship_type": kind}
        stored(await caller.call("create_relationship", ends))

    rates = await fill(server, (things, create), (edges(things), relate))
    return Loaded({thing.name: thing.name for thing in things}, *rates)


async def load_agent_graph(server: Running, things: Sequence[Thing]) -> Loaded:
    """Create an entity of each thing and a relationship of each edge."""
    ids: dict[str, str] = {}

    async def create(caller: HttpCaller, thing: Thing) -> None:
        reply = checked(await caller.call("kg_create_entity", filed(thing)))
        ids[thing.name] = str(cast("Mapping[str, object]", reply["entity"])["id"])

    async def relate(caller: HttpCaller, edge: Edge) -> None:
        source, kind, target = edge
        if source != target:
            checked(await caller.call("kg_create_relationship", _ends(ids[source], ids[target], RELATIONS[kind])))

    rates = await fill(server, (things, create), (edges(things), relate))
    return Loaded(ids, *rates)


def remembered(thing: Thing) -> Mapping[str, object]:
    """Return a thing as `create_entity` takes it."""
    return {"database": DATABASE, "name": thing.name, "entity_type": thing.kind, "observations": [thing.text]}


def filed(thing: Thing) -> Mapping[str, object]:
    """Return a thing as `kg_create_entity` takes it."""
    return {"name": thing.name, "type": TYPES[thing.kind], "description": thing.text}


def stored(response: bytes) -> None:
    """Raise `RuntimeError` for an error reply of a memory tool."""
    if (content := structured(response)).get("status") == "error":
        raise RuntimeError(str(content))


def _ends(source: str, target: str, kind: str) -> Mapping[str, object]:
    return {"fromEntityId": source, "toEntityId": target, "type": kind}


class _Drawn:
    """Things drawn by chance, the same in each run, and texts that nobody has used."""

    def __init__(self, things: Sequence[Thing], ids: Mapping[str, str]) -> None:
        self._random = random.Random(7)
        self._things = things
        self._ids = ids
        # Another number in each run: data that stay for the next run have the names of the last one.
        self._numbers = count(time.time_ns() // 1_000)

    def new_text(self) -> str:
        """Return a text of a description's length that no cache has seen."""
        one, other = self._random.sample(self._things, 2)
        return f"{one.text[:60]} {other.text[:60]} {next(self._numbers)}"

    def thing(self) -> Thing:
        return self._random.choice(self._things)

    def id(self) -> str:
        return self._ids[self.thing().name]

    def two(self) -> tuple[str, str]:
        one, other = self._random.sample(self._things, 2)
        return self._ids[one.name], self._ids[other.name]


class MemoryQuestions(_Drawn):
    """Endless arguments for each measured row of the memory tools."""

    def rows(self) -> Mapping[str, Iterator[Question]]:
        """Return the rows in the order in which they are printed."""
        hub = {"database": DATABASE, "entity_name": HUB}
        return {
            "search_entities, name": self._words(lambda: self.thing().name[:12]),
            "search_entities, word of a text": self._words(lambda: max(self.thing().text.split(), key=len)),
            "search_entities, nowhere": self._words(lambda: "no package has this"),
            "semantic_search": self._semantic(),
            "get_related_entities, 1 step": self._related(1),
            "get_related_entities, 2 steps": self._related(2),
            f"get_related_entities, {HUB}": always("get_related_entities", hub),
            "get_graph_summary": always("get_graph_summary", {"database": DATABASE}),
            "create_entity": self._creations(),
            "add_observations": self._observations(),
            "create_relationship": self._links(),
        }

    def _words(self, query: Callable[[], str]) -> Iterator[Question]:
        while True:
            yield "search_entities", {"database": DATABASE, "query": query()}

    def _semantic(self) -> Iterator[Question]:
        while True:
            yield "semantic_search", {"database": DATABASE, "query": self.new_text()}

    def _related(self, depth: int) -> Iterator[Question]:
        while True:
            yield "get_related_entities", {"database": DATABASE, "entity_name": self.id(), "max_depth": depth}

    def _creations(self) -> Iterator[Question]:
        while True:
            text = self.new_text()
            yield "create_entity", remembered(Thing(text, "package", text))

    def _observations(self) -> Iterator[Question]:
        while True:
            more = [f"seen {next(self._numbers)}"]
            yield "add_observations", {"database": DATABASE, "entity_name": self.id(), "observations": more}

    def _links(self) -> Iterator[Question]:
        while True:
            source, target = self.two()
            kind = f"seen with {next(self._numbers) % 9}"
            yield (
                "create_relationship",
                {"database": DATABASE, "from_entity": source, "to_entity": target, "relationship_type": kind},
            )


class AgentGraphQuestions(_Drawn):
    """Endless arguments for each measured row of the agent_graph tools."""

    def rows(self) -> Mapping[str, Iterator[Question]]:
        """Return the rows in the order in which they are printed."""
        return {
            "kg_get_entity": self._about("kg_get_entity"),
            "kg_find_entity, part": self._find(exact=False),
            "kg_find_entity, exact": self._find(exact=True),
            "kg_get_neighbors": self._about("kg_get_neighbors"),
            f"kg_get_neighbors, {HUB}": always("kg_get_neighbors", {"entityId": self._ids[HUB]}),
            "kg_find_path": self._paths(),
            "kg_get_high_utility_entities": always("kg_get_high_utility_entities", {}),
            "kg_get_context": self._contexts(),
            "kg_get_phase_context, observation": self._phases("observation"),
            "kg_get_phase_context, reasoning": self._phases("reasoning"),
            "kg_get_phase_context, planning": self._phases("planning"),
            "kg_create_entity": self._creations(),
            "kg_create_relationship": self._links(),
        }

    def _about(self, tool: str) -> Iterator[Question]:
        while True:
            yield tool, {"entityId": self.id()}

    def _find(self, *, exact: bool) -> Iterator[Question]:
        while True:
            name = self.thing().name
            yield "kg_find_entity", {"name": name if exact else name[:12], "exact": exact}

    def _paths(self) -> Iterator[Question]:
        while True:
            source, target = self.two()
            yield "kg_find_path", {"fromEntityId": source, "toEntityId": target}

    def _contexts(self) -> Iterator[Question]:
        while True:
            yield "kg_get_context", {"keywords": [self.thing().name[:12], max(self.thing().text.split(), key=len)]}

    def _phases(self, phase: str) -> Iterator[Question]:
        while True:
            yield (
                "kg_get_phase_context",
                {"phase": phase, "taskContent": self.thing().text, "entityIds": list(self.two())},
            )

    def _creations(self) -> Iterator[Question]:
        while True:
            text = self.new_text()
            yield "kg_create_entity", filed(Thing(text, "package", text))

    def _links(self) -> Iterator[Question]:
        while True:
            yield "kg_create_relationship", _ends(*self.two(), "RELATED_TO")
