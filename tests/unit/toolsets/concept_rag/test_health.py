"""What the operator learns about the toolset: missing images, wrong categories."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.documents import docx, docx_image, docx_paragraph, png
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import ingest, nodes, toolset_in
from toolsets.concept_rag.health import ConceptRagHealth, FolderStatus, failure_notes
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.settings import ConceptRagSettings
from toolsets.concept_rag.wordnet import lexicon


async def problems(rag: ConceptRag) -> Sequence[str]:
    return (await ConceptRagHealth(rag, FolderStatus())()).problems


async def test_an_image_that_is_missing_is_a_problem(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    body = [docx_paragraph("A relay is a switch."), docx_paragraph("", content=docx_image("i1"))]
    (folder / "a.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    await ingest(rag, pool, folder)
    assert await problems(rag) == ()
    (visual,) = await nodes(rag, "visual")
    path = rag.picture(str(visual.fields["file"]))
    assert path is not None
    path.unlink()
    again = f"or have them made again: `entrepot ingest {folder / 'a.docx'}`"
    problem = f"images of visuals are missing: {path}; put the data directory's files back, {again}"
    assert await problems(rag) == (problem,)
    await ingest(rag, pool, folder / "a.docx")
    assert path.is_file()
    assert await problems(rag) == ()


async def test_a_file_of_categories_that_cannot_be_read_is_a_problem(tmp_path: Path, model: RememberingModel) -> None:
    settings = ConceptRagSettings(taxonomy=tmp_path / "none.toml")
    async with toolset_in(tmp_path / "data", settings, model=model) as rag:
        (problem,) = await problems(rag)
        assert problem.startswith("the categories cannot be used: ")


@pytest.mark.parametrize("damage", ["one bit", "cut", "missing"])
async def test_a_wordnet_with_other_bytes_is_a_problem(
    rag: ConceptRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """Nearly every changed file still opens, and gives other words."""
    content = bytearray(lexicon.SHIPPED.read_bytes())
    content[len(content) // 2] ^= 1
    file = tmp_path / "wordnet.bin"
    if damage != "missing":
        file.write_bytes(content if damage == "one bit" else content[:-1])
    monkeypatch.setattr(lexicon, "SHIPPED", file)
    lexicon.wordnet.cache_clear()
    try:
        (problem,) = await problems(rag)
    finally:
        monkeypatch.undo()
        lexicon.wordnet.cache_clear()
    assert problem.startswith("WordNet cannot be used: ")
    assert str(file) in problem
    assert ("reinstall Entrepot" in problem) is (damage != "missing")
    assert await problems(rag) == ()


async def test_images_are_left_out_where_the_operator_says_so(
    tmp_path: Path, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    body = [docx_paragraph("A relay is a switch."), docx_paragraph("", content=docx_image("i1"))]
    (folder / "a.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    async with toolset_in(tmp_path / "data", ConceptRagSettings(visuals=False), model=model) as rag:
        reports, _ = await ingest(rag, pool, folder)
        assert reports[folder / "a.docx"].visuals == 0
        assert not (tmp_path / "data" / "concept_rag" / "pictures").exists()


def test_notes_count_files_in_words() -> None:
    status = FolderStatus(waiting=1)
    assert status.notes() == ["1 file to be ingested"]
    status.waiting = 2
    assert status.notes() == ["2 files to be ingested"]
    status.working("/a.md", 1, 2, 10)
    assert status.notes() == ["ingesting /a.md, 2 files to go"]
    assert failure_notes({"/a.md": "damaged"}, 2) == ["/a.md failed: damaged", "1 more file failed"]
