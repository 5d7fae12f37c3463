"""The network agrees with its reference, and one that cannot be loaded is reported."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from backends.ports.errors import Unavailable
from tests.engines.minilm.embedders import MODEL, open_embedder


async def test_a_damaged_model_is_unavailable_and_names_the_cause(tmp_path: Path) -> None:
    shutil.copy(MODEL / "vocab.txt", tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    embedder = await open_embedder(directory=str(tmp_path))
    with pytest.raises(Unavailable, match="cannot be loaded"):
        await embedder.embed(["anything"])


async def test_the_quantised_model_agrees_with_the_fp32_one() -> None:
    """The reference vectors come from the fp32 model, mean-pooled with unit norm."""
    reference = np.load(Path(__file__).parent / "fp32.npz")
    rows = await (await open_embedder()).embed([str(text) for text in reference["texts"]])
    cosines = np.sum(rows * reference["vectors"], axis=1)
    assert float(cosines.mean()) >= 0.99
    assert float(cosines.min()) >= 0.97
