"""A declared listing is read along an index of its own, and a name in a list along the index of elements."""

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from backends.engines.sqlite.adapter import ADAPTER
from backends.engines.sqlite.graph import listings
from backends.kit.queries import FindQuery
from backends.ports.adapter import Engine
from backends.ports.filters import And, Eq, Filter, Ge, InIgnoringCase, Le
from backends.ports.graph import GraphBatch, KindSpec, ListingSpec, Node, Order
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, NodeId, Revision, Value
from backends.stores import open_engine

FIELDS = (
    FieldSpec("channel", "str", sort=True),
    FieldSpec("used", "float", sort=True),
    FieldSpec("reads", "int", sort=True),
    FieldSpec("name", "str", sort=True),
    FieldSpec("names", "strs", text=True),
)
ORDER = (Order("used", descending=True), Order("reads", descending=True), Order("name"))
SPACE = namespace("declared")
IN_A = Eq("channel", "a")


def declared(*listed: ListingSpec, kind: str = "thing", fields: Sequence[FieldSpec] = FIELDS) -> list[KindSpec]:
    return [KindSpec(kind, tuple(fields), listings=listed)]


def things(count: int = 3_000) -> list[Node]:
    rng = random.Random(5)
    found: list[Node] = []
    for number in range(count):
        fields: dict[str, Value] = {
            "channel": rng.choice("ab"),
            "used": rng.randrange(4) / 4,
            "name": rng.choice("xyz"),
        }
        fields["names"] = (f"Thing {number}", "Shared")
        if rng.random() < 0.8:
            fields["reads"] = rng.randrange(3)
        found.append(Node(NodeId(f"n{number:05}"), "thing", fields, Revision(1)))
    return found


def plans(file: Path, where: Filter, order: Sequence[Order]) -> list[str]:
    """Return the steps of the plans of all statements by which a listing is read."""
    with closing(sqlite3.connect(file)) as connection, connection:
        statements: list[str] = []
        connection.set_trace_callback(statements.append)
        listings.find(connection, FindQuery(SPACE, "thing", where, order, None, 20))
        connection.set_trace_callback(None)
        return [step[3] for each in statements for step in connection.execute(f"EXPLAIN QUERY PLAN {each}")]


def indexes(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection, connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'nodes_listing.*' ORDER BY name")
        return [name for [name] in names]


async def test_a_declared_listing_is_read_without_sorting(engine: Engine, tmp_path: Path) -> None:
    graph = await engine.graph(SPACE)
    await graph.ensure(declared(ListingSpec(ORDER, ("channel",))))
    nodes = things()
    await graph.apply(GraphBatch(tuple(nodes)))
    page = await graph.find("thing", IN_A, order=ORDER, limit=700)
    rest = await graph.find("thing", IN_A, order=ORDER, limit=1_000, after=page.after)

    def key(node: Node) -> tuple[float, bool, int, str, str]:
        fields = node.fields
        reads = fields.get("reads")
        return -float(str(fields["used"])), reads is None, -int(str(reads or 0)), str(fields["name"]), node.id

    expected = [node.id for node in sorted((node for node in nodes if node.fields["channel"] == "a"), key=key)]
    assert [node.id for node in (*page.items, *rest.items)] == expected[:1_700]
    steps = plans(tmp_path / "graph.db", IN_A, ORDER)
    assert any("nodes_listing.declared.thing.0" in step for step in steps)
    assert not any("TEMP B-TREE" in step for step in steps)


async def test_a_narrow_range_of_the_first_key_is_read_without_sorting(engine: Engine, tmp_path: Path) -> None:
    graph = await engine.graph(SPACE)
    order = (Order("used"), Order("name"))
    await graph.ensure(declared(ListingSpec(order)))
    nodes = things(400)
    await graph.apply(GraphBatch(tuple(nodes)))
    where = And((Ge("used", 0.25), Le("used", 0.5), IN_A))
    found = [node for node in nodes if node.fields["channel"] == "a" and node.fields["used"] in (0.25, 0.5)]
    found.sort(key=lambda node: (float(str(node.fields["used"])), str(node.fields["name"]), node.id))
    assert (await graph.find("thing", where, order=order, limit=1_000)).items == tuple(found)
    steps = plans(tmp_path / "graph.db", And(where.terms[:2]), order)
    assert any("nodes_listing.declared.thing.0" in step for step in steps)
    assert not any("TEMP B-TREE" in step for step in steps)


async def test_other_statements_are_planned_once(engine: Engine, tmp_path: Path) -> None:
    """SQLite plans a statement again at each new binding where its condition can be compared with that of an index."""
    graph = await engine.graph(SPACE)
    await graph.ensure(declared(ListingSpec(ORDER, ("channel",))))
    await graph.apply(GraphBatch(tuple(things(50))))
    planned: list[str | None] = []

    def note(_action: int, table: str | None, *_more: str | None) -> int:
        planned.append(table)
        return sqlite3.SQLITE_OK

    with closing(sqlite3.connect(tmp_path / "graph.db")) as connection, connection:
        connection.set_authorizer(note)
        for number in range(4):
            listings.find(
                connection, FindQuery(SPACE, "thing", InIgnoringCase("names", (f"thing {number}",)), ORDER, None, 5)
            )
            if number == 1:
                planned.clear()
        connection.set_authorizer(None)
    assert planned == []


async def test_indexes_of_schema_3_are_made_again(tmp_path: Path) -> None:
    listing = ListingSpec(ORDER, ("channel",))
    engine = await open_engine(ADAPTER, {}, tmp_path)
    graph = await engine.graph(SPACE)
    await graph.ensure(declared(listing))
    await graph.apply(GraphBatch(tuple(things(300))))
    expected = await graph.find("thing", IN_A, order=ORDER, limit=100)
    await engine.close()
    with closing(sqlite3.connect(tmp_path / "graph.db", isolation_level=None)) as connection:
        [[made]] = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'nodes_listing.declared.thing.0'")
        connection.execute('DROP INDEX "nodes_listing.declared.thing.0"')
        connection.execute(made.replace(" IS '", " = '"))
        connection.execute("PRAGMA user_version = 3")
    engine = await open_engine(ADAPTER, {}, tmp_path)
    graph = await engine.graph(SPACE)
    assert await graph.find("thing", IN_A, order=ORDER, limit=100) == expected
    await graph.ensure(declared(listing))
    assert await graph.find("thing", IN_A, order=ORDER, limit=100) == expected
    await engine.close()
    with closing(sqlite3.connect(tmp_path / "graph.db", isolation_level=None)) as connection:
        assert made in [sql for [sql] in connection.execute("SELECT sql FROM sqlite_master")]


async def test_indexes_follow_the_declaration_and_end_with_the_namespace(engine: Engine, tmp_path: Path) -> None:
    graph, other = await engine.graph(SPACE), await engine.graph(namespace("declared1"))
    listing, second = ListingSpec(ORDER, ("channel",)), ListingSpec((Order("reads"), Order("name")))
    await other.ensure(declared(listing))
    kept = ["nodes_listing.declared1.thing.0"]
    for listed in ((listing,), (listing, second), (second,), ()):
        await graph.ensure(declared(*listed))
        expected = [f"nodes_listing.declared.thing.{number}" for number in range(len(listed))]
        assert indexes(tmp_path / "graph.db") == expected + kept
    await graph.ensure(declared(listing))
    await graph.apply(GraphBatch(tuple(things(600))))
    before = await graph.find("thing", IN_A, order=ORDER, limit=300)
    # A new sortable field moves the others to other columns.
    await graph.ensure(declared(listing, fields=(FieldSpec("added", "int", sort=True), *FIELDS[::-1])))
    assert await graph.find("thing", IN_A, order=ORDER, limit=300) == before
    await graph.drop()
    assert indexes(tmp_path / "graph.db") == kept


@pytest.mark.parametrize(("name", "found"), [("THING 7", ["n00007"]), ("thing", []), ("THING 2999", ["n02999"])])
async def test_a_name_in_a_list_is_looked_up(engine: Engine, tmp_path: Path, name: str, found: list[str]) -> None:
    graph = await engine.graph(SPACE)
    await graph.ensure(declared())
    await graph.apply(GraphBatch(tuple(things())))
    where = InIgnoringCase("names", (name,))
    assert [node.id for node in (await graph.find("thing", where)).items] == found
    steps = plans(tmp_path / "graph.db", where, ())
    assert any("elements_text" in step for step in steps)
    assert not any("SCAN n" in step or "nodes_kind" in step for step in steps)
    both = And((IN_A, InIgnoringCase("names", ("shared",))))
    [counted] = await graph.count_nodes("thing", where=both)
    assert counted.count == sum(node.fields["channel"] == "a" for node in things())
