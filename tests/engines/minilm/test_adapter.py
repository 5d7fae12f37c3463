"""A model whose files are not the shipped ones, or change after opening."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from backends.engines.minilm import adapter
from backends.engines.minilm.identity import SHIPPED
from backends.ports.errors import Unusable
from backends.registry import load_adapter
from tests.engines.minilm.embedders import MODEL, open_embedder


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
