"""Models that are missing, changed, or differ from the configuration."""

import shutil
from pathlib import Path

import pytest

from backends.ports.errors import InvalidInput, Unusable
from tests.engines.sentence_transformers.conftest import needs_library, refused


@needs_library
async def test_a_folder_with_another_model_than_configured_is_refused(folder: Path, tmp_path: Path) -> None:
    message = await refused(Unusable, tmp_path, model=str(folder), revision="000000000000")
    assert "but the configuration says 000000000000" in message


@needs_library
async def test_a_changed_file_is_another_model(folder: Path, tmp_path: Path) -> None:
    from backends.engines.sentence_transformers.identity import digest_of

    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    before = digest_of(copy)
    assert before == digest_of(folder)
    (copy / "README.md").write_text("Another text.", encoding="utf-8")
    assert digest_of(copy) == before
    (copy / "1_Pooling" / "config.json").write_text("{}", encoding="utf-8")
    assert digest_of(copy) != before


@needs_library
@pytest.mark.parametrize("model", ["./missing", "/missing/model", "~/missing", "a/b/c"])
async def test_a_folder_that_is_not_there_is_named(tmp_path: Path, model: str) -> None:
    assert "missing" in await refused(InvalidInput, tmp_path, model=model) or model == "a/b/c"
