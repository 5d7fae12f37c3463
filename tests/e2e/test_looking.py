"""`entrepot check` looks: it makes nothing, and leaves what there is as it was."""

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from contracts.warm import Command, run
from tests.support.knowledge import create
from tests.support.servers import ours_http

DRIVERS = {"embedded": (), "kuzu-lance": ("kuzu", "lancedb"), "kuzu-chroma": ("kuzu", "chromadb")}
PROFILES = [
    pytest.param(
        profile,
        marks=pytest.mark.skipif(not all(map(find_spec, drivers)), reason=f"needs {' and '.join(drivers)}"),
    )
    for profile, drivers in DRIVERS.items()
]


def contents(directory: Path) -> dict[str, str]:
    """Return all that is in a directory but locks, with what is in it."""
    return {
        str(path): digest(directory / path)
        for path in (each.relative_to(directory) for each in directory.rglob("*"))
        if path.suffix != ".lock"
    }


def digest(path: Path) -> str:
    """Return a digest of a file; not of Chroma's, which writes something into several whenever it is opened."""
    return "" if path.is_dir() or "chroma" in path.parts else hashlib.sha256(path.read_bytes()).hexdigest()


def checked(data: Path, profile: str) -> JsonObject:
    done = run(Command(["check", "--json", "--data-dir", str(data), "--profile", profile]))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("profile", PROFILES)
async def test_nothing_is_made_in_a_new_data_directory(tmp_path: Path, profile: str) -> None:
    found = str(checked(tmp_path, profile))
    assert "nothing is there yet" in found or "nothing is used yet" in found
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("profile", PROFILES)
async def test_what_a_server_left_stays_as_it_was(tmp_path: Path, profile: str) -> None:
    async with ours_http(tmp_path, "--profile", profile) as server:
        await create(server.caller(), "kept", area="general")
        await server.caught_up()
    # The first one declares what belongs to toolsets that were not served.
    checked(tmp_path, profile)
    before = contents(tmp_path)
    checked(tmp_path, profile)
    assert contents(tmp_path) == before


async def test_a_lost_log_is_not_made_by_looking_for_it(tmp_path: Path) -> None:
    """Made, it would be one that knows nothing of what the graph holds."""
    async with ours_http(tmp_path) as server:
        await create(server.caller(), "kept", area="general")
    for file in tmp_path.glob("events.db*"):
        file.unlink()
    before = set(contents(tmp_path))
    done = run(Command(["check", "--data-dir", str(tmp_path)]))
    assert "graph.db" in done.stdout, done.stderr
    assert set(contents(tmp_path)) == before
