"""Collections that are half dropped, declared at once, extended at once, or created again by another client."""

from pathlib import Path
from typing import Literal

import anyio

from backends.engines.chroma.embedded import EmbeddedEngine
from backends.kit.file_lock import acquire
from backends.ports.errors import Conflict
from backends.ports.filters import And, Eq
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision, Value
from backends.ports.vectors import CollectionSpec, Vectors
from contracts.ports.vector_records import DIM, FIELDS, MODEL, NAME, THINGS, fill, names_stored, record
from tests.engines.chroma.conftest import Open, opened

SPACE = namespace("here")


async def test_a_half_dropped_collection_leaves_nothing_to_its_successor(tmp_path: Path) -> None:
    """Its tombstones would hide records of the new one."""
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("r"))
        await vectors.delete(NAME, {RecordId("r"): Revision(9)})
    # The process dies in the middle of a drop.
    folder = EmbeddedEngine(tmp_path / "chroma", 10, acquire(tmp_path / "chroma"))
    await (await folder.open()).remove("entrepot.here.things.records")
    await folder.close()
    async with opened(tmp_path) as engine:
        vectors = await engine.vectors(SPACE)
        await fill(vectors, record("r"))
        assert await names_stored(vectors) == ["r"]


async def test_clients_that_declare_at_once_get_one_collection(on_server: Open) -> None:
    """Later clients find the collection that the first one created, whatever error the server returns."""
    async with on_server() as one, on_server() as two, on_server() as three:
        for attempt in range(5):
            place = namespace(f"race{attempt}")
            parties = [await engine.vectors(place) for engine in (one, two, three)]
            async with anyio.create_task_group() as group:
                for party in parties:
                    group.start_soon(party.ensure, THINGS)
            for number, party in enumerate(parties):
                await party.upsert(NAME, [record(f"r{number}")])
            for party in parties:
                assert await names_stored(party) == ["r0", "r1", "r2"]


async def test_fields_that_clients_add_at_once_are_all_declared(on_server: Open) -> None:
    """A field never gets two types: one of two rivals gets a conflict."""
    async with on_server() as one, on_server() as two, on_server() as three:
        for attempt in range(5):
            place = namespace(f"fields{attempt}")
            parties = [await engine.vectors(place) for engine in (one, two)]
            await parties[0].ensure(THINGS)
            conflicts: list[str] = []

            async def add(
                party: Vectors, name: str, kind: Literal["int", "str"], conflicts: list[str] = conflicts
            ) -> None:
                try:
                    await party.ensure(CollectionSpec(NAME, DIM, MODEL, (FieldSpec(name, kind),)))
                except Conflict:
                    conflicts.append(kind)

            async with anyio.create_task_group() as group:
                for number, party in enumerate(parties):
                    group.start_soon(add, party, f"own{number}", "int")
                    group.start_soon(add, party, "both", "int" if number else "str")
            assert len(conflicts) == 1
            both: Value = "text" if conflicts == ["int"] else 3
            await (await three.vectors(place)).upsert(NAME, [record("r", own0=1, own1=2, both=both)])
            for party in parties:
                await party.ensure(THINGS)
                assert await party.count(NAME, And((Eq("own0", 1), Eq("own1", 2), Eq("both", both)))) == 1


async def test_one_of_many_clients_sets_a_meta_value_first(on_server: Open) -> None:
    async with on_server() as one, on_server() as two:
        for attempt in range(5):
            place = namespace(f"notes{attempt}")
            parties = [await one.vectors(place), await two.vectors(place)]
            answers: set[str] = set()

            async def note(party: Vectors, value: str, answers: set[str] = answers) -> None:
                answers.add(await party.set_meta("who", value, if_absent=True))

            async with anyio.create_task_group() as group:
                for number, party in enumerate(parties * 4):
                    group.start_soon(note, party, str(number))
            assert len(answers) == 1


async def test_a_collection_recreated_by_another_client_is_found(on_server: Open) -> None:
    """A handle refers to the dropped collection; the new one is used."""
    async with on_server() as one, on_server() as two:
        mine, theirs = await one.vectors(SPACE), await two.vectors(SPACE)
        await fill(mine, record("old"))
        assert await names_stored(theirs) == ["old"]
        await mine.drop(NAME)
        await mine.ensure(CollectionSpec(NAME, DIM, MODEL, FIELDS))
        await mine.upsert(NAME, [record("new")])
        assert await names_stored(theirs) == ["new"]
