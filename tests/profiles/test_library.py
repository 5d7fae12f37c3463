"""A library on the engines of a profile: killed, followed, read while it is ingested, rebuilt, moved to other engines."""

import asyncio
import hashlib
import json
import re
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from contracts.promises import promise
from contracts.servers import Combination
from tests.profiles.test_durability import lose_projections
from tests.support.commands import entrepot, rebuild
from tests.support.knowledge import ask, part
from tests.support.library import LIMIT, SUBJECTS, document, found, ingest, picture, titles, write_documents
from tests.support.processes import Command, piped
from tests.support.proxy import roads
from tests.support.raw import HttpCaller
from tests.support.servers import Running, ours_http
from toolsets.concept_rag.numeric_ids import document_id_of

TOOLSET = "concept_rag"
PATIENCE_S = 60.0
FAILURES = {"DATABASE_ERROR", "SEARCH_ERROR"}
BOOKS = sorted([*(f"The {subject.title()} Book" for subject in SUBJECTS), "The Relay Book"])
PLAIN_SCORE = re.compile(r"[01]\.\d{3}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "documents"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    return made


def following(folder: Path) -> Mapping[str, str]:
    """Return the variables by which a server follows a folder."""
    return {
        "ENTREPOT_TOOLSETS__CONCEPT_RAG__FOLDERS": json.dumps([str(folder)]),
        "ENTREPOT_TOOLSETS__CONCEPT_RAG__POLL_S": "0.1",
    }


async def until_all(server: Running) -> None:
    """Wait until all documents are there. Raises `TimeoutError`."""
    async with asyncio.timeout(PATIENCE_S):
        while await titles(server.caller()) != BOOKS:
            await asyncio.sleep(0.1)


async def test_an_ingestion_that_is_killed_is_finished_by_the_next(
    engines: Combination, variables: dict[str, str], data: Path, folder: Path
) -> None:
    """Killed without warning after the first report and after the third; each document is there once and whole."""
    write_documents(folder)
    place = ("--profile", engines.profile)
    for lines in (1, 3):
        words = ("ingest", str(folder), "--json", "--data-dir", str(data), *place)
        with tempfile.TemporaryFile() as stderr:
            run = piped(Command(words, {**Command(words).environment, **variables}), stderr)
            assert run.stdin is not None
            assert run.stdout is not None
            with run.stdin, run.stdout as said:
                for _ in range(lines):
                    assert said.readline()
                run.kill()
                run.wait()
    reports = await ingest(data, folder, *place, variables=variables)
    again = await ingest(data, folder, *place, variables=variables)
    assert reports["summary"]["failed"] == 0
    assert (again["summary"]["unchanged"], again["summary"]["added"]) == (len(BOOKS), 0)
    async with ours_http(data, *place, toolsets=TOOLSET, variables=variables) as server:
        await server.caught_up()
        assert await titles(server.caller()) == BOOKS
        for subject in SUBJECTS:
            number = again[f"{subject}.md"]["catalog_id"]
            assert len(await found(server.caller(), "chunks_search", text=subject, catalog_id=number)) == LIMIT
    check = await entrepot("check", "--json", "--data-dir", str(data), *place, variables=variables)
    assert json.loads(check.stdout)["toolsets"][TOOLSET]["problems"] == []


@promise("concept_rag:ingest:whole")
async def test_readers_see_whole_documents_only(
    engines: Combination, variables: dict[str, str], data: Path, folder: Path
) -> None:
    """While a server ingests a folder, and while one of the files gets another edition, which takes the old one's place."""
    folder.mkdir()
    settings = {**variables, **following(folder)}
    async with ours_http(data, "--profile", engines.profile, toolsets=TOOLSET, variables=settings) as server:
        reading = asyncio.create_task(read_until_ended(server))
        await asyncio.sleep(0)
        write_documents(folder)
        await until_all(server)
        (folder / "anvil.md").write_bytes(document("anvil", "second"))
        number = document_number_of(document("anvil"))
        async with asyncio.timeout(PATIENCE_S):
            while "second" not in await editions(server.caller(), number):
                if reading.done():
                    await reading
                await asyncio.sleep(0.02)
        assert await titles(server.caller()) == BOOKS
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading


async def read_until_ended(server: Running) -> None:
    """Read one document after the other: it is not there, or all its chunks are, of one edition."""
    caller = server.caller()
    numbers = [document_number_of(document(subject)) for subject in SUBJECTS]
    while True:
        for number in numbers:
            await editions(caller, number)
        await asyncio.sleep(0.01)


async def editions(caller: HttpCaller, number: int) -> set[str]:
    """Return the editions among the chunks of a document, which are one or, while it is not there, none."""
    rows = await found(caller, "chunks_search", text="the keeper of the first edition", catalog_id=number)
    assert len(rows) in {0, LIMIT}
    named = {edition for row in rows for edition in ("first", "second") if f"the {edition} edition" in str(row["text"])}
    assert len(named) == (1 if rows else 0), "chunks of two editions"
    return named


def document_number_of(content: bytes) -> int:
    """Return the id of a document, which its first bytes decide."""
    return document_id_of(hashlib.sha256(content).hexdigest())


@promise("concept_rag:ingest:together")
async def test_a_run_beside_a_server(
    engines: Combination, variables: dict[str, str], many: bool, data: Path, folder: Path
) -> None:
    """Each document is there once; where an engine admits one process the command says what to do."""
    write_documents(folder)
    place = ("--profile", engines.profile)
    async with ours_http(data, *place, toolsets=TOOLSET, variables=variables) as server:
        assert await titles(server.caller()) == []
        if not many:
            words = ("ingest", str(folder), "--data-dir", str(data), *place)
            done = await entrepot(*words, variables=variables)
            assert done.returncode == 1
            assert "toolsets.concept_rag.folders" in done.stderr
            return
        one, other = await asyncio.gather(*(ingest(data, folder, *place, variables=variables) for _ in range(2)))
        statuses = [str(each["status"]) for run in (one, other) for each in run.values() if "status" in each]
        assert set(statuses) <= {"added", "unchanged"}
        await server.caught_up()
        await until_all(server)
        assert {name: each.get("catalog_id") for name, each in one.items()} == {
            name: each.get("catalog_id") for name, each in other.items()
        }


async def test_a_library_that_lost_its_stores_is_rebuilt_with_an_equal_digest(
    engines: Combination, variables: dict[str, str], data: Path, folder: Path
) -> None:
    """From the events, without the files of the documents; the replies are the same, and so are they on other engines."""
    write_documents(folder)
    place = ("--profile", engines.profile)
    await ingest(data, folder, *place, variables=variables)
    before = await pictured(data, engines.profile, variables)
    for file in folder.iterdir():
        file.unlink()
    whole = part(await rebuild(data, *place, variables=variables), TOOLSET)
    lose_projections(data, variables)
    again = part(await rebuild(data, *place, variables=variables), TOOLSET)
    assert whole["digest"] == whole["former_digest"] == again["digest"]
    assert alike(before, await pictured(data, engines.profile, variables))
    other = swapped(engines)
    if other is not None:
        moved = part(await rebuild(data, *place, "--to", other, variables=variables), TOOLSET)
        assert (moved["digest"], moved["events"]) == (again["digest"], again["events"])
        assert alike(before, await pictured(data, other, variables))


def swapped(engines: Combination) -> str | None:
    """Return a profile with other engines for all but the events, None where there is none in this environment."""
    if "sqlite" not in engines.kinds():
        return None
    if engines.profile != "embedded":
        return "embedded"
    return "kuzu-lance" if find_spec("kuzu") and find_spec("lancedb") else None


async def pictured(data: Path, profile: str, variables: Mapping[str, str]) -> JsonObject:
    """Return what a server of a profile tells of the library."""
    async with ours_http(data, "--profile", profile, toolsets=TOOLSET, variables=variables) as server:
        await server.caught_up()
        return await picture(server.caller())


def alike(one: JsonObject, other: JsonObject) -> bool:
    """Say whether two pictures are equal, scores but for what engines and rounding do to a cosine."""
    first, second = json.dumps(one), json.dumps(other)
    scores = [[float(score) for score in PLAIN_SCORE.findall(text)] for text in (first, second)]
    return PLAIN_SCORE.sub("score", first) == PLAIN_SCORE.sub("score", second) and all(
        abs(a - b) <= 0.006 for a, b in zip(*scores, strict=True)
    )


async def test_documents_written_during_an_outage_are_ingested_afterwards(
    engines: Combination, variables: Mapping[str, str], data: Path, folder: Path
) -> None:
    """Each server in turn is cut off while a folder is followed; the tools say so, and the rest comes in afterwards."""
    folder.mkdir()
    async with roads({**variables}) as (ways, over):
        if not ways:
            pytest.skip("the engines of this profile are no servers")
        settings = {**over, **following(folder)}
        async with ours_http(data, "--profile", engines.profile, toolsets=TOOLSET, variables=settings) as server:
            for number, way in enumerate(ways):
                await way.cut()
                subjects = SUBJECTS[number::3]
                write_documents(folder, subjects)
                for tool, arguments in QUESTIONS.items():
                    reply = await ask(server.caller(), tool, arguments)
                    assert "error" not in reply or part(reply, "error")["code"] in FAILURES, reply
                await way.mend()
                async with asyncio.timeout(PATIENCE_S):
                    while not {f"The {subject.title()} Book" for subject in subjects} <= {*await seen(server)}:
                        await asyncio.sleep(0.2)


async def seen(server: Running) -> list[str]:
    """Return the titles that the server tells, none while it refuses."""
    try:
        return [*await titles(server.caller())]
    except KeyError:
        return []


QUESTIONS: Mapping[str, Mapping[str, object]] = {
    "catalog_search": {"text": "lantern"},
    "broad_chunks_search": {"text": "lantern"},
    "list_categories": {},
    "get_visuals": {},
    "source_concepts": {"concept": "lantern"},
}
