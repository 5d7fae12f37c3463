"""Stores of a build before the first release are opened, give the replies that they gave, and are rebuilt with equal digests.

Where the records of a toolset have another form now, the digest is another one, too, and the same at every rebuild.
"""

import json
import tarfile
from pathlib import Path
from typing import cast

import pytest

from backends.ports.values import Json, JsonObject
from contracts.servers import Combination
from tests.profiles.conftest import Start
from tests.support.commands import rebuild
from tests.support.knowledge import ask

FORMER = Path(__file__).parent / "version_0_1"
NEW_FORMS = FORMER / "new_forms.json"
"""The digests of the toolsets whose records have another form than in that build, by toolset and profile."""
VARYING = {"elapsed_ms", "searchTime", "timestamp", "accessCount", "lastAccessed"}
DIGITS = 3
"""Similarities are rounded as engines differ in the last digits."""


@pytest.fixture
def replies(engines: Combination, tmp_path: Path) -> JsonObject:
    """Put the former stores of the profile where the server looks for them; return what they answered."""
    record = FORMER / f"{engines.profile}.json"
    if not record.exists():
        pytest.skip(f"the stores of {engines.profile} are no files")
    unpack(engines, tmp_path)
    return cast("JsonObject", json.loads(record.read_text(encoding="utf-8")))


def unpack(engines: Combination, directory: Path) -> None:
    """Put the former stores of a profile into a data directory."""
    with tarfile.open(FORMER / f"{engines.profile}.tar.xz") as archive:
        archive.extractall(directory, filter="data")
    for file in (directory / "data").iterdir():
        file.rename(directory / file.name)


def settled(value: Json) -> Json:
    """Return a reply without what differs between two calls."""
    match value:
        case dict():
            return {name: settled(part) for name, part in value.items() if name not in VARYING}
        case list():
            parts = [settled(part) for part in value]
            # Reading counts, so an order by use is another one the second time.
            return sorted(parts, key=lambda part: str(part.get("id", "")) if isinstance(part, dict) else "")
        case float():
            return round(value, DIGITS)
        case _:
            return value


async def test_former_stores_give_their_replies_and_take_writes(replies: JsonObject, start: Start) -> None:
    recorded = cast("list[JsonObject]", replies["replies"])
    async with start() as server:
        caller = server.caller()
        for each in recorded:
            found = await ask(caller, str(each["tool"]), cast("JsonObject", each["arguments"]))
            assert settled(found) == settled(each["reply"]), each["tool"]
        await server.caught_up()
    async with start() as server:
        caller = server.caller()
        created = await ask(caller, "create_concept", {"name": "New", "explanation": "Written after the upgrade."})
        assert created["success"]
        assert (await ask(caller, "list_hierarchy"))["total_concepts"] == 4


async def test_former_stores_are_rebuilt_with_equal_digests(
    replies: JsonObject, engines: Combination, tmp_path: Path
) -> None:
    new_forms = cast("dict[str, dict[str, str]]", json.loads(NEW_FORMS.read_text(encoding="utf-8")))
    reports = cast("dict[str, JsonObject]", await rebuild(tmp_path, "--profile", engines.profile))
    again = cast("dict[str, JsonObject]", await rebuild(tmp_path, "--profile", engines.profile))
    for toolset, former in cast("dict[str, JsonObject]", replies["digests"]).items():
        report = reports[toolset]
        assert report["former_digest"] == former["digest"]
        expected = new_forms[toolset][engines.profile] if toolset in new_forms else former["digest"]
        assert (report["digest"], report["embedded"]) == (expected, 0)
        assert all(report[counted] == former[counted] for counted in ("events", "nodes", "edges", "vectors"))
        assert again[toolset]["digest"] == again[toolset]["former_digest"] == expected
