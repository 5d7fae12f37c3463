"""A stream that cannot be projected is parked and counted, others pass it, and it is tried again in time."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from backends.ports.adapter import Stores
from backends.ports.errors import InvalidInput, Timeout, Unavailable
from backends.ports.events import BatchId, EventId, NewEvent, StreamName, Write
from backends.ports.values import Micros, NodeId
from tests.unit.knowledge.running import stores_in
from toolsets.knowledge.concept import Certainty, Placement, create
from toolsets.knowledge.projections import KnowledgeProjector
from toolsets.knowledge.relationship import Link
from toolsets.knowledge.streams import relationship_stream
from toolsets.sourcing.commit import Committer
from toolsets.sourcing.follower import Follower
from toolsets.sourcing.inflight import InFlight
from toolsets.sourcing.projection import Projection
from toolsets.sourcing.sites import Sites
from toolsets.sourcing.stats import Outbox, event_counts, outbox
from toolsets.sourcing.targets import GraphTarget, KnownVectors
from toolsets.spec import CallContext

A, B, C = (f"{digit * 8}-1111-4111-8111-111111111111" for digit in "abc")
CHANCE = random.Random(1)
LINK = Link(A, B, "includes")


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = Micros(0)

    def __call__(self) -> Micros:
        return self.time


async def record(stores: Stores, stream: StreamName, type_: str, **data: str | float) -> None:
    event = NewEvent(EventId(f"{stream}{type_}"), type_, data, Micros(0))
    await (await stores.events()).append([Write(stream, (event,))], batch=BatchId(f"b{stream}{type_}"))


async def file_concept(stores: Stores, clock: Clock, concept_id: str) -> None:
    committer = Committer(clock, CHANCE)
    await committer.commit(
        await stores.events(),
        lambda histories: create(histories, concept_id, concept_id, "x", Placement(), Certainty(1.0, by_hand=True)),
        CallContext("test"),
    )


async def counted(sites: Sites) -> Outbox:
    return await outbox(sites, await event_counts(await sites.log(), sites.projector))


async def test_an_edge_waits_for_its_ends_while_others_pass(tmp_path: Path) -> None:
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        graph = await sites.graph()
        follower = Follower(await stores.events(), sites.projector, graph, clock, InFlight(), random.Random(1))
        await record(
            stores,
            relationship_stream(LINK.key),
            "knowledge.relationship_created",
            source_id=A,
            target_id=B,
            kind="includes",
            strength=1.0,
        )
        await file_concept(stores, clock, A)
        await follower.start()
        while await follower.advance():
            pass
        await follower.save()
        assert set(follower.standing.parked) == {relationship_stream(LINK.key)}
        assert await graph.graph.count_edges() == {}
        assert (await counted(sites)).failed == 1

        await file_concept(stores, clock, B)
        while await follower.advance():
            pass
        await follower.retry_parked()
        assert follower.standing.parked, "it is not due yet"
        clock.time = Micros(3_000_000)
        await follower.retry_parked()
        await follower.save()
        assert follower.standing.parked == {}
        assert await graph.graph.count_edges() == {"includes": 1}
        assert await counted(sites) == Outbox(pending=2, processed=3, failed=0)


class Poisoned(GraphTarget):
    """A real graph whose engine fails whenever it is given one of some records, or while it is `down` any."""

    def __init__(self, target: GraphTarget, error: Exception, *ids: str) -> None:
        super().__init__(target.graph, target.incarnation)
        self.error = error
        self.ids = set(ids)
        self.down = False
        self.writes = 0

    async def write(self, projections: Sequence[Projection], known: KnownVectors) -> None:
        """Fail, or store the records."""
        self.writes += 1
        records = [projection.graph for projection in projections]
        if self.down or any(record is not None and record.id in self.ids for record in records):
            raise self.error
        await super().write(projections, known)


@pytest.mark.parametrize(
    "error", [Timeout("too slow"), Unavailable("lost"), KeyError("unforeseen"), InvalidInput("no")]
)
@pytest.mark.parametrize("poison", [A, B, C])
async def test_a_record_at_which_the_engine_fails_does_not_hold_up_the_others(
    tmp_path: Path, poison: str, error: Exception
) -> None:
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        for concept_id in (A, B, C):
            await file_concept(stores, clock, concept_id)
        target = Poisoned(await sites.graph(), error, poison)
        follower = Follower(await stores.events(), sites.projector, target, clock, InFlight(), random.Random(1))
        await follower.start()
        while await follower.advance():
            pass
        await follower.save()
        others = {A, B, C} - {poison}
        assert set(await target.graph.node_revisions([NodeId(each) for each in (A, B, C)])) == others
        assert [stream.rpartition("/")[2] for stream in follower.standing.parked] == [poison]

        clock.time = Micros(3_000_000)
        await follower.retry_parked()
        assert [entry.attempts for entry in follower.standing.parked.values()] == [2]
        target.ids.clear()
        clock.time = Micros(9_000_000)
        await follower.retry_parked()
        assert follower.standing.parked == {}
        assert set(await target.graph.node_revisions([NodeId(poison)])) == {poison}


async def test_a_store_that_takes_nothing_is_no_records_fault(tmp_path: Path) -> None:
    """Nothing is parked, and it does not take a try for each record to find out."""
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        ids = [f"{digit * 8}-1111-4111-8111-111111111111" for digit in "0123456789abcdef"]
        for concept_id in ids:
            await file_concept(stores, clock, concept_id)
        target = Poisoned(await sites.graph(), Unavailable("it does not write"))
        target.down = True
        follower = Follower(await stores.events(), sites.projector, target, clock, InFlight(), random.Random(1))
        await follower.start()
        with pytest.raises(Unavailable, match="does not write"):
            await follower.advance()
        assert (follower.standing.parked, follower.standing.position) == ({}, 0)
        assert target.writes <= 4
        target.down = False
        while await follower.advance():
            pass
        assert len(await target.graph.node_revisions([NodeId(each) for each in ids])) == len(ids)


async def test_a_fact_that_cannot_be_read_fails_alone_and_later_each_time(tmp_path: Path) -> None:
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        await record(stores, StreamName(f"knowledge/concept/{C}"), "knowledge.concept_imagined")
        await file_concept(stores, clock, A)
        follower = Follower(
            await stores.events(), sites.projector, await sites.vectors(), clock, InFlight(), random.Random(1)
        )
        await follower.start()
        while await follower.advance():
            pass
        for attempt in (1, 2, 3):
            (parked,) = follower.standing.parked.values()
            assert (parked.attempts, parked.retry_at - clock.time) == (attempt, 2**attempt * 1_000_000)
            assert "imagined" in parked.error
            clock.time = Micros(parked.retry_at)
            await follower.retry_parked()
        await follower.save()
        assert await counted(sites) == Outbox(pending=2, processed=1, failed=1)
        other = Follower(
            await stores.events(), sites.projector, await sites.vectors(), clock, InFlight(), random.Random(1)
        )
        await other.start()
        assert other.standing == follower.standing


async def filed_names(stores: Stores, clock: Clock, count: int) -> list[str]:
    """File some concepts; return their ids."""
    ids = [f"{number:08x}-1111-4111-8111-111111111111" for number in range(count)]
    for concept_id in ids:
        await file_concept(stores, clock, concept_id)
    return ids


async def test_a_store_that_fails_after_a_while_is_blamed_itself(tmp_path: Path) -> None:
    """It took a first record and then no other: a few are parked before the store is suspected, not all."""
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        ids = await filed_names(stores, clock, 40)
        target = Poisoned(await sites.graph(), Unavailable("full"), *ids[1:])
        follower = Follower(await stores.events(), sites.projector, target, clock, InFlight(), random.Random(1))
        await follower.start()
        for _ in range(30):
            with pytest.raises(Unavailable):
                await follower.advance()
        assert len(follower.standing.parked) <= 3
        assert follower.standing.position == 0
        target.ids.clear()
        clock.time = Micros(1_000_000_000)
        while await follower.advance():
            pass
        await follower.retry_parked()
        assert set(await target.graph.node_revisions([NodeId(each) for each in ids])) == set(ids)
        assert follower.standing.parked == {}


async def test_several_bad_records_do_not_stop_a_batch(tmp_path: Path) -> None:
    """Wherever they stand, in the end the others are stored and they are parked."""
    clock = Clock()
    async with stores_in(tmp_path) as stores:
        sites = Sites(stores, KnowledgeProjector(), random.Random(1))
        ids = await filed_names(stores, clock, 40)
        poison = {ids[0], ids[20], ids[39]}
        target = Poisoned(await sites.graph(), KeyError("unforeseen"), *poison)
        follower = Follower(await stores.events(), sites.projector, target, clock, InFlight(), random.Random(1))
        await follower.start()
        while await follower.advance():
            pass
        assert set(await target.graph.node_revisions([NodeId(each) for each in ids])) == set(ids) - poison
        assert {stream.rpartition("/")[2] for stream in follower.standing.parked} == poison
