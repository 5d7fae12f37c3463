"""The default embedder: similar texts get similar vectors, and recent ones are cached."""

import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from backends.ports.errors import Unavailable
from tests.engines.minilm.embedders import MODEL, open_embedder

SPOILT: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda lines: lines[:-1], "30,522 different lines, not 30,521"),
    (lambda lines: [*lines[:-1], lines[0]], "30,522 different lines, not 30,521"),
    (lambda lines: [*lines[1:], lines[0]], r"\[UNK\] in line 101"),
    (lambda lines: [*lines[:-1], b"\xff"], "utf-8"),
]


async def test_a_paraphrase_is_closer_than_an_unrelated_text() -> None:
    embedder = await open_embedder()
    reset, forgot, cooking = await embedder.embed(
        ["How do I reset my password?", "I forgot my login credentials", "Simmer the onions in butter"]
    )
    assert float(reset @ forgot) > float(reset @ cooking) + 0.3


async def test_every_row_has_unit_norm_and_belongs_to_its_text() -> None:
    embedder = await open_embedder(workers=2)
    texts = [f"text number {number}" for number in range(9)]
    rows = await embedder.embed(texts)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    alone = await (await open_embedder()).embed([texts[7]])
    assert np.array_equal(rows[7], alone[0])


async def test_a_cached_text_gives_the_same_row() -> None:
    embedder = await open_embedder(remembered=1)
    first = await embedder.embed(["once"])
    again = await embedder.embed(["once", "twice"])
    assert np.array_equal(first[0], again[0])


async def test_the_cache_of_vectors_does_not_keep_the_texts() -> None:
    embedder = await open_embedder()
    await embedder.embed(["warm"])
    tracemalloc.start()
    for number in range(10):
        await embedder.embed([f"{number} " * 100_000])
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 500_000


@pytest.mark.parametrize(("spoil", "message"), SPOILT)
async def test_a_vocabulary_that_gives_other_ids_is_refused(
    tmp_path: Path, spoil: Callable[[list[bytes]], list[bytes]], message: str
) -> None:
    shutil.copy(MODEL / "model.onnx", tmp_path)
    lines = (MODEL / "vocab.txt").read_bytes().splitlines()
    (tmp_path / "vocab.txt").write_bytes(b"\n".join(spoil(lines)))
    embedder = await open_embedder(directory=str(tmp_path))
    with pytest.raises(Unavailable, match=message):
        await embedder.embed(["anything"])
