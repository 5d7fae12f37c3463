"""Models that are damaged, or looked for without a network."""

import shutil
from pathlib import Path

import pytest

from backends.ports.errors import Unavailable, Unusable
from tests.engines.sentence_transformers.conftest import needs_library, refused


@needs_library
async def test_damaged_weights_are_reported(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    (copy / "model.safetensors").write_bytes(b"\x00" * 1_000)
    assert "can be loaded" in await refused(Unusable, tmp_path, model="model")


@needs_library
async def test_an_empty_folder_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert "holds no sentence-transformers model" in await refused(Unusable, tmp_path, model="model")


@needs_library
async def test_offline_makes_no_request(tmp_path: Path, no_network: list[str]) -> None:
    message = await refused(Unavailable, tmp_path, model="nobody/no-such-model-at-all", offline=True)
    assert "offline = true" in message
    assert no_network == []


@needs_library
async def test_offline_finds_a_model_in_the_cache(
    folder: Path, tmp_path: Path, no_network: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache has the layout of the hub: a reference names a commit, and the commit has the files."""
    from backends.engines.sentence_transformers.adapter import ADAPTER

    commit = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
    cached = tmp_path / "models--someone--small"
    shutil.copytree(folder, cached / "snapshots" / commit)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit, encoding="ascii")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    engine = await ADAPTER.open({"model": "someone/small", "offline": True}, tmp_path)
    identity = (await engine.embedder()).identity
    assert (identity.model, identity.dim, identity.revision) == ("someone/small", 384, commit)
    assert no_network == []
    await engine.close()
