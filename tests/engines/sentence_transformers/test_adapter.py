"""A model that is loaded in time, or not."""

import asyncio
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from backends.ports.errors import Timeout, Unavailable
from tests.engines.sentence_transformers.conftest import needs_library, refused


@needs_library
async def test_the_identity_of_a_model_depends_on_its_files_only(
    folder: Path, tmp_path: Path, no_network: list[str]
) -> None:
    """Its path may be relative to the data directory, its revision is checked, and the network is not used."""
    from backends.engines.sentence_transformers.adapter import ADAPTER

    shutil.copytree(folder, tmp_path / "models" / "model")
    one = await ADAPTER.open({"model": str(folder)}, tmp_path)
    two = await ADAPTER.open({"model": "models/model", "revision": (await one.embedder()).identity.revision}, tmp_path)
    first, second = await one.embedder(), await two.embedder()
    assert first.identity == second.identity
    assert first.identity.dim == 384
    tries = await asyncio.gather(first.embed(["a cat", "a dog"]), second.embed(["a cat", "a dog"]))
    assert (tries[0] == tries[1]).all()
    assert no_network == []
    await one.close()
    await two.close()
    with pytest.raises(Unavailable):
        await first.embed(["a cat"])


@needs_library
async def test_loading_times_out(folder: Path, tmp_path: Path) -> None:
    message = await refused(Timeout, tmp_path, model=str(folder), load_timeout_s=0.001)
    assert "within 0.001 seconds" in message


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra st is installed")
def test_a_missing_library_is_named_with_the_line_that_installs_it() -> None:
    code = (
        "from backends.registry import load_adapter\n"
        "try:\n    load_adapter('sentence_transformers')\nexcept Exception as error:\n"
        "    print(type(error).__name__, error)"
    )
    message = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert message.startswith("InvalidInput")
    assert 'pip install "entrepot[st]"' in message
