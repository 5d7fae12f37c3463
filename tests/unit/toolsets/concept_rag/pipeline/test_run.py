"""Runs of the ingestion: what becomes of files, and what an interruption leaves."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from backends.ports.errors import Unavailable
from backends.ports.events import RecordedEvent, StreamName
from tests.support.documents import docx, docx_image, docx_paragraph, markdown, png, samples
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import ingest, nodes, records, toolset_in, visible
from toolsets.concept_rag.catalog import Plan
from toolsets.concept_rag.ingestion.document import Unreadable
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.numbers import document_number
from toolsets.concept_rag.pipeline.pictures import missing_pictures
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.pipeline.report import RunSummary
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.streams import DOCUMENTS, TOOLSET
from toolsets.reports import no_progress
from toolsets.sourcing.aggregate import Decide
from toolsets.sourcing.projection_store import KnownVectors
from toolsets.sourcing.write_path import Written
from toolsets.spec import CallContext

ValueT = TypeVar("ValueT")

TEXT = "A relay is a switch that a small current operates. It keeps two circuits apart. "
DAMAGED = b"%PDF-1.4 rubbish"


def statuses(summary: RunSummary) -> dict[str, int]:
    return {status: count for status, count in summary.counts.items() if count}


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


async def test_a_second_run_does_nothing(
    rag: ConceptRag, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT))
    await ingest(rag, pool, folder)
    head, embedded = await (await rag.live_stores.log()).head(), model.texts
    reports, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"unchanged": 1}
    assert reports[folder / "a.md"].catalog_id is not None
    assert (await (await rag.live_stores.log()).head(), model.texts) == (head, embedded)


async def test_a_changed_file_replaces_its_old_version_and_keeps_its_id(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT))
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
        (folder / name).write_bytes(markdown(TEXT))
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
        (folder / name).write_bytes(markdown(TEXT))
    await ingest(rag, pool, folder)
    (folder / "a.md").unlink()
    _, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"unchanged": 1}
    (document,) = await nodes(rag, "document")
    assert document.fields["path"] == str(folder / "b.md")


async def test_documents_of_removed_files_go_with_prune_only(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.md").write_bytes(markdown(TEXT + name))
    await ingest(rag, pool, folder)
    (folder / "a.md").unlink()
    _, kept = await ingest(rag, pool, folder)
    assert statuses(kept) == {"unchanged": 1}
    _, elsewhere = await ingest(rag, pool, folder / "b.md", prune=True)
    assert statuses(elsewhere) == {"unchanged": 1}
    reports, pruned = await ingest(rag, pool, folder, prune=True)
    assert statuses(pruned) == {"unchanged": 1, "removed": 1}
    assert reports[folder / "a.md"].status == "removed"
    assert len(await nodes(rag, "document")) == len(await records(rag, "chunks")) == 1


@pytest.mark.parametrize("prune", [False, True])
async def test_a_path_with_nothing_at_it_fails_and_its_documents_stay(
    rag: ConceptRag, pool: ParserPool, folder: Path, *, prune: bool
) -> None:
    disk = folder / "disk"
    disk.mkdir()
    for path in (disk / "a.md", disk / "twin.md", folder / "twin.md"):
        path.write_bytes(markdown(TEXT + path.stem))
    await ingest(rag, pool, folder)
    seen = await visible(rag)
    disk.rename(folder.with_name("unmounted"))
    reports, summary = await ingest(rag, pool, disk, prune=prune)
    assert statuses(summary) == {"failed": 1}
    assert summary.failed
    kept = " Documents below it are kept." if prune else ""
    assert reports[disk].reason == f"There is nothing at this path.{kept}"
    assert await visible(rag) == seen
    disk.mkdir()
    reports, summary = await ingest(rag, pool, disk, prune=prune)
    assert statuses(summary) == ({"removed": 1} if prune else {})


async def test_a_dry_run_says_what_a_run_would_do_and_writes_nothing(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name in ("changed", "gone", "same"):
        (folder / f"{name}.md").write_bytes(markdown(TEXT + name))
    await ingest(rag, pool, folder)
    (folder / "changed.md").write_bytes(markdown("Another text about diodes."))
    (folder / "gone.md").unlink()
    for name in ("new", "twin"):
        (folder / f"{name}.md").write_bytes(markdown("A new text about coils."))
    head = await (await rag.live_stores.log()).head()
    planned, planned_sums = await ingest(rag, pool, folder, prune=True, dry_run=True)
    assert await (await rag.live_stores.log()).head() == head
    done, sums = await ingest(rag, pool, folder, prune=True)
    assert statuses(planned_sums) == statuses(sums) == {"added": 1, "updated": 1, "unchanged": 2, "removed": 1}
    assert {path: report.status for path, report in planned.by_path.items()} == {
        path: report.status for path, report in done.by_path.items()
    }
    assert planned[folder / "new.md"].catalog_id == done[folder / "new.md"].catalog_id


async def test_a_file_that_cannot_be_read_is_reported_again_without_being_parsed(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "bad.pdf").write_bytes(DAMAGED)
    (folder / "empty.md").write_bytes(b"\n\n")
    (folder / "program.exe").write_bytes(b"x")
    first, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"failed": 1, "skipped": 2}
    assert summary.failed

    async def parse(path: Path) -> None:
        raise AssertionError(f"{path} is parsed again")

    with monkeypatch.context() as patched:
        patched.setattr(pool, "parse", parse)
        second, _ = await ingest(rag, pool, folder)
    assert second.by_path == first.by_path
    (folder / "bad.pdf").write_bytes(samples()["relays.pdf"])
    third, _ = await ingest(rag, pool, folder)
    assert third[folder / "bad.pdf"].status == "added"
    assert [node.fields["status"] for node in await nodes(rag, "refused_file")] == ["skipped"]


async def test_bytes_refused_under_one_ending_stay_refused_when_another_name_makes_them_a_document(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name in ("a.docx", "b.pdf"):
        (folder / name).write_bytes(samples()["relays.pdf"])
    first, _ = await ingest(rag, pool, folder)
    assert [first[folder / name].status for name in ("a.docx", "b.pdf")] == ["failed", "added"]
    second, _ = await ingest(rag, pool, folder)
    assert [second[folder / name].status for name in ("a.docx", "b.pdf")] == ["failed", "unchanged"]
    assert second[folder / "a.docx"].reason == first[folder / "a.docx"].reason


async def test_a_parser_that_could_not_start_is_no_fault_of_the_file(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT))

    async def parse(path: Path) -> None:
        raise Unreadable("not_parsed", "No process.")

    with monkeypatch.context() as patched:
        patched.setattr(pool, "parse", parse)
        _, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"failed": 1}
    _, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"added": 1}


async def test_a_document_that_breaks_the_analysis_does_not_keep_the_others_out(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.md").write_bytes(markdown(TEXT + name))
    parse = pool.parse

    async def failing_once(path: Path) -> object:
        if path.name == "a.md":
            raise ZeroDivisionError
        return await parse(path)

    monkeypatch.setattr(pool, "parse", failing_once)
    reports, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"failed": 1, "added": 1}
    assert "ZeroDivisionError" in str(reports[folder / "a.md"].reason)


def interrupt(
    rag: ConceptRag, monkeypatch: pytest.MonkeyPatch, *, at: int, when: str, scope: anyio.CancelScope
) -> None:
    """Cancel the run before or after its write number `at`."""
    write = rag.sourced.writes.write
    count = 0

    async def counting(
        decide: Decide[ValueT],
        context: CallContext,
        *,
        streams: Collection[StreamName],
        known: KnownVectors | None = None,
    ) -> Written[ValueT]:
        nonlocal count
        count += 1
        if count == at and when == "before":
            scope.cancel()
        await anyio.lowlevel.checkpoint()
        written = await write(decide, context, streams=streams, known=known)
        if count == at:
            scope.cancel()
            await anyio.lowlevel.checkpoint()
        return written

    monkeypatch.setattr(rag.sourced.writes, "write", counting)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_run_that_was_interrupted_at_any_write_is_continued_by_the_next_one(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    ended = 0
    for at in range(1, 20):
        path = folder / f"{at}.md"
        path.write_bytes(markdown(f"{TEXT} {at} " * 60))
        with anyio.CancelScope() as scope, monkeypatch.context() as patched:
            interrupt(rag, patched, at=at, when=when, scope=scope)
            await ingest(rag, pool, path)
        if not scope.cancelled_caught:
            break
        ended += 1
        await ingest(rag, pool, path)
    assert ended >= 5
    await rag.sourced.relay.catch_up()
    log = await rag.live_stores.log()
    documents = await nodes(rag, "document")
    assert len(documents) == ended + 1
    assert await log.count(DOCUMENTS) == ended + 1
    by_token = {str(node.fields["token"]): node.fields["chunks"] for node in documents}
    chunks = [str(record.fields["token"]) for record in await records(rag, "chunks")]
    assert {token: chunks.count(token) for token in set(chunks)} == by_token
    assert await nodes(rag, "version") == ()


async def test_an_interrupted_document_is_not_embedded_twice(
    rag: ConceptRag, pool: ParserPool, folder: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [
        f"Relay number {number} switches the load of circuit {number} on and off again." for number in range(1_200)
    ]
    (folder / "long.md").write_bytes(markdown(" ".join(sentences)))
    given: list[str] = []
    embed = model.embed

    async def failing(texts: list[str]) -> object:
        if len(given) >= 64:
            raise Unavailable("the model is gone")
        given.extend(text for text in texts if text.startswith("Relay number"))
        return await embed(texts)

    with monkeypatch.context() as patched:
        patched.setattr(model, "embed", failing)
        with pytest.raises(Unavailable):
            await ingest(rag, pool, folder)
    again: list[str] = []

    async def counting(texts: list[str]) -> object:
        again.extend(texts)
        return await embed(texts)

    with monkeypatch.context() as patched:
        patched.setattr(model, "embed", counting)
        _, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"added": 1}
    assert len(given) >= 64
    assert not set(given) & set(again)
    assert list((rag.directory or folder).glob("scratch/*")) == []


async def test_two_runs_at_once_make_each_document_once(
    tmp_path: Path, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    for number in range(8):
        (folder / f"{number}.md").write_bytes(markdown(f"{TEXT} {number}"))
    async with toolset_in(tmp_path / "data", model=model) as one, toolset_in(tmp_path / "data", model=model) as other:
        async with ParserPool() as second, anyio.create_task_group() as group:
            group.start_soon(ingest, one, pool, folder)
            group.start_soon(ingest, other, second, folder)
        await one.sourced.relay.catch_up()
        seen = await nodes(one, "document")
        assert len(seen) == 8
        assert await (await one.live_stores.log()).count(DOCUMENTS) == 8
        assert len(await records(one, "chunks")) == 8
        assert await nodes(one, "version") == ()


async def test_a_plan_is_made_on_one_moment_of_the_log(
    tmp_path: Path, pool: ParserPool, folder: Path, model: RememberingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "a.md"
    file.write_bytes(markdown(TEXT))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    async with toolset_in(tmp_path / "data", model=model) as one, toolset_in(tmp_path / "data", model=model) as other:
        log = await one.live_stores.log()
        read = log.read_streams

        async def overtaken(streams: Collection[StreamName]) -> Mapping[StreamName, Sequence[RecordedEvent]]:
            found = await read(streams)
            await ingest(other, pool, folder)
            return found

        monkeypatch.setattr(log, "read_streams", overtaken)
        known = await Recorder(one, "ingest").look(str(file), digest)
        assert known.plan == Plan("add", document_number(digest))


async def test_images_are_kept_as_files_and_cleared_away_when_nothing_shows_them(
    rag: ConceptRag, pool: ParserPool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = [docx_paragraph(TEXT), docx_paragraph("", content=docx_image("i1", alternative="Circuit of a relay"))]
    (folder / "a.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    reports, _ = await ingest(rag, pool, folder)
    assert reports[folder / "a.docx"].visuals == 1
    (visual,) = await nodes(rag, "visual")
    assert visual.props["description"] == "Circuit of a relay"
    kept = rag.picture(str(visual.fields["file"]))
    assert kept is not None
    assert kept.read_bytes().startswith(b"\x89PNG")
    (folder / "a.docx").unlink()
    monkeypatch.setattr("toolsets.concept_rag.pipeline.pictures.SPARED_S", -1.0)
    await ingest(rag, pool, folder, prune=True)
    assert not kept.exists()
    assert missing_pictures(rag.directory or folder, [kept.stem]) == [kept]


async def test_a_rebuild_after_adds_updates_and_removals_holds_the_same(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name, content in samples().items():
        (folder / name).write_bytes(content)
    await ingest(rag, pool, folder)
    (folder / "relays.md").write_bytes(markdown(f"{TEXT} It clicks."))
    (folder / "relays.txt").unlink()
    await ingest(rag, pool, folder, prune=True)
    report = await rag.sourced.rebuilder.rebuild(no_progress)
    assert report.digest == report.former_digest
    assert (report.embedded, report.nodes > 0) == (0, True)


async def test_ids_do_not_depend_on_process_or_order(
    tmp_path: Path, pool: ParserPool, folder: Path, model: RememberingModel
) -> None:
    for number in range(3):
        (folder / f"{number}.md").write_bytes(markdown(f"{TEXT} {number}"))
    found: list[set[int | None]] = []
    for name, paths in (("one", sorted(folder.iterdir())), ("two", sorted(folder.iterdir(), reverse=True))):
        async with toolset_in(tmp_path / name, model=model) as rag:
            reports, _ = await ingest(rag, pool, *paths)
            found.append({report.catalog_id for report in reports.by_path.values()})
            hashes = {str(node.fields["hash"]) for node in await nodes(rag, "document")}
            assert found[-1] == {document_number(each) for each in hashes}
    assert found[0] == found[1]


async def test_events_say_what_caused_them(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT))
    await ingest(rag, pool, folder)
    events = await (await rag.live_stores.log()).read_all(f"{TOOLSET}/")
    assert {str(event.meta.get("tool")) for event in events} == {"ingest"}
