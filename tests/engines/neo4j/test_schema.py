"""Indexes are created once, used when they are online, and looked up again after they were removed."""

import anyio

from backends.engines.neo4j import schema
from backends.engines.neo4j.schema import DatabaseSchema
from backends.ports.values import FieldSpec
from tests.engines.neo4j.conftest import Login

FIELDS = (FieldSpec("size_of_it", "int", sort=True), FieldSpec("about_it", "str", text=True), FieldSpec("plain", "str"))
NAMES = ("entrepot_node_s_size_of_it", "entrepot_node_t_about_it")


async def test_fields_that_are_sorted_or_searched_have_an_index(login: Login) -> None:
    async with login() as connection:
        one, other = DatabaseSchema(connection), DatabaseSchema(connection)
        for made in (one, other):
            await made.open()
            await made.index_nodes(FIELDS)
        assert [await other.is_online(name) for name in (*NAMES, schema.WORDS_INDEX)] == [True] * 3
        assert not await other.is_online("entrepot_node_s_plain")
        for name in NAMES:
            await one.drop(name)
            await one.drop(name)


async def test_several_processes_may_create_the_same_indexes_at_once(login: Login) -> None:
    async with login() as connection:
        many = [DatabaseSchema(connection) for _ in range(4)]
        async with anyio.create_task_group() as group:
            for each in many:
                group.start_soon(each.index_nodes, FIELDS)
        for each in many:
            assert await each.is_online(NAMES[0])
        for name in NAMES:
            await many[0].drop(name)


async def test_an_index_that_another_process_removed_is_missed_once_it_is_forgotten(login: Login) -> None:
    async with login() as connection:
        one, other = DatabaseSchema(connection), DatabaseSchema(connection)
        await one.index_nodes(FIELDS[:1])
        await other.drop(NAMES[0])
        assert await one.is_online(NAMES[0])
        one.forget(NAMES[0])
        await anyio.sleep(1.1)
        assert not await one.is_online(NAMES[0])
