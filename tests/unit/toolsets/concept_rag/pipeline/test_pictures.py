"""Pictures of documents as files of the toolset."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.documents import docx, docx_image, docx_paragraph, png
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes, statuses
from toolsets.concept_rag.ingestion.document import ParsedDocument, Unreadable
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


async def test_images_that_are_missing_are_made_again_by_the_next_run(
    rag: ConceptRag, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    body = [docx_paragraph(RELAY), docx_paragraph("", content=docx_image("i1", alternative="Circuit of a relay"))]
    for name in ("a", "b"):
        (folder / f"{name}.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    (folder / "c.md").write_text("Another text about diodes.", encoding="utf-8")
    before, _ = await ingest(rag, pool, folder)
    (visual,) = await nodes(rag, "visual")
    path = rag.picture(str(visual.fields["file"]))
    assert path is not None
    content = path.read_bytes()
    path.unlink()
    head, embedded = await (await rag.live_stores.log()).head(), model.texts
    planned, _ = await ingest(rag, pool, folder, dry_run=True)
    assert not path.exists()
    done, summary = await ingest(rag, pool, folder)
    assert path.read_bytes() == content
    assert planned.by_path == done.by_path
    assert statuses(summary) == {"unchanged": 3}
    assert done[folder / "a.docx"].reason == "The document's missing images are made again."
    assert done[folder / "a.docx"].catalog_id == before[folder / "a.docx"].catalog_id
    assert done[folder / "b.docx"].reason == f"The same content as {folder / 'a.docx'}."
    assert (await (await rag.live_stores.log()).head(), model.texts) == (head, embedded)
    assert (await ingest(rag, pool, folder))[0][folder / "a.docx"].reason is None


async def test_a_document_stays_if_its_missing_images_cannot_be_made_again(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "a.docx"
    body = [docx_paragraph(RELAY), docx_paragraph("", content=docx_image("i1", alternative="Circuit of a relay"))]
    file.write_bytes(docx(body, title="Relays", media={"i1": png()}))
    await ingest(rag, pool, folder)
    (visual,) = await nodes(rag, "visual")
    path = rag.picture(str(visual.fields["file"]))
    assert path is not None
    path.unlink()
    parse = pool.parse

    async def without_pictures(path: Path) -> ParsedDocument:
        return replace(await parse(path), pictures=())

    async def refusing(path: Path) -> ParsedDocument:
        raise Unreadable("damaged", "It is damaged.")

    with monkeypatch.context() as patched:
        patched.setattr(pool, "parse", without_pictures)
        reports, _ = await ingest(rag, pool, folder)
    assert reports[file].status == "unchanged"
    assert "forget it, then ingest the file" in str(reports[file].reason)
    with monkeypatch.context() as patched:
        patched.setattr(pool, "parse", refusing)
        reports, _ = await ingest(rag, pool, folder)
    assert reports[file].status == "failed"
    assert reports[file].reason == "It is damaged. The version ingested before stays in the library."
    assert not await nodes(rag, "refused_file")
    await ingest(rag, pool, folder)
    assert path.is_file()
