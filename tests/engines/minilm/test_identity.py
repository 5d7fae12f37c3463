"""Other files are another model."""

import shutil
from pathlib import Path

from tests.engines.minilm.embedders import MODEL, open_embedder


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
