"""Engines that are refused, and statements of an administrator."""

from pathlib import Path

import psycopg
import pytest

from backends.engines.postgres.adapter import ADAPTER
from backends.ports.errors import StoreError
from backends.ports.values import Json
from tests.services.postgres import Postgres

SECRET = "-".join(["s3cret", "pw"])


async def run(server: Postgres, *statements: str, database: str = "postgres") -> None:
    uri = server.uri_of("postgres", server.password, database=database)
    async with await psycopg.AsyncConnection.connect(uri, autocommit=True) as connection:
        for statement in statements:
            await connection.execute(statement.encode())


async def refused(kind: type[StoreError], **options: Json) -> str:
    with pytest.raises(StoreError) as caught:
        await ADAPTER.open(options, Path())
    assert type(caught.value) is kind, caught.value
    assert SECRET not in str(caught.value)
    return str(caught.value)
