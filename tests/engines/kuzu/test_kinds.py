"""Declared kinds: the columns of their fields, and what a grown declaration does with stored nodes."""

from pathlib import Path

import pytest

from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.kinds import Declared, Kinds, listed
from backends.ports.errors import Conflict, InvalidInput
from backends.ports.filters import Contains, Eq, Exists
from backends.ports.graph import GraphBatch, KindSpec
from backends.ports.values import FieldSpec
from contracts.ports.graph_records import KIND, THING, node
from tests.engines.kuzu.files import SPACE, opened

DECLARED = Declared({spec.name: spec for spec in THING.fields})


def test_fields_have_columns_by_type_and_slot() -> None:
    """All lists share one; a field that is searched has another for its text."""
    assert [DECLARED.column(name) for name in DECLARED.specs] == ["s0", "s1", "s2", "n3", "n4", "n5", "lists", "lists"]
    assert DECLARED.columns == ("s0", "s1", "s2", "n3", "n4", "n5", "lists", "t0", "t1", "t7")


def test_a_missing_value_is_null_in_every_column() -> None:
    cells = DECLARED.cells({"name": "Straße", "flag": True, "tags": ("a", "b")})
    assert {name: value for name, value in cells.items() if value is not None} == {
        "s0": "Straße",
        "t0": "strasse",
        "n5": 1.0,
        "lists": ["6", "6:a", "6:b"],
    }
    assert tuple(cells) == DECLARED.columns


def test_elements_of_two_lists_are_distinguished() -> None:
    assert listed(1, ("1:a", "")) == ["1", "1:1:a", "1:"]


async def test_declarations_are_loaded_from_the_file(database: DatabaseFile) -> None:
    kinds = Kinds()
    wanted = {KIND: {spec.name: spec for spec in THING.fields}}
    changed = kinds.changes(SPACE, wanted)
    await database.write(lambda session: kinds.save(session, SPACE, changed), after=lambda: kinds.keep(SPACE, changed))
    assert kinds.changes(SPACE, wanted) == {}
    again = Kinds()
    await database.read(again.load)
    assert again.declared(SPACE, KIND).specs == DECLARED.specs
    again.forget(SPACE)
    with pytest.raises(InvalidInput, match=KIND):
        again.declared(SPACE, KIND)


def test_a_field_keeps_its_slot_and_its_type() -> None:
    kinds = Kinds()
    kinds.keep(SPACE, {KIND: DECLARED})
    grown = kinds.changes(SPACE, {KIND: {"added": FieldSpec("added", "int"), "name": FieldSpec("name", "str")}})
    assert [*grown[KIND].specs][: len(DECLARED.specs)] == [*DECLARED.specs]
    assert grown[KIND].slot("added") == len(DECLARED.specs)
    with pytest.raises(Conflict, match="rank"):
        kinds.changes(SPACE, {KIND: {"rank": FieldSpec("rank", "str")}})


async def test_a_field_that_is_searched_from_now_on_is_found_in_stored_nodes(tmp_path: Path, driver: str) -> None:
    engine = await opened(tmp_path, driver)
    graph = await engine.graph(SPACE)
    await graph.ensure([KindSpec(KIND, (FieldSpec("name", "str"),))])
    await graph.apply(GraphBatch((node("a", name="Straße"), node("b"))))
    await graph.ensure([KindSpec(KIND, (FieldSpec("name", "str", text=True),))])
    assert [found.id for found in (await graph.find(KIND, Contains("name", "STRASSE"))).items] == ["a"]
    await engine.verify()
    await engine.close()


async def test_a_new_field_has_no_value_of_a_former_kind(tmp_path: Path, driver: str) -> None:
    """The node's former kind used the same column."""
    engine = await opened(tmp_path, driver)
    graph = await engine.graph(SPACE)
    await graph.ensure([KindSpec("other", (FieldSpec("colour", "str"),)), KindSpec(KIND, ())])
    await graph.apply(GraphBatch((node("a", kind="other", colour="red"),)))
    await graph.apply(GraphBatch((node("a", rev=2),)))
    await graph.ensure([KindSpec(KIND, (FieldSpec("colour", "str"),))])
    assert (await graph.find(KIND, Exists("colour"))).items == ()
    assert (await graph.find(KIND, Eq("colour", "red"))).items == ()
    await engine.close()
