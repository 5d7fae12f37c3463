"""A server for these tests, which may be stopped, frozen and killed, and logs on it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from pathlib import Path
from typing import TypeAlias

import pytest

from backends.ports.values import Json
from contracts.servers import fresh_space
from tests.services.needed import Missing, required
from tests.services.postgres import Postgres, served

pytest.importorskip("psycopg", reason="needs the extra postgres")

from backends.engines.postgres.adapter import ADAPTER, PostgresEngine

Opening: TypeAlias = Callable[..., Awaitable[PostgresEngine]]
"""Opens an engine on the test's space, with more options if given; it is closed after the test."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Postgres]:
    try:
        with served(tmp_path_factory.mktemp("postgres")) as running:
            yield running
    except Missing as missing:
        (pytest.fail if required() else pytest.skip)(str(missing))


@pytest.fixture
def space() -> str:
    return fresh_space()


@pytest.fixture
async def opening(server: Postgres, space: str) -> AsyncGenerator[Opening]:
    opened: list[PostgresEngine] = []

    async def open_one(**options: Json) -> PostgresEngine:
        engine = await ADAPTER.open({"uri": server.uri, "space": space, **options}, Path())
        opened.append(engine)
        return engine

    yield open_one
    for engine in opened:
        await engine.close()


@pytest.fixture
async def engine(opening: Opening) -> PostgresEngine:
    return await opening()
