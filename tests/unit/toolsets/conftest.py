"""The shipped embedder is loaded once for all tests of toolsets."""

from collections.abc import Generator
from pathlib import Path

import pytest

from backends.engines.minilm import embedder
from backends.engines.minilm.identity import ModelFiles
from backends.engines.minilm.model import MiniLM


@pytest.fixture(scope="session", autouse=True)
def loaded_once() -> Generator[None]:
    """Have all engines share the loaded model, which keeps no text; checking and loading it takes a tenth of a second."""
    models: dict[Path, MiniLM] = {}

    def loaded(files: ModelFiles) -> MiniLM:
        if files.directory not in models:
            files.check()
            models[files.directory] = MiniLM(files.directory)
        return models[files.directory]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(embedder, "_loaded", loaded)
        yield
