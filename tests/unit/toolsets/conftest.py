"""What all tests of toolsets would prepare anew: the shipped embedder is loaded once, and tables are created once."""

import shutil
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from threading import Lock

import pytest

from backends.engines.minilm import embedder
from backends.engines.minilm.identity import ModelFiles
from backends.engines.minilm.model import MiniLM
from backends.engines.sqlite.connection import DatabaseFile
from backends.engines.sqlite.schema import FileSchema
from backends.engines.sqlite.settings import SqliteSettings


@pytest.fixture(scope="session", autouse=True)
def loaded_once() -> Generator[None]:
    """Have all engines share the loaded model, which keeps no text; checking and loading it takes a tenth of a second."""
    models: dict[Path, MiniLM] = {}

    def loaded(files: ModelFiles) -> MiniLM:
        if files.directory not in models:
            files.check()
            models[files.directory] = MiniLM(files.directory)
        return models[files.directory]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(embedder, "_loaded", loaded)
        yield


@pytest.fixture(scope="session", autouse=True)
def created_once(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Have a new database start as a copy of an empty one; to create its tables takes longer than most tests.

    The engine's own tests and those of the profiles create them.
    """
    folder, guard, empty, opened = tmp_path_factory.mktemp("empty"), Lock(), dict[FileSchema, Path](), DatabaseFile.open

    def opened_as_copy(database: DatabaseFile) -> None:
        with guard:
            if database.file_schema not in empty:
                empty[database.file_schema] = folder / f"{len(empty)}.db"
                created = DatabaseFile(empty[database.file_schema], database.file_schema, SqliteSettings())
                opened(created)
                created.close()
            if not database.path.exists():
                with suppress(OSError):  # the engine has the words for it
                    shutil.copy(empty[database.file_schema], database.path)
        opened(database)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(DatabaseFile, "open", opened_as_copy)
        yield
