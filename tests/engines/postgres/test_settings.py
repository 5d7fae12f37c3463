"""Options of a store are checked and named, without repeating a secret."""

import pytest

from backends.engines.postgres.settings import PostgresSettings
from backends.ports.errors import InvalidInput
from tests.engines.postgres.conftest import Opening
from tests.engines.postgres.refusals import SECRET, refused
from tests.services.postgres import Postgres


async def test_a_password_may_be_set_beside_the_uri(server: Postgres, space: str, opening: Opening) -> None:
    uri = f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
    assert (await (await opening(uri=uri, password=server.password)).health()).ok
    assert SECRET not in repr(PostgresSettings.model_validate({"uri": uri, "password": SECRET, "space": space}))


@pytest.mark.parametrize("uri", [f"mysql://u:{SECRET}@host/db", f"postgresql://u:{SECRET}@host/db?nonsense=1", SECRET])
async def test_an_invalid_uri_is_refused_without_repeating_it(uri: str) -> None:
    assert "not a PostgreSQL URI" in await refused(InvalidInput, uri=uri)


@pytest.mark.parametrize("name", ["", "Upper", "1a", "a-b", "a" * 25, 'a"; DROP SCHEMA public'])
async def test_a_space_is_a_plain_name(server: Postgres, name: str) -> None:
    assert "space" in await refused(InvalidInput, uri=server.uri, space=name)
