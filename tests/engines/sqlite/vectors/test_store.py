"""Writes change only what differs, and the word index follows."""

import random
from pathlib import Path

import numpy

from backends.ports.adapter import Engine
from backends.ports.filters import Eq
from backends.ports.ids import namespace
from backends.ports.values import FieldSpec, RecordId, Revision
from backends.ports.vectors import CollectionSpec, VectorRecord
from tests.engines.sqlite.damage import sound
from tests.engines.sqlite.samples import MOST, ROUNDS, WORDS

SPEC = CollectionSpec("texts", 4, "m@1/4", (FieldSpec("area", "str", sort=True),))


async def test_records_are_found_by_their_present_words(engine: Engine, tmp_path: Path) -> None:
    """Texts stay, change, are removed and come back; the word index follows."""
    rng = random.Random(8)
    vectors = await engine.vectors(namespace("upkeep"))
    await vectors.ensure(SPEC)
    live: dict[RecordId, VectorRecord] = {}
    for rev in range(1, ROUNDS):
        records = [
            VectorRecord(
                RecordId(f"r{rng.randrange(MOST):03}"),
                numpy.array([1, rng.random(), 0, 0], dtype=numpy.float32),
                rng.choice(WORDS),
                Revision(2 * rev),
                {"area": rng.choice(WORDS)},
            )
            for _ in range(5)
        ]
        await vectors.upsert(SPEC.name, records)
        live |= {record.id: record for record in records}
        ended = [key for key in live if rng.random() < 0.05]
        await vectors.delete(SPEC.name, dict.fromkeys(ended, Revision(2 * rev + 1)))
        live = {key: record for key, record in live.items() if key not in ended}
    for word in WORDS:
        hits = await vectors.keyword(SPEC.name, word, 1_000)
        assert {hit.id for hit in hits} == {key for key, record in live.items() if record.text == word}
        page = await vectors.scan(SPEC.name, Eq("area", word))
        assert [record.id for record in page.items] == sorted(
            key for key, record in live.items() if record.fields["area"] == word
        )
    sound(tmp_path / "vectors.db")
