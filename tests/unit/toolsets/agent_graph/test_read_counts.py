"""Reads not recorded yet are shown, each once, also while they are being recorded."""

from dataclasses import replace

import pytest

from backends.ports.values import Micros
from toolsets.agent_graph.entity import Entity, RecordedReads
from toolsets.agent_graph.read_counts import REMEMBERED_S, ReadCounts

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


class Clock:
    """A time that a test moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def counting(*times: int) -> tuple[ReadCounts, Clock]:
    clock, left = Clock(), iter(times)
    return ReadCounts(lambda: Micros(next(left)), clock), clock


def test_a_read_counts_once_whether_its_record_is_seen_already_or_not() -> None:
    read_counts, clock = counting(10, 20, 30)
    read_counts.count([ENTITY.id])
    read_counts.count([ENTITY.id])
    assert read_counts.take_batch() == [(ENTITY.id, 2, 20)]
    read_counts.set_versions([RecordedReads(ENTITY.id, version=2, count=2, last=20)])
    read_counts.count([ENTITY.id])
    before, after = ENTITY, replace(ENTITY, accesses=2, accessed_at=Micros(20), version=2)
    assert [read_counts.with_unrecorded_reads(seen).accesses for seen in (before, after)] == [3, 3]
    read_counts.mark_recorded()
    assert [read_counts.with_unrecorded_reads(seen).accesses for seen in (before, after)] == [3, 3]
    assert read_counts.with_unrecorded_reads(after).accessed_at == 30
    assert read_counts.noted == [ENTITY.id]
    clock.now = REMEMBERED_S + 1
    assert read_counts.take_batch() == [(ENTITY.id, 1, 30)]
    assert read_counts.with_unrecorded_reads(after).accesses == 3


def test_reads_that_could_not_be_recorded_are_counted_on() -> None:
    read_counts, _ = counting(10, 20)
    read_counts.count([ENTITY.id])
    read_counts.take_batch()
    read_counts.set_versions([RecordedReads(ENTITY.id, version=2, count=1, last=10)])
    read_counts.count([ENTITY.id])
    read_counts.restore()
    rival = replace(ENTITY, version=2)
    assert read_counts.with_unrecorded_reads(rival).accesses == 2
    assert read_counts.take_batch() == [(ENTITY.id, 2, 20)]


def test_reads_recorded_one_time_after_another_are_all_remembered() -> None:
    read_counts, _ = counting(10, 20)
    for version in (2, 3):
        read_counts.count([ENTITY.id])
        read_counts.take_batch()
        read_counts.set_versions([RecordedReads(ENTITY.id, version=version, count=1, last=10 * (version - 1))])
        read_counts.mark_recorded()
    assert [read_counts.with_unrecorded_reads(replace(ENTITY, version=seen)).accesses for seen in (1, 2, 3)] == [
        2,
        1,
        0,
    ]


def test_the_last_read_is_the_later_of_what_is_recorded_and_what_is_not() -> None:
    read_counts, _ = counting(10)
    read_counts.count([ENTITY.id])
    assert read_counts.with_unrecorded_reads(replace(ENTITY, accesses=1, accessed_at=Micros(99))).accessed_at == 99


@pytest.mark.parametrize(
    ("recorded_at", "merged_at", "counted"),
    [(None, 1, 1), (2, 1, 1), (2, 2, 0)],
    ids=["not decided yet", "the merge was first", "the reads were first"],
)
def test_reads_being_recorded_at_a_merge_are_counted_once(
    recorded_at: int | None, merged_at: int, counted: int
) -> None:
    read_counts, _ = counting(10)
    read_counts.count([ENTITY.id])
    read_counts.take_batch()
    if recorded_at is not None:
        read_counts.set_versions([RecordedReads(ENTITY.id, version=recorded_at, count=1, last=10)])
    read_counts.transfer({ENTITY.id: merged_at}, "ent_2")
    target = replace(ENTITY, id="ent_2", version=5)
    assert read_counts.with_unrecorded_reads(target).accesses == counted
    if counted:
        read_counts.set_versions([RecordedReads("ent_2", version=6, count=1, last=10)])
        read_counts.mark_recorded()
        assert read_counts.with_unrecorded_reads(target).accesses == 1
        assert read_counts.with_unrecorded_reads(replace(target, version=6)).accesses == 0
