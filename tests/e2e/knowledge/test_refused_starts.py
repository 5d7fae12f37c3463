"""A data directory that cannot be used stops the start with a sentence, exit code 1, and nothing overwritten."""

import hashlib
import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

import backends.engines.minilm
from tests.support.commands import entrepot, rebuild
from tests.support.knowledge import create, names_in, part
from tests.support.processes import Command, run
from tests.support.servers import ours_http

DAMAGED_LOG_S = 5.0
ATTEMPTS = 3
"""Of so many starts one must end so soon; the others may be late because of what else the machine does."""


def digests(directory: Path) -> dict[str, str]:
    """Return the files that hold data with what is in them."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in directory.glob("*.db")}


def refused(data: Path, *more: str) -> str:
    """Start a server that must not start; return what it says."""
    done = run(Command(["serve", "--transport", "stdio", "--data-dir", str(data), "--toolsets", "knowledge", *more]))
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.fixture
async def used(tmp_path: Path) -> Path:
    """A data directory with a fact in it."""
    data = tmp_path / "data"
    async with ours_http(data) as server:
        assert (await create(server.caller(), "kept", area="general"))["success"]
    return data


@pytest.mark.parametrize("file", ["events.db", "graph.db", "vectors.db"])
async def test_a_damaged_file_is_named_and_kept(used: Path, file: str) -> None:
    (used / file).write_bytes(b"SQLite format 3\x00" + b"not really" * 1_000)
    before = digests(used)
    words = refused(used)
    assert file in words
    assert ("backup" if file == "events.db" else "entrepot rebuild") in words
    assert digests(used) == before


@pytest.mark.parametrize("where", ["at its beginning", "in the middle"])
async def test_a_damaged_log_ends_the_start_within_five_seconds(used: Path, where: str) -> None:
    log = used / "events.db"
    damage(log, 0 if where == "at its beginning" else log.stat().st_size // 2)

    def attempt() -> float:
        asked = time.monotonic()
        assert "restore it from a backup" in refused(used)
        return time.monotonic() - asked

    assert any(attempt() < DAMAGED_LOG_S for _ in range(ATTEMPTS))


@pytest.mark.parametrize("file", ["graph.db", "vectors.db"])
@pytest.mark.parametrize("where", ["at its beginning", "in the middle"])
async def test_a_rebuild_quarantines_a_damaged_file_and_creates_it_again(used: Path, file: str, where: str) -> None:
    whole = await rebuild(used)
    damage(used / file, 0 if where == "at its beginning" else 4_096)
    before = digests(used)[file]
    done = await entrepot("rebuild", "--json", "--data-dir", str(used))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["knowledge"]["digest"] == part(whole, "knowledge")["digest"]
    [aside] = used.glob("damaged-*")
    assert str(aside) in done.stderr
    assert digests(aside) == {file: before}
    async with ours_http(used) as server:
        assert await names_in(server.caller(), "general") == ["kept"]


async def test_a_rebuild_leaves_a_damaged_log_where_it_is(used: Path) -> None:
    damage(used / "events.db", (used / "events.db").stat().st_size // 2)
    before = digests(used)
    done = await entrepot("rebuild", "--data-dir", str(used))
    assert done.returncode == 1
    assert "restore it from a backup" in done.stderr
    checked = await entrepot("check", "--data-dir", str(used))
    assert (checked.returncode, "events.db is damaged" in checked.stdout) == (1, True), checked.stdout
    assert digests(used) == before
    assert not [*used.glob("damaged-*")]


async def test_one_rebuild_of_a_directory_at_a_time(used: Path) -> None:
    with FileLock(used / "rebuild.lock"):
        done = await entrepot("rebuild", "--data-dir", str(used))
    assert done.returncode == 1
    assert "Another rebuild" in done.stderr


async def test_a_rebuild_finds_a_damaged_page_that_no_read_meets(used: Path) -> None:
    """Damage in an index that the answers do not need would live on in what is built beside it."""
    with closing(sqlite3.connect(used / "graph.db")) as database, database:
        query = "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = 'nodes_c9'"
        page, size = database.execute(query).fetchone()
    database.close()
    content = bytearray((used / "graph.db").read_bytes())
    content[(page - 1) * size : page * size] = b"\xa5" * size
    (used / "graph.db").write_bytes(content)
    await rebuild(used)
    [aside] = used.glob("damaged-*/graph.db")
    assert aside.read_bytes() == content


def damage(file: Path, begin: int) -> None:
    """Write nonsense over a file, from a place to its end."""
    content = file.read_bytes()
    file.write_bytes(content[:begin] + b"\xa5" * (len(content) - begin))


@pytest.mark.parametrize("file", ["events.db", "graph.db", "vectors.db"])
async def test_a_file_of_a_newer_version_is_named_and_kept(used: Path, file: str) -> None:
    with closing(sqlite3.connect(used / file)) as database, database:
        database.execute("PRAGMA user_version = 999")
    database.close()
    before = digests(used)
    words = refused(used)
    assert file in words
    assert "upgrade Entrepot" in words
    assert digests(used) == before


async def test_vectors_of_another_model_are_named_and_kept(used: Path, tmp_path: Path) -> None:
    model = tmp_path / "another-model"
    shutil.copytree(
        Path(backends.engines.minilm.__file__).parent, model, ignore=shutil.ignore_patterns("*.py", "__pycache__")
    )
    with (model / "model.onnx").open("ab") as weights:
        weights.write(b"\x00")
    settings = tmp_path / "entrepot.toml"
    settings.write_text(f'[stores.minilm]\nkind = "minilm"\ndirectory = "{model}"\n', encoding="utf-8")
    before = digests(used)
    words = refused(used, "--config", str(settings))
    assert "another-model" in words
    assert "entrepot rebuild" in words
    assert digests(used) == before


def test_a_data_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory", encoding="utf-8")
    assert "file" in refused(tmp_path / "file" / "data")


def test_a_data_directory_on_a_read_only_file_system_is_named() -> None:
    if not Path("/proc/self").exists():
        pytest.skip("needs a file system that is always read-only: /proc")
    assert "/proc/entrepot" in refused(Path("/proc/entrepot"))


def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    settings = tmp_path / "entrepot.toml"
    settings.write_text("[server]\nprot = 80\n", encoding="utf-8")
    assert "prot" in refused(tmp_path / "data", "--config", str(settings))


def test_an_unknown_engine_is_named_with_those_there_are(tmp_path: Path) -> None:
    settings = tmp_path / "entrepot.toml"
    settings.write_text('[stores.embedded]\nkind = "sqlight"\n', encoding="utf-8")
    words = refused(tmp_path / "data", "--config", str(settings))
    assert "sqlight" in words
    assert "sqlite" in words
