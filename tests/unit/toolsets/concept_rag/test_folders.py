"""Folders that a server keeps ingested: what appears, changes and goes there."""

import errno
import logging
import os
import stat
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from backends.ports.values import Micros
from tests.support.documents import markdown
from tests.support.loop_threads import is_beside_loop, threads_of
from tests.unit.toolsets.concept_rag.conftest import RememberingModel
from tests.unit.toolsets.concept_rag.stores import nodes, toolset_in, visible
from toolsets.clock import SECOND, system_now
from toolsets.concept_rag import deletions, folders
from toolsets.concept_rag.folders import GONE_S, Folders
from toolsets.concept_rag.health import ConceptRagHealth
from toolsets.concept_rag.pipeline.recorder import Recorder
from toolsets.concept_rag.runtime import ConceptRag
from toolsets.concept_rag.settings import ConceptRagSettings

TEXT = "A relay is a switch that a small current operates. "


@dataclass
class Clock:
    ahead: int = 0
    stopped_at: Micros | None = None

    def now(self) -> Micros:
        return Micros((self.stopped_at or system_now()) + self.ahead)

    def stop(self) -> None:
        self.stopped_at = system_now()

    def advance(self, seconds: float) -> None:
        self.ahead += int(seconds * SECOND)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def watching(tmp_path: Path, folder: Path, model: RememberingModel, clock: Clock) -> AsyncGenerator[ConceptRag]:
    settings = ConceptRagSettings(folders=(folder,), poll_s=0.02)
    async with toolset_in(tmp_path / "data", settings, model=model, now=clock.now) as running:
        yield running


async def titles(rag: ConceptRag) -> set[str]:
    return {str(node.fields["title"]) for node in await nodes(rag, "document")}


async def test_a_file_is_ingested_after_it_has_stopped_growing(watching: ConceptRag, folder: Path) -> None:
    followed = Folders(watching)
    path = folder / "a.md"
    path.write_bytes(markdown(TEXT, title="Half"))
    await followed.poll()
    assert await titles(watching) == set()
    path.write_bytes(markdown(TEXT * 2, title="Whole"))
    await followed.poll()
    assert await titles(watching) == set()
    await followed.poll()
    assert await titles(watching) == {"Whole"}
    path.write_bytes(markdown(TEXT * 3, title="Changed"))
    await followed.poll()
    await followed.poll()
    assert await titles(watching) == {"Changed"}


async def test_a_document_goes_when_its_file_has_been_gone_for_a_minute(
    watching: ConceptRag, folder: Path, clock: Clock
) -> None:
    followed = Folders(watching)
    for name in ("a", "b"):
        (folder / f"{name}.md").write_bytes(markdown(TEXT + name, title=name))
    await followed.poll()
    await followed.poll()
    (folder / "a.md").unlink()
    await followed.poll()
    clock.advance(GONE_S - 5)
    await followed.poll()
    assert await titles(watching) == {"a", "b"}
    clock.advance(6)
    await followed.poll()
    assert await titles(watching) == {"b"}
    assert len(await visible(watching)) == 1


async def test_a_file_that_comes_back_within_a_minute_keeps_its_document(
    watching: ConceptRag, folder: Path, clock: Clock
) -> None:
    followed = Folders(watching)
    (folder / "a.md").write_bytes(markdown(TEXT, title="a"))
    await followed.poll()
    await followed.poll()
    (folder / "a.md").rename(folder / "a.new")
    await followed.poll()
    clock.advance(GONE_S - 1)
    (folder / "a.new").rename(folder / "a.md")
    await followed.poll()
    clock.advance(GONE_S)
    await followed.poll()
    assert await titles(watching) == {"a"}


async def test_documents_of_a_folder_that_is_not_there_stay(watching: ConceptRag, folder: Path, clock: Clock) -> None:
    followed = Folders(watching)
    (folder / "a.md").write_bytes(markdown(TEXT, title="a"))
    await followed.poll()
    await followed.poll()
    folder.rename(folder.with_name("elsewhere"))
    for _ in range(2):
        await followed.poll()
        clock.advance(GONE_S + 1)
    assert await titles(watching) == {"a"}
    assert followed.status.notes() == [f"{folder} cannot be read; its documents stay"]


async def test_a_file_that_went_while_no_server_ran_goes_too(watching: ConceptRag, folder: Path, clock: Clock) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.md").write_bytes(markdown(TEXT + name, title=name))
    first = Folders(watching)
    await first.poll()
    await first.poll()
    (folder / "a.md").unlink()
    second = Folders(watching)
    await second.poll()
    clock.advance(GONE_S + 1)
    await second.poll()
    assert await titles(watching) == {"b"}


async def test_documents_of_a_folder_that_is_empty_after_a_restart_stay(
    watching: ConceptRag, folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT, title="a"))
    first = Folders(watching)
    await first.poll()
    await first.poll()
    folder.rename(folder.with_name("unmounted"))
    folder.mkdir()
    second = Folders(watching)
    for _ in range(3):
        await second.poll()
        clock.advance(GONE_S + 1)
    assert await titles(watching) == {"a"}
    note = f"{folder} is empty, as it is when its disk is not mounted; its documents stay"
    assert second.status.notes() == [note]
    assert [record.getMessage() for record in caplog.records].count(note) == 1
    folder.rmdir()
    folder.with_name("unmounted").rename(folder)
    await second.poll()
    assert second.status.notes() == []


async def test_a_folder_whose_documents_were_forgotten_has_no_note(
    watching: ConceptRag, folder: Path, clock: Clock
) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT, title="a"))
    followed = Folders(watching)
    await followed.poll()
    await followed.poll()
    (folder / "a.md").unlink()
    await followed.poll()
    assert followed.status.notes()
    (document,) = await nodes(watching, "document")
    await Recorder(watching, "tests").forget(int(str(document.fields["catalog"])))
    for _ in range(2):
        clock.advance(GONE_S + 1)
        await followed.poll()
    assert followed.status.notes() == []


async def test_the_notes_name_some_of_the_paths_whose_documents_stay(watching: ConceptRag, tmp_path: Path) -> None:
    status = Folders(watching).status
    status.keeps({str(tmp_path / name): "cannot be read" for name in "abcde"})
    assert status.notes() == [
        *(f"{tmp_path / name} cannot be read; its documents stay" for name in "abc"),
        "documents of 2 more paths stay",
    ]


async def test_the_folders_are_looked_through_beside_the_loop(
    watching: ConceptRag, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT, title="a"))
    followed = Folders(watching)
    scanned = threads_of(monkeypatch, folders, "display_name")
    lost = threads_of(monkeypatch, deletions, "with_parents")
    await followed.poll()
    assert is_beside_loop(scanned)
    assert is_beside_loop(lost)


@dataclass
class Unopened:
    """Opening a file fails while its permissions are those of nobody, also for a superuser, and is counted."""

    tries: int = 0
    open = staticmethod(os.open)

    def __call__(self, path: str | Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if str(path).endswith(".md"):
            self.tries += 1
            if not stat.S_IMODE(Path(path).stat().st_mode):
                raise PermissionError(errno.EACCES, "Permission denied")
        return self.open(path, flags, mode, dir_fd=dir_fd)


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch) -> Unopened:
    unopened = Unopened()
    monkeypatch.setattr(os, "open", unopened)
    return unopened


async def test_a_file_is_ingested_when_it_may_be_read(
    watching: ConceptRag, folder: Path, opening: Unopened, caplog: pytest.LogCaptureFixture
) -> None:
    path = folder / "a.md"
    path.write_bytes(markdown(TEXT, title="a"))
    path.chmod(0)
    followed = Folders(watching)
    for _ in range(3):
        await followed.poll()
    assert await titles(watching) == set()
    (note,) = (await ConceptRagHealth(watching, followed.status)()).notes
    assert note.startswith(f"{path} failed: The file cannot be opened")
    path.chmod(0o644)
    await followed.poll()
    assert await titles(watching) == {"a"}
    assert (await ConceptRagHealth(watching, followed.status)()).notes == ()


async def test_a_file_that_cannot_be_read_is_tried_again_later_and_later(
    watching: ConceptRag, folder: Path, clock: Clock, opening: Unopened, caplog: pytest.LogCaptureFixture
) -> None:
    path = folder / "a.md"
    path.write_bytes(markdown(TEXT, title="a"))
    path.chmod(0)
    clock.stop()
    followed = Folders(watching)
    await followed.poll()
    await followed.poll()
    tried = opening.tries
    waits: list[int] = []
    for second in range(0, 600, 10):
        clock.advance(10)
        await followed.poll()
        if opening.tries > tried:
            waits.append(second + 10)
            tried = opening.tries
    assert waits == [60, 180, 420]
    assert sum("cannot be opened" in record.getMessage() for record in caplog.records) == 1


async def test_a_damaged_file_is_not_tried_again(
    watching: ConceptRag, folder: Path, clock: Clock, opening: Unopened
) -> None:
    (folder / "a.md").write_bytes(b"\0\1\2")
    followed = Folders(watching)
    await followed.poll()
    await followed.poll()
    tried = opening.tries
    clock.advance(86_400)
    await followed.poll()
    assert tried > 0
    assert opening.tries == tried


async def test_a_deleted_file_is_no_longer_told_as_failed(
    watching: ConceptRag, folder: Path, clock: Clock, opening: Unopened
) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_bytes(b"\0\1\2" + name.encode())
    (folder / "a.md").chmod(0)
    first = Folders(watching)
    await first.poll()
    await first.poll()
    (folder / "a.md").unlink()
    for _ in range(2):
        await first.poll()
        clock.advance(GONE_S + 1)
    assert await failures(watching, first) == [folder / "b.md", folder / "c.md"]
    (folder / "b.md").unlink()
    second = Folders(watching)
    for _ in range(2):
        await second.poll()
        clock.advance(GONE_S + 1)
    assert await failures(watching, second) == [folder / "c.md"]


async def failures(rag: ConceptRag, followed: Folders) -> list[Path]:
    notes = (await ConceptRagHealth(rag, followed.status)()).notes
    return sorted(Path(note.partition(" failed: ")[0]) for note in notes)


async def test_one_of_several_servers_looks_after_the_folders(
    watching: ConceptRag, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "a.md").write_bytes(markdown(TEXT, title="a"))
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 rubbish")
    one, other = Folders(watching), Folders(watching)
    caplog.set_level(logging.INFO, logger="toolsets.concept_rag")
    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(one.run)
            group.start_soon(other.run)
            while await titles(watching) != {"a"} or not await nodes(watching, "refused_file"):
                await anyio.lowlevel.checkpoint()
                await (await watching.live_stores.log()).wait(10**9, timeout_s=0.02)
            assert one.status.leads != other.status.leads
            group.cancel_scope.cancel()
    told = [record.getMessage() for record in caplog.records]
    assert sum(line.startswith("added") for line in told) == 1
    assert told.count(f"watching {folder}") == 1
    assert sum(line.startswith("failed") for line in told) == 1
    health = await ConceptRagHealth(watching, one.status)()
    assert health.ok
    assert [note for note in health.notes if note.startswith(f"{folder / 'bad.pdf'} failed: ")]
