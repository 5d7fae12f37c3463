"""The default embedder: similar texts get similar vectors, and damage is reported."""

import shutil
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import backends.engines.minilm
from backends.engines.minilm import adapter
from backends.engines.minilm.identity import SHIPPED
from backends.ports.embedder import Embedder
from backends.ports.errors import InvalidInput, Unavailable, Unusable
from backends.registry import load_adapter

MODEL = Path(backends.engines.minilm.__file__).parent
SPOILT: list[tuple[Callable[[list[bytes]], list[bytes]], str]] = [
    (lambda lines: lines[:-1], "30,522 different lines, not 30,521"),
    (lambda lines: [*lines[:-1], lines[0]], "30,522 different lines, not 30,521"),
    (lambda lines: [*lines[1:], lines[0]], r"\[UNK\] in line 101"),
    (lambda lines: [*lines[:-1], b"\xff"], "utf-8"),
]


async def open_embedder(**options: str | int) -> Embedder:
    engine = await load_adapter("minilm").open(options, Path())
    return await engine.embedder()


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


async def test_a_damaged_model_is_unavailable_and_names_the_cause(tmp_path: Path) -> None:
    shutil.copy(MODEL / "vocab.txt", tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    embedder = await open_embedder(directory=str(tmp_path))
    with pytest.raises(Unavailable, match="cannot be loaded"):
        await embedder.embed(["anything"])


@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt"])
async def test_a_shipped_file_with_other_bytes_is_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One flipped bit in the middle of the weights still loads, and gives other vectors."""
    engine = await load_adapter("minilm").open({}, tmp_path)
    await engine.verify()
    content = bytearray((MODEL / name).read_bytes())
    content[len(content) // 2] ^= 1
    for file in ("model.onnx", "vocab.txt"):
        (tmp_path / file).write_bytes(content if file == name else (MODEL / file).read_bytes())
    monkeypatch.setattr(adapter, "SHIPPED", replace(SHIPPED, directory=tmp_path))
    engine = await load_adapter("minilm").open({}, tmp_path)
    with pytest.raises(Unusable, match=f"{name} has been changed.*reinstall Entrepot"):
        await engine.verify()
    with pytest.raises(Unusable, match=f"{name} has been changed"):
        await (await engine.embedder()).embed(["anything"])


async def test_a_model_changed_after_opening_is_unusable_until_it_is_restored(tmp_path: Path) -> None:
    for file in ("model.onnx", "vocab.txt"):
        shutil.copy(MODEL / file, tmp_path)
    embedder = await open_embedder(directory=str(tmp_path))
    (tmp_path / "vocab.txt").write_bytes((MODEL / "vocab.txt").read_bytes() + b"more")
    with pytest.raises(Unusable, match="restore the former file"):
        await embedder.embed(["anything"])
    shutil.copy(MODEL / "vocab.txt", tmp_path)
    assert (await embedder.embed(["anything"])).shape == (1, 384)


async def test_another_model_has_another_identity(tmp_path: Path) -> None:
    shutil.copy(MODEL / "vocab.txt", tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"other bytes")
    assert (await open_embedder(directory=str(tmp_path))).identity != (await open_embedder()).identity


async def test_another_vocabulary_makes_another_model(tmp_path: Path) -> None:
    shutil.copy(MODEL / "vocab.txt", tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"the same bytes")
    whole = (await open_embedder(directory=str(tmp_path))).identity
    (tmp_path / "vocab.txt").write_bytes((MODEL / "vocab.txt").read_bytes()[:-1])
    assert (await open_embedder(directory=str(tmp_path))).identity != whole


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


@pytest.mark.parametrize("options", [{"workers": 0}, {"unknown": 1}, {"directory": "/nowhere/at/all"}])
async def test_a_wrong_option_is_refused_by_name(options: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await open_embedder(**options)


async def test_the_quantised_model_agrees_with_the_fp32_one() -> None:
    """The reference vectors come from the fp32 model, mean-pooled with unit norm."""
    reference = np.load(Path(__file__).parent / "fp32.npz")
    rows = await (await open_embedder()).embed([str(text) for text in reference["texts"]])
    cosines = np.sum(rows * reference["vectors"], axis=1)
    assert float(cosines.mean()) >= 0.99
    assert float(cosines.min()) >= 0.97
