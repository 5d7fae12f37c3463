"""Fill a data directory in large steps through a toolset's own write path: the same events and records, without a client."""

import random
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from backends.ports.adapter import Stores
from backends.stores import OpenStores
from tests.bench.debian import Thing, edges
from tests.bench.packages import DATABASE, RELATIONS, TYPES
from toolsets.agent_graph import entity as filed
from toolsets.agent_graph import relationship as links
from toolsets.agent_graph.entity import Draft
from toolsets.agent_graph.relationship import Assertion, EdgeKey, join_changes
from toolsets.agent_graph.runtime import AgentGraph
from toolsets.agent_graph.settings import AgentGraphSettings
from toolsets.agent_graph.streams import NAMES, entity_stream, name_key, relationship_stream
from toolsets.clock import system_now
from toolsets.memory import entity as remembered
from toolsets.memory import relationship as relations
from toolsets.memory.runtime import Memory
from toolsets.memory.settings import MemorySettings
from toolsets.sourcing.aggregate import Decide, Decision, Histories
from toolsets.sourcing.sourced import SourcedStores
from toolsets.spec import CallContext, Services

STEP = 1_000
CHANNEL = "default"
CONTEXT = CallContext("bench")

ItemT = TypeVar("ItemT")
ValueT = TypeVar("ValueT")


async def fill_memory(directory: Path, things: Sequence[Thing]) -> Mapping[str, str]:
    """Store an entity of each thing and a relationship of each edge; return the ids by name, which names are."""
    async with open_stores(directory) as stores:
        memory = Memory(Services(stores, system_now, random.SystemRandom(), MemorySettings()))
        await memory.prepare()
        async with memory.database(DATABASE) as opened:
            database, keyspace = opened.database, opened.database.keyspace

            def entity(thing: Thing) -> Decide[remembered.CreationOutcome]:
                return lambda histories: remembered.create(histories, database, thing.name, thing.kind, [thing.text])

            def edge(one: tuple[str, str, str]) -> Decide[None]:
                source, kind, target = one
                return lambda histories: relations.create(
                    histories, database, relations.EdgeKey(source, target, kind), 1.0
                )

            for some in steps(things):
                await opened.write(
                    all_of(map(entity, some)), CONTEXT, streams=[keyspace.entity(thing.name) for thing in some]
                )
            wanted = edges(things)
            # A type is named by the first edge that has it, so the first ones go before the others.
            firsts = list({kind: (source, kind, target) for source, kind, target in reversed(wanted)}.values())
            for some in (firsts, *steps(link for link in wanted if link not in firsts)):
                ends = dict.fromkeys(keyspace.entity(end) for source, _, target in some for end in (source, target))
                streams = [*ends, *(keyspace.relationship(*one) for one in some)]
                await opened.write(all_of(map(edge, some)), CONTEXT, streams=streams)
            await followed(opened.sourced)
    return {thing.name: thing.name for thing in things}


async def fill_agent_graph(directory: Path, things: Sequence[Thing]) -> Mapping[str, str]:
    """Store an entity of each thing and a relationship of each edge; return the ids by name."""
    ids: dict[str, str] = {}
    async with open_stores(directory) as stores:
        graph = AgentGraph(Services(stores, system_now, random.SystemRandom(), AgentGraphSettings(channel=CHANNEL)))
        await graph.sourced.ready()

        def entity(thing: Thing) -> Decide[filed.CreationOutcome]:
            draft = Draft(CHANNEL, thing.name, TYPES[thing.kind], description=thing.text, source=CONTEXT.tool)
            new_id = graph.new_id()
            return lambda histories: filed.create(histories, new_id, draft)

        def edge(link: EdgeKey) -> Decide[str]:
            return lambda histories: links.create(histories, link, Assertion(0.8, CONTEXT.tool), CHANNEL)

        # Names that differ in nothing but case are one entity: the second one finds the first.
        for some in steps(things, lambda thing: name_key(CHANNEL, TYPES[thing.kind], thing.name)):
            claims = [NAMES.stream(name_key(CHANNEL, TYPES[thing.kind], thing.name)) for thing in some]
            written = await graph.write(all_of(map(entity, some)), CONTEXT, streams=claims)
            ids.update({thing.name: found.id for thing, found in zip(some, written.value, strict=True)})
        wanted = (EdgeKey(ids[source], ids[target], RELATIONS[kind]) for source, kind, target in edges(things))
        for some in steps(dict.fromkeys(link for link in wanted if link.source_id != link.target_id)):
            entities = dict.fromkeys(entity_stream(end) for link in some for end in (link.source_id, link.target_id))
            streams = [*entities, *(relationship_stream(link.id) for link in some)]
            await graph.write(all_of(map(edge, some)), CONTEXT, streams=streams)
        await followed(graph.sourced)
    return ids


@asynccontextmanager
async def open_stores(directory: Path) -> AsyncGenerator[Stores]:
    """Open what the profile `embedded` opens in a directory."""
    house = OpenStores({"embedded": {"kind": "sqlite"}, "minilm": {"kind": "minilm"}}, directory)
    try:
        yield house.stores(graph="embedded", vectors="embedded", events="embedded", embedder="minilm")
    finally:
        await house.close()


def all_of(decisions: Iterable[Decide[ValueT]]) -> Decide[tuple[ValueT, ...]]:
    """Return the decision that is all of these at once."""
    each = tuple(decisions)

    def decide(histories: Histories) -> Decision[tuple[ValueT, ...]]:
        made = [one(histories) for one in each]
        return Decision(
            tuple(one.value for one in made), join_changes(change for one in made for change in one.changes)
        )

    return decide


def steps(items: Iterable[ItemT], key: Callable[[ItemT], Hashable] = lambda item: item) -> Iterator[list[ItemT]]:
    """Return the items some at a time, those of one key in different steps."""
    step: dict[Hashable, ItemT] = {}
    for item in items:
        if len(step) == STEP or key(item) in step:
            yield list(step.values())
            step = {}
        step[key(item)] = item
    if step:
        yield list(step.values())


async def followed(sourced: SourcedStores) -> None:
    """Let the relay look at all there is, so that a server on these data starts with nothing to do."""
    await sourced.relay.catch_up()
    await sourced.release()
