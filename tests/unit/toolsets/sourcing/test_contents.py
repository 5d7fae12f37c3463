"""The records of a generation are read in order, alone or beside another generation's."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import pytest

from backends.ports.values import Json, JsonObject
from tests.unit.toolsets.sourcing.library import PROJECTOR, TITLES, Library, library
from toolsets.sourcing.contents import EDGES, NODES, PASSAGES, Generation, contents, read_pairs, records, side_by_side


async def generation(server: Library) -> Generation:
    live = server.sourced.live_stores
    return Generation(await live.graph(), await live.vectors())


def title(record: Json) -> Json:
    return None if record is None else cast("JsonObject", cast("JsonObject", record)["fields"])["title"]


@pytest.fixture
async def two(tmp_path: Path) -> AsyncGenerator[tuple[Generation, Generation]]:
    """Two generations with the books a, b and b, c, where b has another title."""
    async with AsyncExitStack() as stack:
        found: list[Generation] = []
        for name, books in (("one", "ab"), ("other", "bc")):
            places = (tmp_path / name / port for port in ("log", "graph", "vectors"))
            server = await stack.enter_async_context(library(*places))
            for book in books:
                await server.title(book, f"{book} of {name}")
            await server.sequel(*books)
            await server.sourced.relay.catch_up()
            found.append(await generation(server))
        yield found[0], found[1]


async def test_records_are_read_in_the_order_of_their_keys_and_counted(two: tuple[Generation, Generation]) -> None:
    keys = [key async for key, _ in records(PROJECTOR, two[0])]
    assert keys == sorted(keys)
    assert [key[0] for key in keys] == [NODES, NODES, EDGES, PASSAGES, PASSAGES]
    one, other = await contents(PROJECTOR, two[0]), await contents(PROJECTOR, two[1])
    assert (one.nodes, one.edges, one.vectors) == (other.nodes, other.edges, other.vectors) == (2, 1, 2)
    assert one.digest != other.digest
    assert one == await contents(PROJECTOR, two[0])


async def test_two_generations_are_paired_by_key_in_one_order(two: tuple[Generation, Generation]) -> None:
    pairs = [pair async for pair in side_by_side(PROJECTOR, *two)]
    assert [key for key, _, _ in pairs] == sorted(key for key, _, _ in pairs)
    nodes = [(key[2], title(here), title(there)) for key, here, there in pairs if key[0] == NODES]
    assert nodes == [("a", "a of one", None), ("b", "b of one", "b of other"), ("c", None, "c of other")]
    assert [here is not None for key, here, _ in pairs if key[0] == EDGES] == [True, False]
    assert {key[1] for key, _, _ in pairs if key[0] == PASSAGES} == {TITLES}


async def test_single_records_are_paired_as_the_whole_is(two: tuple[Generation, Generation]) -> None:
    pairs = [pair async for pair in side_by_side(PROJECTOR, *two)]
    keys = [key for key, _, _ in pairs][::-1]
    assert await read_pairs(PROJECTOR, *two, keys) == pairs[::-1]
    assert await read_pairs(PROJECTOR, *two, [(NODES, "book", "z")]) == [((NODES, "book", "z"), None, None)]
