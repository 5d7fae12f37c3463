"""A data directory with facts in it, made once and copied for each test that breaks it."""

import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from contracts.client import Serving, Transport, opened
from contracts.servers import Combination
from contracts.tools.knowledge.client import KnowledgeClient
from tests.support.damage import SEPARATE, copied_model
from tests.support.processes import start_server

AREA = "damage"


@dataclass(frozen=True, slots=True)
class Filed:
    """Where two concepts and the edge between them are filed, and with which model."""

    data: Path
    model: Path
    source: str
    target: str

    def database(self, port: str) -> Path:
        """Return the file of a port's store."""
        return self.data / port / f"{port}.db"


Served: TypeAlias = Callable[[Transport], AbstractAsyncContextManager[KnowledgeClient]]


@asynccontextmanager
async def served_from(data: Path, transport: Transport) -> AsyncGenerator[KnowledgeClient]:
    """Run a server on a data directory, which holds its settings too."""
    async with opened(transport, Serving(data, Combination("embedded"), "knowledge"), start_server) as connection:
        yield KnowledgeClient(connection, AREA)


@pytest.fixture(scope="session")
async def original(tmp_path_factory: pytest.TempPathFactory) -> Filed:
    """File two concepts and an edge, and stop the server."""
    folder = tmp_path_factory.mktemp("original")
    data, model = folder / "data", folder / "model"
    data.mkdir()
    (data / "entrepot.toml").write_text(SEPARATE + copied_model(model), encoding="utf-8")
    async with served_from(data, "http") as client:
        source, target = (
            await client.file("Sand", "Sand is ground stone."),
            await client.file("Glass", "Glass is sand, molten."),
        )
        await client.link(source, target)
    return Filed(data, model, source, target)


@pytest.fixture
def filed(original: Filed, tmp_path: Path) -> Filed:
    """Return a copy of the facts that a test may break."""
    data, model = tmp_path / "data", tmp_path / "model"
    shutil.copytree(original.data, data)
    shutil.copytree(original.model, model)
    settings = (data / "entrepot.toml").read_text(encoding="utf-8").replace(str(original.model), str(model))
    (data / "entrepot.toml").write_text(settings, encoding="utf-8")
    return Filed(data, model, original.source, original.target)


@pytest.fixture
def served(filed: Filed) -> Served:
    """Return what starts a server on the copy."""
    return lambda transport: served_from(filed.data, transport)
