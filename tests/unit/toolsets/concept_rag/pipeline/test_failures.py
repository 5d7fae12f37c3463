"""Files that cannot be read, parsed or analysed: each is reported, and the others are ingested."""

from pathlib import Path

import pytest

from tests.support.documents import markdown, samples
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes, statuses
from toolsets.concept_rag.ingestion.document import Unreadable
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.runtime import ConceptRag

DAMAGED = b"%PDF-1.4 rubbish"


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
    (folder / "a.md").write_bytes(markdown(RELAY))

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
        (folder / f"{name}.md").write_bytes(markdown(RELAY + name))
    parse = pool.parse

    async def failing_once(path: Path) -> object:
        if path.name == "a.md":
            raise ZeroDivisionError
        return await parse(path)

    monkeypatch.setattr(pool, "parse", failing_once)
    reports, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"failed": 1, "added": 1}
    assert "ZeroDivisionError" in str(reports[folder / "a.md"].reason)
