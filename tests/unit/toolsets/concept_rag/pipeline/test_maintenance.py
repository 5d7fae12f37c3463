"""Documents of removed files, unused versions and images."""

from pathlib import Path

import pytest

from tests.support.documents import markdown
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, nodes, records, statuses, visible
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.runtime import ConceptRag


async def test_documents_of_removed_files_go_with_prune_only(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.md").write_bytes(markdown(RELAY + name))
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
        path.write_bytes(markdown(RELAY + path.stem))
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
    assert statuses(summary) == ({"failed": 1} if prune else {})
    assert await visible(rag) == seen, "an empty folder may be one where no disk is mounted"
    (disk / "other.md").write_bytes(markdown("Another text about diodes."))
    reports, summary = await ingest(rag, pool, disk, prune=prune)
    assert statuses(summary) == ({"added": 1, "removed": 1} if prune else {"added": 1})


async def test_a_folder_below_the_given_one_may_be_emptied(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "a.md").write_bytes(markdown(RELAY))
    (folder / "b.md").write_bytes(markdown("Another text about diodes."))
    await ingest(rag, pool, folder)
    (folder / "inner" / "a.md").unlink()
    reports, _ = await ingest(rag, pool, folder / "inner", prune=True)
    assert "prune a folder above it" in str(reports[folder / "inner"].reason)
    _, summary = await ingest(rag, pool, folder, prune=True)
    assert statuses(summary) == {"unchanged": 1, "removed": 1}
