"""The port over the embedded engine."""

from backends.ports.adapter import Engine
from contracts.fixtures import fresh_namespace
from contracts.ports.vector_records import NAME, fill, record
from tests.engines.chroma.conftest import stored_fields


async def test_ids_of_any_form_are_distinct(folder: Engine) -> None:
    """Ids of two thousand bytes, in both normal forms, with quotes and slashes."""
    vectors = await folder.vectors(fresh_namespace())
    ids = ["é" * 1_000, "caf\u00e9", "cafe\u0301", "a'b\"c", "../x", "%00", "日本", " ", "None", "0"]
    await fill(vectors, *(record(name, rank=number) for number, name in enumerate(ids)))
    assert [item.id for item in (await vectors.scan(NAME)).items] == sorted(ids)
    for number, name in enumerate(ids):
        assert await stored_fields(vectors, name) == {"rank": number}
