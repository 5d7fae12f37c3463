"""A rebuild goes through all databases."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from backends.ports.errors import Unusable
from backends.ports.values import NodeId
from tests.support.toolsets.memory import memory_in
from toolsets.memory.projections import projector_of
from toolsets.memory.rebuild import combined_comparison, combined_rebuild
from toolsets.memory.streams import Keyspace, entity_id
from toolsets.reports import ComparisonReport, Difference, RebuildReport, no_progress
from toolsets.sourcing.generations import generation_namespace


async def test_a_rebuild_goes_past_a_database_with_an_unreadable_event(tmp_path: Path) -> None:
    async with memory_in(tmp_path, "archive", "notes") as instance:
        for name in ("memory", "archive", "notes"):
            await instance.store(name, "Alice", f"is in {name}")
        with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
            changed = connection.execute("UPDATE events SET type = 'memory.newer' WHERE data LIKE '%is in archive%'")
            assert changed.rowcount == 1
        assert instance.running.rebuild is not None
        with pytest.raises(Unusable, match=r"the database archive: .*memory\.newer"):
            await instance.running.rebuild.rebuild(no_progress)
        for name, generation in (("memory", 2), ("archive", 1), ("notes", 2)):
            rebuilt = generation_namespace(projector_of(Keyspace(await instance.key(name))), 2)
            nodes = await (await instance.stores.graph(rebuilt)).get_nodes([NodeId(entity_id("Alice"))])
            assert (len(nodes) == 1) == (generation == 2), name
            assert await instance.names(name, "Alice") == ["Alice"]


def rebuilt(digest: str, *, former: str | None, generation: int = 2) -> RebuildReport:
    return RebuildReport(5, 3, 2, 3, 1, digest, former, generation)


def test_rebuilds_of_several_databases_are_one_report() -> None:
    reports = {"a": rebuilt("x", former="x"), "b": rebuilt("y", former="y", generation=4)}
    whole = combined_rebuild(reports)
    assert (whole.events, whole.nodes, whole.edges, whole.vectors, whole.embedded) == (10, 6, 4, 6, 2)
    assert (whole.generation, whole.digest == whole.former_digest) == (4, True)
    assert combined_rebuild(dict(reversed(reports.items()))) == whole
    assert combined_rebuild({"a": rebuilt("y", former="x"), "b": rebuilt("x", former="y")}).digest != whole.digest
    assert combined_rebuild({**reports, "c": rebuilt("z", former=None)}).former_digest is None
    assert combined_rebuild({}).generation == 1


def test_comparisons_of_several_databases_name_the_database_of_each_difference() -> None:
    found = tuple(Difference("node", "entity", f"n{number}", "missing") for number in range(15))
    one = ComparisonReport(7, 3, 2, 3, "x", "y", 15, found)
    whole = combined_comparison({"a": one, "b": one})
    assert (whole.position, whole.nodes, whole.differing, whole.equal) == (7, 6, 30, False)
    assert [each.part for each in whole.differences] == ["a"] * 15 + ["b"] * 5
    assert whole.digest != whole.other_digest
    assert combined_comparison({}).equal
