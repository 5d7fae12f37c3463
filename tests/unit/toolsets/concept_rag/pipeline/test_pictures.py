"""Pictures of documents as files of the toolset."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.documents import docx, docx_image, docx_paragraph, png
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes, statuses
from toolsets.concept_rag.ingestion.document import ParsedDocument, Picture, Unreadable
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.pipeline.pictures import (
    descriptions,
    idle_pictures,
    missing_pictures,
    remove_pictures,
    store_pictures,
)
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
    monkeypatch.setattr("toolsets.concept_rag.pipeline.maintenance.SPARED_S", -1.0)
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


def document(*pictures: Picture) -> ParsedDocument:
    return ParsedDocument("text", "Relays", "", "", 1, (), pictures)


def test_equal_images_share_a_file_and_are_numbered(tmp_path: Path) -> None:
    shown = [Picture(png(), page, "figure", "", "Text  around\nit", 160, 120) for page in (1, 2)]
    bare, stored = store_pictures(document(*shown, Picture(png(seed=2), 3, "chart", "", "", 160, 120)), tmp_path)
    assert bare.pictures == ()
    assert len(list(tmp_path.glob("pictures/*/*.png"))) == 2
    assert [(occurrence, description) for _, occurrence, description in descriptions(stored, "Relays", {})] == [
        (0, "Text around it"),
        (1, "Text around it"),
        (0, "Chart on page 3 of Relays"),
    ]
    assert all(each.picture.png == b"" for each in stored)


def test_a_description_begins_with_a_sentence(tmp_path: Path) -> None:
    texts = ["put out, e.g. in May. A beta follows. It is", "without any end", "1 k R A0 GND", "It is. So it is."]
    pictures = [Picture(png(seed=place), 1, "figure", "", text, 160, 120) for place, text in enumerate(texts, 1)]
    _, stored = store_pictures(document(*pictures), tmp_path)
    found = [description for _, _, description in descriptions(stored, "Relays", {})]
    assert found == ["A beta follows. It is", *texts[1:]]


@pytest.mark.parametrize(
    ("caption", "context", "expected"),
    [
        ("", "Coils: The following figure shows a coil.", "Coils: The following figure shows a coil."),
        ("", "Relays: Two coils.", "Two coils."),
        ("", "Coils: " + "coil " * 200, "Coils:" + " coil" * 78 + " …"),
        ("Figure 3.", "Coils: Two coils.", "Figure 3. Coils: Two coils."),
        ("image", "Coils: Two coils.", "Coils: Two coils."),
        ("image", "", "The text around it"),
        ("Figure 3.", "", "Figure 3."),
        ("A coil", "", "A coil"),
    ],
)
def test_a_picture_whose_caption_says_nothing_is_described_by_its_context(
    tmp_path: Path, caption: str, context: str, expected: str
) -> None:
    picture = Picture(png(), 1, "figure", caption, "The text around it", 160, 120, context)
    _, stored = store_pictures(document(picture), tmp_path)
    ((_, _, description),) = descriptions(stored, "Relays", {})
    assert description == expected
    ((_, _, seen),) = descriptions(stored, "Relays", {stored[0].digest: "A model's words."})
    assert seen.endswith("A model's words.")
    assert "Two coils" not in seen


def test_only_images_that_were_not_written_lately_are_idle(tmp_path: Path) -> None:
    picture = Picture(png(), 1, "figure", "", "", 160, 120)
    _, (stored,) = store_pictures(document(picture), tmp_path)
    (path,) = tmp_path.glob("pictures/*/*.png")
    assert list(idle_pictures(tmp_path, 3_600)) == []
    os.utime(path, (0, 0))
    assert list(idle_pictures(tmp_path, 3_600)) == [[stored.digest]]
    store_pictures(document(picture), tmp_path)
    assert list(idle_pictures(tmp_path, 3_600)) == [], "a run that stores it again uses it"


def test_an_image_that_is_stored_again_after_it_was_listed_as_idle_is_kept(tmp_path: Path) -> None:
    """A sweep asks the graph between listing and removing; a run that uses the file may record it afterwards."""
    picture = Picture(png(), 1, "figure", "", "", 160, 120)
    store_pictures(document(picture), tmp_path)
    (path,) = tmp_path.glob("pictures/*/*.png")
    os.utime(path, (0, 0))
    (listed,) = idle_pictures(tmp_path, 3_600)
    store_pictures(document(picture), tmp_path)
    remove_pictures(tmp_path, listed, 3_600)
    assert path.read_bytes() == picture.png
    os.utime(path, (0, 0))
    remove_pictures(tmp_path, [*listed, "00" * 32], 3_600)
    assert list(path.parent.iterdir()) == []
