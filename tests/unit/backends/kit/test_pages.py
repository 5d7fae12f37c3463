"""A sorted listing read page by page has every row once, in the order of the port."""

import itertools
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing

import pytest

from backends.kit import cursors, pages
from backends.kit.cursors import Key
from backends.kit.pages import IndexRange, SortKey
from backends.ports.errors import InvalidInput
from backends.ports.graph import Edge, Order
from backends.ports.values import EdgeId, FieldSpec, NodeId, Page, Revision

SPECS = {
    "name": FieldSpec("name", "str", sort=True),
    "rank": FieldSpec("rank", "int", sort=True),
    "note": FieldSpec("note", "str"),
}
Row = tuple[str, str | None, int | None]
Reader = Callable[[sqlite3.Connection, tuple[SortKey, ...], str | None, int], Page[Row]]
ROWS: list[Row] = [
    (f"{number:02}", name, rank)
    for number, (name, rank) in enumerate(itertools.product(("a", "b", "é", None), (1, 2, None, 1)))
]
ORDERS = [
    (),
    (Order("name"),),
    (Order("name", descending=True),),
    (Order("rank", descending=True), Order("name")),
    (Order("name"), Order("rank", descending=True)),
]


COLUMNS = {"name": 1, "rank": 2}


def place(row: Row, order: tuple[Order, ...]) -> tuple[object, ...]:
    """Return what sorts the row: of each key whether it is missing and its value, then the id."""
    parts: list[object] = []
    for key in order:
        value = row[COLUMNS[key.field]]
        sign = -1 if key.descending else 1
        plain = 0 if value is None else value if isinstance(value, int) else ord(value)
        parts += [value is None, sign * plain]
    return (*parts, row[0])


@pytest.fixture
def table() -> Generator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t(id TEXT, name TEXT, rank INTEGER)")
        connection.executemany("INSERT INTO t VALUES(?, ?, ?)", ROWS)
        yield connection


def read_by_condition(table: sqlite3.Connection, keys: tuple[SortKey, ...], after: str | None, limit: int) -> Page[Row]:
    """Read a page by one statement, with the condition of `after_condition`."""
    bound: list[Key] = []

    def bind(value: Key) -> str:
        bound.append(value)
        return "?"

    where = "1"
    if after is not None:
        where = pages.after_condition(keys, *cursors.decode(after, [key.type for key in keys]), bind, id_column="id")
    order = ", ".join([*(key.order for key in keys), "id"])
    rows = table.execute(f"SELECT * FROM t WHERE {where} ORDER BY {order} LIMIT {limit + 1}", bound).fetchall()  # noqa: S608
    return cut(rows, keys, limit)


def read_by_stretches(table: sqlite3.Connection, keys: tuple[SortKey, ...], after: str | None, limit: int) -> Page[Row]:
    """Read a page index_range by index_range."""
    decoded = None if after is None else cursors.decode(after, [key.type for key in keys])
    rows: list[Row] = []
    for index_range in pages.index_ranges(keys, decoded, id_column="id"):
        bound: list[Key] = []

        def bind(value: Key, bound: list[Key] = bound) -> str:
            bound.append(value)
            return "?"

        terms: list[str] = []
        if keys:
            column = keys[0].column
            first = None if decoded is None else decoded[0][0]
            match index_range.first:
                case "present":
                    terms.append(f"{column} IS NOT NULL")
                case "missing":
                    terms.append(f"{column} IS NULL")
                case "equal":
                    terms.append(f"{column} = {bind(first)}")
                case "later":
                    terms.append(f"{column} {keys[0].beyond} {bind(first)}")
                case "any":
                    raise AssertionError("a sorted listing has no such index_range")
        if index_range.continued and decoded is not None:
            terms.append(pages.after_condition(keys[1:], decoded[0][1:], decoded[1], bind, id_column="id"))
        query = f"SELECT * FROM t WHERE {' AND '.join(terms) or '1'} ORDER BY {index_range.order}"  # noqa: S608
        rows += table.execute(query, bound).fetchall()
    return cut(rows, keys, limit)


def cut(rows: list[Row], keys: tuple[SortKey, ...], limit: int) -> Page[Row]:
    return pages.page(
        rows,
        limit,
        item=lambda row: row,
        cursor=lambda row: cursors.encode([row[COLUMNS[key.column]] for key in keys], row[0]),
    )


@pytest.mark.parametrize("read", [read_by_condition, read_by_stretches])
@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("limit", [1, 3, 16, 100])
def test_pages_follow_each_other(table: sqlite3.Connection, order: tuple[Order, ...], limit: int, read: Reader) -> None:
    keys = pages.sort_keys(order, SPECS, lambda spec: spec.name)
    found: list[Row] = []
    after: str | None = None
    for _ in range(len(ROWS) + 1):
        page = read(table, keys, after, limit)
        assert len(page.items) <= limit
        found += page.items
        after = page.after
        if after is None:
            break
    assert found == sorted(ROWS, key=lambda row: place(row, order))


def test_stretches_of_a_page_after_an_item() -> None:
    keys = pages.sort_keys((Order("name", descending=True), Order("rank")), SPECS, lambda spec: spec.name)
    others = "rank IS NULL, rank ASC, id"
    assert pages.index_ranges((), None, id_column="id") == (IndexRange("any", continued=False, order="id"),)
    assert pages.index_ranges((), ((), "x"), id_column="id") == (IndexRange("any", continued=True, order="id"),)
    assert pages.index_ranges(keys, ((None, 1), "x"), id_column="id") == (
        IndexRange("missing", continued=True, order=others),
    )
    assert pages.index_ranges(keys, (("a", 1), "x"), id_column="id") == (
        IndexRange("equal", continued=True, order=others),
        IndexRange("later", continued=False, order=f"name DESC, {others}"),
        IndexRange("missing", continued=False, order=others),
    )


def test_a_field_that_is_not_flagged_sort_is_refused() -> None:
    with pytest.raises(InvalidInput, match="note"):
        pages.sort_keys((Order("note"),), SPECS, lambda spec: spec.name)


def test_a_listing_by_id_goes_on_after_the_last_id_of_its_page() -> None:
    edges = [Edge(EdgeId(name), NodeId("a"), NodeId("b"), "t", Revision(1)) for name in ("e1", "e2", "e3")]
    page = pages.page_by_id(edges, 2)
    assert [edge.id for edge in page.items] == ["e1", "e2"]
    assert pages.start_of(page.after) == "e2"
    assert pages.page_by_id(edges, 3).after is None
    assert pages.start_of(None) == ""
    with pytest.raises(InvalidInput, match="not a cursor"):
        pages.start_of("e2")
