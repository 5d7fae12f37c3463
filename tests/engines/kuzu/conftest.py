"""The driver under test, as a process can load only one of the two, and a file that it has open."""

import importlib.util
import os
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest

from backends.engines.kuzu.connection import DatabaseFile
from backends.engines.kuzu.settings import KuzuSettings
from backends.ports.graph import Graph
from tests.engines.kuzu.files import SPACE, opened

DRIVERS = ("kuzu", "ladybug")


@pytest.fixture
def driver() -> str:
    name = os.environ.get("ENTREPOT_TEST_KUZU_DRIVER", "kuzu")
    assert name in DRIVERS
    if importlib.util.find_spec(name) is None:
        pytest.skip(f'the driver is missing: pip install "entrepot[{name}]"')
    return name


@pytest.fixture
def other_driver(driver: str) -> str:
    return next(name for name in DRIVERS if name != driver)


@pytest.fixture
def database(tmp_path: Path, driver: str) -> Generator[DatabaseFile]:
    """Open a new file, with tables and without an engine around it."""
    made = DatabaseFile(tmp_path / "graph.kuzu", KuzuSettings.model_validate({"driver": driver}))
    made.open()
    yield made
    made.close()


@pytest.fixture
async def graph(tmp_path: Path, driver: str) -> AsyncIterator[Graph]:
    """Open a graph in a new file."""
    engine = await opened(tmp_path, driver)
    yield await engine.graph(SPACE)
    await engine.close()
