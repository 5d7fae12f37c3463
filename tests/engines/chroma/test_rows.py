"""Records come back unchanged, whatever the engine does with lists, numbers and keys."""

import numpy as np

from backends.engines.chroma import rows
from backends.engines.chroma.filters import NO_ELEMENT, CompiledFilter
from backends.ports.adapter import Engine
from backends.ports.filters import And, Eq, Exists, Has, Not
from backends.ports.text import MAX_INDEXED_BYTES
from backends.ports.values import FieldSpec, Value
from backends.ports.vectors import CollectionSpec
from contracts.fixtures import fresh_namespace
from contracts.ports.vector_records import DIM, FIELDS, MODEL, NAME, fill, record
from tests.engines.chroma.conftest import stored_fields

SPECS = {spec.name: spec for spec in FIELDS}


async def test_an_upsert_leaves_no_old_lists_and_keys(folder: Engine) -> None:
    """The engine merges metadata, and an omitted list keeps its old value."""
    vectors = await folder.vectors(fresh_namespace())
    await fill(vectors, record("r", tags=("a", "b"), colour="red", flag=True))
    await vectors.upsert(NAME, [record("r", rev=2, rank=1)])
    assert await stored_fields(vectors, "r") == {"rank": 1}
    for where in (Has("tags", "a"), Exists("tags"), Exists("flag"), Eq("colour", "red")):
        assert await vectors.count(NAME, where) == 0
        assert await vectors.count(NAME, Not(where)) == 1


async def test_values_that_the_engine_would_change_are_returned_unchanged(folder: Engine) -> None:
    """Repeated elements, an empty list, minus zero, whole floats, the largest integers, the adapter's own markers."""
    vectors = await folder.vectors(fresh_namespace())
    fields: dict[str, Value] = {"tags": ("b", "a", "b", "", "!", "="), "score": 2.0, "rank": 2**53 - 1, "colour": ""}
    await fill(vectors, record("r", None, "", fields), record("zero", tags=(), score=-0.0, rank=-(2**53) + 1))
    assert await stored_fields(vectors, "r") == fields
    back = await stored_fields(vectors, "zero")
    assert (str(back["score"]), back["rank"], "tags" in back) == ("-0.0", -(2**53) + 1, False)
    for text in ("!", "=", "", "b"):
        assert [item.id for item in (await vectors.scan(NAME, Has("tags", text))).items] == ["r"]
    assert await vectors.count(NAME, Exists("tags")) == 1
    assert await vectors.count(NAME, And((Eq("rank", 2**53 - 1), Eq("score", 2)))) == 1


async def test_field_names_never_clash_with_other_keys(folder: Engine) -> None:
    """Neither with the engine's keys nor with the adapter's."""
    vectors = await folder.vectors(fresh_namespace())
    names = ("rev", "body", "f_rev", "h_rev", "id", "document", "chroma")
    await vectors.ensure(CollectionSpec(NAME, DIM, MODEL, tuple(FieldSpec(name, "int") for name in names)))
    fields = {name: number for number, name in enumerate(names)}
    await vectors.upsert(NAME, [record("r", None, "text", fields, rev=7)])
    assert await stored_fields(vectors, "r") == fields
    assert await vectors.count(NAME, And(tuple(Eq(name, value) for name, value in fields.items()))) == 1


def test_a_record_names_every_declared_field() -> None:
    """An omitted one would keep its old value."""
    metadata = rows.metadata_of(record("r", rev=3), {"rank": 1}, SPECS)
    assert {name: value for name, value in metadata.items() if name[1] == "_"} == {
        **{f"h_{name}": None for name in SPECS},
        **{f"f_{name}": None for name in SPECS},
        "h_rank": True,
        "f_rank": 1,
        "f_tags": [NO_ELEMENT],
    }
    assert rows.revision_of(metadata) == 3
    assert rows.text_and_fields(metadata) == ("", {"rank": 1})


def test_a_text_that_is_too_long_is_not_searched() -> None:
    assert rows.document_of("Straße") == "strasse"
    assert rows.document_of("x" * (MAX_INDEXED_BYTES + 1)) == ""


def test_rows_that_are_never_searched_have_different_vectors() -> None:
    """Equal ones make the index slow."""
    vectors = rows.placeholder_vectors([f"key {number}" for number in range(1_000)])
    assert vectors.shape == (1_000, 1)
    assert len(np.unique(vectors)) > 990


def test_what_the_engine_found_is_checked_if_a_part_was_left_out() -> None:
    metadata = rows.metadata_of(record("r"), {"rank": 1}, SPECS)
    for where, exact, matches in (
        (Eq("rank", 1), False, True),
        (Eq("rank", 2), False, False),
        (Eq("rank", 2), True, True),
    ):
        assert rows.matches(metadata, CompiledFilter(where, None, exact=exact)) == matches
