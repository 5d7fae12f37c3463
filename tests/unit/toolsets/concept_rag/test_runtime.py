"""Where paths of the settings are looked for."""

from pathlib import Path

import pytest

from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import toolset_in
from toolsets.concept_rag.folders import Folders
from toolsets.concept_rag.health import ConceptRagHealth, FolderStatus
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.concept_rag.taxonomy.model import TaxonomyError


async def test_relative_paths_are_below_the_data_directory_wherever_the_server_was_started(
    tmp_path: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    settings = ConceptRagSettings(taxonomy=Path("none.toml"), folders=(Path("a"), Path("~/b"), Path("/c/../d")))
    async with toolset_in(tmp_path / "data", settings, model=model) as rag:
        with pytest.raises(TaxonomyError, match=f"^{tmp_path}/data/none.toml cannot be read"):
            _ = rag.taxonomy
        status = FolderStatus()
        await Folders(rag, status).poll()
        assert [*status.kept] == [f"{tmp_path}/data/a", f"{tmp_path}/home/b", "/d"]
        (problem,) = (await ConceptRagHealth(rag, status)()).problems
        assert f"{tmp_path}/data/none.toml" in problem
