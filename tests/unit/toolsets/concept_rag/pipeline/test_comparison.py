"""Comparison in dry runs: they report what a run would do, also where a file would join or leave a document."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.documents import markdown
from tests.unit.toolsets.concept_rag.stores import RELAY, ingest, statuses
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.runtime import ConceptRag


async def test_a_dry_run_says_what_a_run_would_do_and_writes_nothing(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name in ("changed", "gone", "same"):
        (folder / f"{name}.md").write_bytes(markdown(RELAY + name))
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
    for name in ("new.md", "gone.md"):
        assert planned[folder / name].catalog_id == done[folder / name].catalog_id is not None


@pytest.mark.parametrize(
    ("texts", "renamed", "copied", "removed"),
    [
        ({"a": "1"}, {"a": "z"}, {}, ""),
        ({"a": "1", "b": "1"}, {"a": "y", "b": "z"}, {}, ""),
        ({"a": "1", "b": "1", "c": "2"}, {}, {"c": "a"}, "b"),
        ({"a": "1", "b": "1", "c": "2"}, {}, {"c": "ab"}, ""),
        ({"a": "1", "b": "1", "c": "2"}, {"a": "z"}, {"c": "b"}, ""),
    ],
    ids=["a rename", "two renames", "a twin that leaves", "two twins that leave", "a rename and a twin that leaves"],
)
async def test_a_dry_run_sees_where_a_run_would_move_files(
    rag: ConceptRag,
    pool: ParserPool,
    folder: Path,
    texts: Mapping[str, str],
    renamed: Mapping[str, str],
    copied: Mapping[str, str],
    removed: str,
) -> None:
    for name, text in texts.items():
        (folder / f"{name}.md").write_bytes(markdown(RELAY + text))
    await ingest(rag, pool, folder)
    for name, other in renamed.items():
        (folder / f"{name}.md").rename(folder / f"{other}.md")
    for name, others in copied.items():
        for other in others:
            (folder / f"{other}.md").write_bytes((folder / f"{name}.md").read_bytes())
    for name in removed:
        (folder / f"{name}.md").unlink()
    planned, planned_sums = await ingest(rag, pool, folder, prune=True, dry_run=True)
    done, sums = await ingest(rag, pool, folder, prune=True)
    assert planned.by_path == done.by_path
    assert statuses(planned_sums) == statuses(sums)


async def test_a_folder_whose_files_moved_to_another_given_one_is_no_failure_of_a_dry_run(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    (folder / "old").mkdir()
    (folder / "new").mkdir()
    (folder / "old" / "a.md").write_bytes(markdown(RELAY))
    await ingest(rag, pool, folder)
    (folder / "old" / "a.md").rename(folder / "new" / "a.md")
    paths = (folder / "old", folder / "new")
    _, planned = await ingest(rag, pool, *paths, prune=True, dry_run=True)
    _, done = await ingest(rag, pool, *paths, prune=True)
    assert statuses(planned) == statuses(done) == {"unchanged": 1}


async def test_a_file_and_its_copy_do_not_name_each_other_as_the_original(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    for name in ("a", "c"):
        (folder / f"{name}.md").write_bytes(markdown(RELAY + name))
    await ingest(rag, pool, folder)
    (folder / "a.md").write_bytes((folder / "c.md").read_bytes())
    reports, summary = await ingest(rag, pool, folder)
    assert statuses(summary) == {"unchanged": 2, "removed": 1}
    assert reports[folder / "c.md"].reason is None


async def test_the_newer_path_of_a_content_names_the_oldest_one_in_every_run(
    rag: ConceptRag, pool: ParserPool, folder: Path
) -> None:
    """The document was added as b.md, and a.md got its content later."""
    (folder / "a.md").write_bytes(markdown(RELAY))
    (folder / "b.md").write_bytes(markdown("A capacitor stores charge."))
    await ingest(rag, pool, folder)
    (folder / "a.md").write_bytes((folder / "b.md").read_bytes())
    await ingest(rag, pool, folder)
    for _ in range(2):
        reports, _ = await ingest(rag, pool, folder)
        assert reports[folder / "a.md"].reason == f"The same content as {folder / 'b.md'}."
        assert reports[folder / "b.md"].reason is None


async def test_a_file_that_is_gone_is_no_original(rag: ConceptRag, pool: ParserPool, folder: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_bytes(markdown(RELAY))
    await ingest(rag, pool, folder)
    (folder / "a.md").unlink()
    reports, _ = await ingest(rag, pool, folder)
    assert reports[folder / "b.md"].reason is None
    assert reports[folder / "c.md"].reason == f"The same content as {folder / 'b.md'}."
