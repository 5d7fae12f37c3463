"""Real damage to what a server keeps: a store that cannot be opened, a table that is gone, a model that is cut off."""

import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import backends.engines.minilm
from backends.ports.adapter import Engine
from backends.ports.errors import Unavailable
from backends.ports.graph import Graph
from backends.ports.vectors import Vectors

SEPARATE = """
[toolsets.knowledge]
graph = "graph"
vectors = "vectors"
events = "events"

[stores.graph]
kind = "sqlite"
directory = "graph"

[stores.vectors]
kind = "sqlite"
directory = "vectors"

[stores.events]
kind = "sqlite"
directory = "events"
"""
"""Settings that give each port a directory of its own, so that one can be down without the others."""


@contextmanager
def table_gone(database: Path, table: str) -> Generator[None]:
    """Take a table out of a database that a server has open; put it back at the end."""
    _rename(database, table, f"{table}_gone")
    try:
        yield
    finally:
        _rename(database, f"{table}_gone", table)


def _rename(database: Path, table: str, name: str) -> None:
    with closing(sqlite3.connect(database, timeout=10)) as connection, connection:
        connection.execute(f'ALTER TABLE "{table}" RENAME TO "{name}"')


@contextmanager
def blocked(directory: Path) -> Generator[None]:
    """Put a file where a store has its directory, so that nobody can open it; put it back at the end."""
    aside = directory.with_name(f"{directory.name} aside")
    directory.rename(aside)
    directory.write_text("in the way", encoding="utf-8")
    try:
        yield
    finally:
        directory.unlink()
        aside.rename(directory)


async def check_missed_while_moved(engine: Engine, store: Graph | Vectors, path: Path) -> None:
    """Check that a store whose file or folder was moved away fails, makes none in its place, and works once it is back."""
    await store.set_meta("key", "kept")
    aside = path.with_name("aside")
    path.rename(aside)
    for _ in range(2):
        with pytest.raises(Unavailable, match=f"{path.name} was moved away .*put it back"):
            await store.get_meta("key")
        with pytest.raises(Unavailable, match=f"{path.name} was moved away .*put it back"):
            await store.set_meta("key", "lost")
    health = await engine.health()
    assert (health.ok, "moved away" in health.detail, path.exists()) == (False, True, False)
    aside.rename(path)
    assert await store.get_meta("key") == "kept"
    assert await store.set_meta("key", "new") == "new"
    assert (await engine.health()).ok


def copied_model(directory: Path) -> str:
    """Copy the model to a directory; return the settings that choose the copy."""
    shipped = Path(backends.engines.minilm.__file__).parent
    directory.mkdir()
    for file in ("model.onnx", "vocab.txt"):
        shutil.copy(shipped / file, directory)
    return f'\n[stores.minilm]\nkind = "minilm"\ndirectory = "{directory}"\n'


@contextmanager
def cut_off(file: Path) -> Generator[None]:
    """Leave only the first half of a file; put it back at the end."""
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    try:
        yield
    finally:
        file.write_bytes(whole)
