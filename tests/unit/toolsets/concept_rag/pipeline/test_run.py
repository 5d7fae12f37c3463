"""Runs of the ingestion: what becomes of each file."""

import json
import re
from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from PIL import Image

from backends.ports.events import RecordedEvent, StreamName
from tests.support.chat import Chat, chat, fails, says
from tests.support.documents import docx, docx_paragraph, markdown, samples
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.support.parsed_documents import CIRCUITS, LEDGERS
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import Sheets, prose
from tests.unit.toolsets.concept_rag.stores import RELAY, Reports, ingest, nodes, records, statuses, toolset_in, visible
from toolsets.concept_rag.entries import DocumentEntry, document_entry
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.numeric_ids import document_id_of
from toolsets.concept_rag.part import Part
from toolsets.concept_rag.pipeline import comparison, maintenance, run
from toolsets.concept_rag.pipeline.description import MAX_FAILURES
from toolsets.concept_rag.pipeline.report import FileReport, Silent
from toolsets.concept_rag.pipeline.run import Ingestion, RunOptions
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.streams import PARTS, TOOLSET
from toolsets.reports import no_progress
from toolsets.sourcing.aggregate import Decide
from toolsets.sourcing.projection_store import KnownVectors
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext

ValueT = TypeVar("ValueT")


@dataclass
class Lines(Silent):
    """An observer that keeps every report, also several of one path."""

    reports: list[FileReport] = field(default_factory=list[FileReport])

    def finished(self, report: FileReport, size: int) -> None:
        self.reports.append(report)


SUMMARY = "The text explains electronic circuits: resistors limit the current, and capacitors store charge."
GOOD = {"summary": SUMMARY, "concepts": ["diodes", "capacitor", "charge"], "categories": ["Telecommunications"]}


async def test_every_format_becomes_a_document_that_readers_see(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name, content in samples().items():
        (folder / name).write_bytes(content)
    reports, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"added": len(samples())}
    for name in samples():
        report = reports[folder / name]
        assert (report.status, report.chunks, report.pages) == ("added", 1, 1)
        assert report.catalog_id is not None
        assert report.concepts is not None
        assert report.concepts > 0
    seen = await visible(rag)
    assert all(len(chunks) == 1 for _, chunks in seen.values())
    assert {node.fields["name"] for node in await nodes(rag, "membership")}


async def test_a_document_is_recorded_while_the_next_one_is_embedded(
    rag: ConceptRag, pool: ParserPool, folder: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        (folder / f"{name}.md").write_bytes(markdown(f"{RELAY} {name} " * 60))
    embed, write = model.embed, rag.sourced.writes.write
    is_embedded = anyio.Event()

    async def noting(texts: Sequence[str]) -> object:
        if any("second" in text for text in texts):
            is_embedded.set()
        return await embed(texts)

    async def waiting(
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known_vectors: KnownVectors | None = None,
    ) -> Written[ValueT]:
        if known_vectors is not None:  # the first write with vectors records the first document
            with anyio.fail_after(30):
                await is_embedded.wait()
        return await write(decide, context, streams=streams, known_vectors=known_vectors)

    monkeypatch.setattr(model, "embed", noting)
    monkeypatch.setattr(rag.sourced.writes, "write", waiting)
    reports, _ = await ingest(rag, pool, folder)
    assert [Path(path).name for path in reports.by_path] == ["first.md", "second.md"]


async def test_the_report_of_a_document_counts_its_pages_without_text(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    sheets = Sheets().page().lines(prose(88)).page().png(0, 0, 612, 792, Image.new("L", (612, 792), 250))
    report = (await ingest(rag, pool, sheets.save(folder / "mixed.pdf")))[0][folder / "mixed.pdf"]
    assert (report.status, report.pages) == ("added", 2)
    said = r"Without (text, only images: 1 of 2 pages \(page 2\)\. .*entrepot\[ocr\].*|recognised text: page 2\.)"
    assert re.fullmatch(said, report.reason or "")


async def test_a_second_run_does_nothing(
    rag: ConceptRag, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    (folder / "a.md").write_bytes(markdown(RELAY))
    await ingest(rag, pool, folder)
    head, embedded = await (await rag.live_stores.log()).head(), model.texts
    reports, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"unchanged": 1}
    assert reports[folder / "a.md"].catalog_id is not None
    assert (await (await rag.live_stores.log()).head(), model.texts) == (head, embedded)


async def test_files_that_were_refused_are_looked_up_together(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        (folder / f"{number:02}.pdf").write_bytes(b"%%PDF-1.4 rubbish %d" % number)
    (folder / "a.md").write_bytes(markdown(RELAY))
    (folder / "b.md").write_bytes(markdown(" ".join(CIRCUITS)))
    first, _ = await ingest(rag, pool, folder)
    (folder / "b.md").write_bytes(b"\0\1\2")
    damaged, _ = await ingest(rag, pool, folder)
    log = await rag.live_stores.log()
    read, reads = log.read_streams, 0

    async def counted(streams: Collection[StreamName]) -> Mapping[StreamName, Sequence[RecordedEvent]]:
        nonlocal reads
        reads += 1
        return await read(streams)

    monkeypatch.setattr(log, "read_streams", counted)
    second, _ = await ingest(rag, pool, folder)
    assert second.by_path == damaged.by_path
    assert second[folder / "11.pdf"] == first[folder / "11.pdf"]
    assert str(second[folder / "b.md"].reason).endswith("The version ingested before stays in the library.")
    assert reads < 12


async def test_files_that_changed_or_are_new_are_found_among_many_that_did_not(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "_TOGETHER", 10)
    for number in range(24):
        (folder / f"{number:03}.txt").write_text(f"The relay {number} switches a lamp.", encoding="utf-8")
    (folder / "again.txt").write_bytes((folder / "007.txt").read_bytes())
    first, _ = await ingest(rag, pool, folder)
    (folder / "005.txt").write_text("A capacitor stores charge.", encoding="utf-8")
    (folder / "022.txt").unlink()
    (folder / "new.txt").write_text("A diode lets current pass one way.", encoding="utf-8")
    second, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"unchanged": 23, "updated": 1, "added": 1}
    assert second[folder / "005.txt"].catalog_id == first[folder / "005.txt"].catalog_id
    assert second[folder / "again.txt"].reason == f"The same content as {folder / '007.txt'}."
    assert second[folder / "007.txt"].catalog_id == second[folder / "again.txt"].catalog_id


async def test_a_changed_file_replaces_its_old_version_and_keeps_its_id(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    (folder / "a.md").write_bytes(markdown(RELAY))
    first, _ = await ingest(rag, pool, folder)
    (folder / "a.md").write_bytes(markdown("The diode lets current pass in one direction only."))
    second, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"updated": 1}
    assert second[folder / "a.md"].catalog_id == first[folder / "a.md"].catalog_id
    assert [record.text for record in await records(rag, "chunks")] == [
        "The diode lets current pass in one direction only."
    ]


async def test_the_same_bytes_under_two_names_are_one_document_with_two_paths(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name in ("a.md", "b.md"):
        (folder / name).write_bytes(markdown(RELAY))
    reports, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"added": 1, "unchanged": 1}
    second = reports[folder / "b.md"]
    assert second.catalog_id == reports[folder / "a.md"].catalog_id
    assert second.reason == f"The same content as {folder / 'a.md'}."
    ((paths, chunks),) = (await visible(rag)).values()
    assert (paths, len(chunks)) == ([str(folder / "a.md"), str(folder / "b.md")], 1)


async def test_the_path_of_a_document_is_the_oldest_one_that_still_exists(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name in ("a.md", "b.md"):
        (folder / name).write_bytes(markdown(RELAY))
    await ingest(rag, pool, folder)
    (folder / "a.md").unlink()
    _, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"unchanged": 1}
    (document,) = await nodes(rag, "document")
    assert document.fields["path"] == str(folder / "b.md")


async def test_given_paths_are_looked_through_beside_the_loop(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.md").write_bytes(markdown(RELAY))
    await ingest(rag, pool, folder)
    told = threads_of(monkeypatch, run, "recorded_path")
    compared = threads_of(monkeypatch, maintenance, "is_below")
    await ingest(rag, pool, folder / "a.md")
    assert is_beside_loop(told)
    assert is_beside_loop(compared)


@pytest.mark.parametrize("dry_run", [True, False])
async def test_a_document_whose_only_file_gets_another_ones_content_is_removed(
    rag: ConceptRag, pool: ParserPool, folder: Path, *, dry_run: bool
) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.md").write_bytes(markdown(RELAY + name))
    before, _ = await ingest(rag, pool, folder)
    (folder / "b.md").write_bytes((folder / "a.md").read_bytes())
    observer = Lines()
    summary = await Ingestion(rag, pool=pool).run([folder], RunOptions(dry_run=dry_run), observer)
    assert statuses(summary) == {"unchanged": 2, "removed": 1}
    removed = observer.reports[-1]
    assert (removed.path, removed.catalog_id) == (str(folder / "b.md"), before[folder / "b.md"].catalog_id)
    assert removed.reason == "Its only file has the content of another document now."


@pytest.mark.parametrize(("content", "status"), [(b"", "skipped"), (b"PK\3\4 rubbish", "failed")])
async def test_the_report_of_a_file_that_is_no_longer_read_says_that_its_document_stays(
    rag: ConceptRag, pool: ParserPool, folder: Path, content: bytes, status: str
) -> None:
    path = folder / "a.docx"
    path.write_bytes(docx([docx_paragraph(RELAY)], title="Relays"))
    await ingest(rag, pool, folder)
    seen = await visible(rag)
    path.write_bytes(content)
    (folder / "new.docx").write_bytes(content)
    for _ in range(2):
        reports, _ = await ingest(rag, pool, folder, prune=True)
        assert reports[path].status == reports[folder / "new.docx"].status == status
        assert str(reports[path].reason).endswith(" The version ingested before stays in the library.")
        assert "ingested before" not in str(reports[folder / "new.docx"].reason)
        assert await visible(rag) == seen


async def test_a_rebuild_after_adds_updates_and_removals_holds_the_same(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name, content in samples().items():
        (folder / name).write_bytes(content)
    await ingest(rag, pool, folder)
    (folder / "relays.md").write_bytes(markdown(f"{RELAY} It clicks."))
    (folder / "relays.txt").unlink()
    await ingest(rag, pool, folder, prune=True)
    report = await rag.sourced.rebuilder.rebuild(no_progress)
    assert report.digest == report.former_digest
    assert (report.embedded, report.nodes > 0) == (0, True)


async def test_ids_do_not_depend_on_process_or_order(
    tmp_path: Path, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    for number in range(3):
        (folder / f"{number}.md").write_bytes(markdown(f"{RELAY} {number}"))
    found: list[set[int | None]] = []
    for name, paths in (("one", sorted(folder.iterdir())), ("two", sorted(folder.iterdir(), reverse=True))):
        async with toolset_in(tmp_path / name, model=model) as rag:
            reports, _ = await ingest(rag, pool, *paths)
            found.append({report.catalog_id for report in reports.by_path.values()})
            hashes = {str(node.fields["hash"]) for node in await nodes(rag, "document")}
            assert found[-1] == {document_id_of(each) for each in hashes}
    assert found[0] == found[1]


async def test_events_say_what_caused_them(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    (folder / "a.md").write_bytes(markdown(RELAY))
    await ingest(rag, pool, folder)
    events = await (await rag.live_stores.log()).read_all(f"{TOOLSET}/")
    assert {str(event.meta.get("tool")) for event in events} == {"ingest"}


async def test_events_hold_the_place_of_each_chunk_in_the_documents_text(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    (folder / "a.txt").write_text(RELAY * 40, encoding="utf-8")
    await ingest(rag, pool, folder)
    events = await (await rag.live_stores.log()).read_all(PARTS)
    chunks = [chunk for event in events for chunk in Part.model_validate(event.data).chunks]
    assert len(chunks) > 1
    text = (RELAY * 40).strip()
    assert [text[chunk.start : chunk.end] for chunk in chunks] == [chunk.text for chunk in chunks]


@pytest.fixture
def endpoint() -> Generator[Chat]:
    with chat(lambda _: says(json.dumps(GOOD))) as running:
        yield running


async def library(
    data: Path, folder: Path, pool: ParserPool, model: RememberingModel, chat: str | None
) -> tuple[Mapping[str, DocumentEntry], Reports]:
    """Ingest a folder into a new library; return its documents by file name, and the reports."""
    async with toolset_in(data, model=model, chat=chat) as rag:
        reports, _ = await ingest(rag, pool, folder)
        entries = [document_entry(node) for node in await nodes(rag, "document")]
        return {Path(entry.path).name: entry for entry in entries}, reports


async def test_a_document_has_what_the_model_says_and_finds_the_rest_by_itself(
    tmp_path: Path, folder: Path, pool: ParserPool, model: RememberingModel, endpoint: Chat
) -> None:
    (folder / "circuits.md").write_bytes(markdown(" ".join(CIRCUITS)))
    plain, _ = await library(tmp_path / "plain", folder, pool, model, None)
    found, reports = await library(tmp_path / "described", folder, pool, model, endpoint.base_url)
    [entry], [before] = found.values(), plain.values()
    assert entry.summary == SUMMARY != before.summary
    assert entry.categories == ("Telecommunications",) != before.categories
    assert {*entry.primary} == {"diode", "capacitor", "charge"}
    assert set(entry.related) <= {*before.primary, *before.related} - set(entry.primary)
    assert reports[folder / "circuits.md"].reason == "By the language model m: summary, concepts, categories."


async def test_a_model_that_fails_leaves_the_offline_result_and_is_given_up(
    tmp_path: Path, folder: Path, pool: ParserPool, model: RememberingModel, endpoint: Chat
) -> None:
    for number in range(MAX_FAILURES + 1):
        (folder / f"{number}.md").write_bytes(markdown(f"Book {number}. {LEDGERS[number]} {CIRCUITS[number]}"))
    endpoint.answering = lambda _: fails(500, "overloaded")
    plain, _ = await library(tmp_path / "plain", folder, pool, model, None)
    found, _ = await library(tmp_path / "described", folder, pool, model, endpoint.base_url)
    assert found.keys() == plain.keys()
    for name, entry in found.items():
        before = plain[name]
        assert (entry.summary, entry.primary, entry.related) == (before.summary, before.primary, before.related)
        assert entry.categories == before.categories
    assert len(endpoint.asked) == MAX_FAILURES
