"""`entrepot ingest` and `entrepot documents`: killed, beside a server, beside another run, and for programs."""

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2
import psutil
import pytest

from backends.ports.values import Json
from contracts.promises import promise
from tests.support.commands import entrepot
from tests.support.documents import docx, docx_image, docx_paragraph, markdown, png, samples
from tests.support.folders import contents
from tests.support.processes import Command, piped
from tests.support.servers import ours_http

PATIENCE_S = 30.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    return made


def write_documents(folder: Path, count: int, sentences: int = 20) -> None:
    for number in range(count):
        text = " ".join(
            f"Relay {number}.{place} switches a circuit and keeps it apart from the load of coil {place}."
            for place in range(sentences)
        )
        (folder / f"{number}.md").write_bytes(markdown(text, title=f"Relays {number}"))


def objects(said: str) -> Sequence[Mapping[str, Json]]:
    return [json.loads(line) for line in said.splitlines()]


async def ingested(data: Path, *words: str, code: int = 0) -> Sequence[Mapping[str, Json]]:
    """Run the command and return what it says to programs."""
    done = await entrepot("ingest", "--json", "--data-dir", str(data), *words)
    assert done.returncode == code, done.stderr
    return objects(done.stdout)


async def documents(data: Path) -> Sequence[Mapping[str, Json]]:
    done = await entrepot("documents", "list", "--json", "--data-dir", str(data))
    assert done.returncode == 0, done.stderr
    return objects(done.stdout)


@promise("concept_rag:ingest:killed")
async def test_a_run_that_is_killed_again_and_again_ends_with_each_document_once(tmp_path: Path, folder: Path) -> None:
    data = tmp_path / "data"
    write_documents(folder, 6, sentences=60)
    words = ("ingest", str(folder), "--json", "--data-dir", str(data))
    added: list[str] = []
    for lines in range(1, 4):
        with tempfile.TemporaryFile() as stderr:
            run = piped(Command(words), stderr)
            assert run.stdin is not None
            assert run.stdout is not None
            with run.stdin, run.stdout as said:
                for _ in range(lines):
                    report = json.loads(said.readline())
                    added.extend([report["path"]] if report["status"] == "added" else [])
                run.kill()
                run.wait()
                rest = [json.loads(line) for line in said.read().splitlines() if line.endswith(b"}")]
            added.extend(report["path"] for report in rest if report.get("status") == "added")
    last = await ingested(data, str(folder))
    added.extend(str(report["path"]) for report in last if report.get("status") == "added")
    assert len(added) == len(set(added)), "no document is added twice"
    listed = await documents(data)
    assert sorted(str(each["path"]) for each in listed) == sorted(map(str, folder.iterdir()))
    *again, last_line = await ingested(data, str(folder))
    assert {str(report["path"]): report["catalog_id"] for report in again} == {
        str(each["path"]): each["catalog_id"] for each in listed
    }
    assert isinstance(sums := last_line["summary"], dict)
    assert sums["unchanged"] == 6
    check = await entrepot("check", "--json", "--data-dir", str(data))
    assert json.loads(check.stdout)["toolsets"]["concept_rag"] == {"ok": True, "lag": 0, "problems": []}


async def test_programs_get_a_json_object_a_line(tmp_path: Path, folder: Path) -> None:
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 rubbish")
    (folder / "relays.md").write_bytes(samples()["relays.md"])
    (folder / "tune.mp3").write_bytes(b"x")
    *reports, last = await ingested(tmp_path / "data", str(folder), code=1)
    by_path = {str(report["path"]): report for report in reports}
    assert by_path[str(folder / "bad.pdf")]["status"] == "failed"
    assert by_path[str(folder / "tune.mp3")]["status"] == "skipped"
    relays = dict(by_path[str(folder / "relays.md")])
    assert isinstance(relays.pop("catalog_id"), int)
    assert isinstance(relays.pop("concepts"), int)
    assert relays == {"path": str(folder / "relays.md"), "status": "added", "pages": 1, "chunks": 1, "visuals": 0}
    sums = last["summary"]
    assert isinstance(sums, dict)
    assert isinstance(sums["seconds"], float)
    assert {name: count for name, count in sums.items() if name != "seconds"} == {
        "added": 1,
        "updated": 0,
        "unchanged": 0,
        "removed": 0,
        "skipped": 1,
        "failed": 1,
    }


async def test_a_dry_run_creates_no_file_and_changes_none(tmp_path: Path, folder: Path) -> None:
    data = tmp_path / "data"
    write_documents(folder, 2)
    *planned, _ = await ingested(data, str(folder), "--dry-run")
    assert [report["status"] for report in planned] == ["added", "added"]
    assert not data.exists()
    data.mkdir()
    assert (await ingested(data, str(folder), "--dry-run"))[:-1] == planned
    assert contents(data) == {}
    *done, _ = await ingested(data, str(folder))
    assert [report["catalog_id"] for report in done] == [report["catalog_id"] for report in planned]
    (folder / "0.md").write_bytes(markdown("The diode lets current pass in one direction.", title="Diodes"))
    (folder / "1.md").unlink()
    *changes, _ = await ingested(data, str(folder), "--dry-run", "--prune")
    assert [report["status"] for report in changes] == ["updated", "removed"]
    assert len(await documents(data)) == 2


async def test_documents_are_shown_and_forgotten(tmp_path: Path, folder: Path) -> None:
    data = tmp_path / "data"
    place = ("--data-dir", str(data))
    body = [docx_paragraph("A relay is a switch."), docx_paragraph("", content=docx_image("i1", alternative="A relay"))]
    (folder / "a.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    (folder / "b.docx").write_bytes(docx(body, title="Relays", media={"i1": png()}))
    await ingested(data, str(folder))
    (listed,) = await documents(data)
    number = str(listed["catalog_id"])
    shown = json.loads((await entrepot("documents", "show", number, "--json", *place)).stdout)
    assert shown["paths"] == [str(folder / "a.docx"), str(folder / "b.docx")]
    assert (shown["title"], shown["visuals"], len(shown["categories"]) > 0) == ("Relays", 1, True)
    told = await entrepot("documents", "show", number, *place)
    assert str(folder / "b.docx") in told.stdout
    assert (await entrepot("documents", "forget", number, *place)).returncode == 0
    assert await documents(data) == []
    again = await entrepot("documents", "forget", number, *place)
    assert (again.returncode, again.stdout, again.stderr) == (1, "", f"There is no document {number}.\n")
    assert (await entrepot("documents", "show", "x", *place)).returncode == 2
    assert (await entrepot("ingest", *place)).returncode == 2


@promise("concept_rag:ingest:together")
async def test_two_runs_and_a_server_with_the_same_folder_make_each_document_once(tmp_path: Path, folder: Path) -> None:
    data = tmp_path / "data"
    write_documents(folder, 5)
    settings = tmp_path / "folders.toml"
    settings.write_text(
        f"[toolsets.concept_rag]\nfolders = [{json.dumps(str(folder))}]\npoll_s = 0.1\n", encoding="utf-8"
    )
    async with ours_http(data, "--config", str(settings), toolsets="concept_rag") as server:
        one, other = await asyncio.gather(ingested(data, str(folder)), ingested(data, str(folder)))
        statuses = [report["status"] for report in (*one, *other) if "status" in report]
        assert set(statuses) <= {"added", "unchanged"}
        (folder / "late.md").write_bytes(markdown("The diode lets current pass in one direction.", title="Late"))
        (folder / "bad.pdf").write_bytes(b"%PDF-1.4 rubbish")
        async with asyncio.timeout(PATIENCE_S), httpx2.AsyncClient(verify=False) as http:
            while len(await documents(data)) < 6:
                await asyncio.sleep(0.05)
            while True:
                ready = (await http.get(f"http://127.0.0.1:{server.port}/readyz")).json()["toolsets"]["concept_rag"]
                if any(str(folder / "bad.pdf") in note for note in ready.get("notes", [])):
                    break
                await asyncio.sleep(0.05)
        assert ready["ok"]
        await server.caught_up()
    listed = await documents(data)
    assert len(listed) == len({str(each["path"]) for each in listed}) == 6


async def test_an_interrupted_run_says_so_and_leaves_no_process_behind(tmp_path: Path, folder: Path) -> None:
    write_documents(folder, 4, sentences=60)
    with tempfile.TemporaryFile() as stderr:
        run = piped(Command(("ingest", str(folder), "--json", "--data-dir", str(tmp_path / "data"))), stderr)
        assert run.stdin is not None
        assert run.stdout is not None
        with run.stdin, run.stdout as said:
            said.readline()
            children = psutil.Process(run.pid).children()
            run.terminate()
            assert run.wait(PATIENCE_S) == 130
            said.read()
        stderr.seek(0)
        assert b"interrupted" in stderr.read()
    assert children
    assert not [child for child in children if child.is_running()]
