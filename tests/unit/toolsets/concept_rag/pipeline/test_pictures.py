"""Pictures of documents as files of the toolset."""

from pathlib import Path

import pytest

from tests.support.documents import docx, docx_image, docx_paragraph, png
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.pipeline.pictures import missing_pictures
from toolsets.concept_rag.runtime import ConceptRag


async def test_images_are_kept_as_files_and_cleared_away_when_nothing_shows_them(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = [docx_paragraph(RELAY), docx_paragraph("", content=docx_image("i1", alternative="Circuit of a relay"))]
    (folder / "a.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    reports, _ = await ingest(rag, pool, folder)
    assert reports[folder / "a.docx"].visuals == 1
    (visual,) = await nodes(rag, "visual")
    assert visual.props["description"] == "Circuit of a relay"
    kept = rag.picture(str(visual.fields["file"]))
    assert kept is not None
    assert kept.read_bytes().startswith(b"\x89PNG")
    (folder / "a.docx").unlink()
    (folder / "b.md").write_text("Another text about diodes.", encoding="utf-8")
    monkeypatch.setattr("toolsets.concept_rag.pipeline.upkeep.SPARED_S", -1.0)
    await ingest(rag, pool, folder, prune=True)
    assert not kept.exists()
    assert missing_pictures(rag.directory or folder, [kept.stem]) == [str(kept)]
