"""Reads not recorded yet are shown, each once, also while they are being recorded."""

from dataclasses import replace

from backends.ports.values import Micros
from toolsets.agent_graph.accesses import Accesses
from toolsets.agent_graph.entity import Entity

ENTITY = Entity(
    id="ent_1",
    channel="default",
    name="read often",
    type="technology",
    aliases=(),
    description=None,
    confidence=0.8,
    utility=0.5,
    accesses=0,
    accessed_at=Micros(1),
    sources=(),
    held=(),
    created_at=Micros(1),
    updated_at=Micros(1),
    version=1,
)


def test_a_read_counts_once_whether_its_record_is_seen_already_or_not() -> None:
    times = iter((10, 20, 30))
    accesses = Accesses(lambda: Micros(next(times)))
    accesses.note([ENTITY.id])
    accesses.note([ENTITY.id])
    taken = accesses.taken()
    recorded = replace(ENTITY, accesses=2, accessed_at=Micros(20))
    accesses.note([ENTITY.id])
    assert [accesses.shown(seen).accesses for seen in (ENTITY, recorded)] == [3, 3]
    accesses.recorded(taken)
    assert accesses.shown(recorded).accesses == 3
    assert accesses.shown(recorded).accessed_at == 30


def test_reads_that_could_not_be_recorded_are_counted_on() -> None:
    accesses = Accesses(lambda: Micros(10))
    accesses.note([ENTITY.id])
    accesses.taken()
    assert accesses.shown(ENTITY).accesses == 1
    assert accesses.taken() == [(ENTITY.id, 1, 10)]
