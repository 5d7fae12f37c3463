"""A connection that fails says whether the server runs."""

import psycopg
import pytest

from backends.engines.postgres.errors import refusal
from backends.ports.errors import Unavailable
from tests.engines.postgres.conftest import Opening
from tests.engines.postgres.refusals import SECRET, refused, run
from tests.services.postgres import Postgres


async def test_a_server_without_a_free_connection_is_not_called_down(
    server: Postgres, space: str, opening: Opening
) -> None:
    role = f"full_{space}"
    await run(
        server,
        f"CREATE ROLE {role} LOGIN PASSWORD '{SECRET}' CONNECTION LIMIT 1",
        f"CREATE SCHEMA AUTHORIZATION {role}",
    )
    uri = server.uri_of(role, SECRET)
    async with await psycopg.AsyncConnection.connect(uri):
        said = await refused(Unavailable, uri=uri, space=space)
    assert "has no free connection: too many connections for role" in said
    assert "does not answer" not in said


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("sorry, too many clients already", "has no free connection"),
        ("remaining connection slots are reserved for roles with the SUPERUSER attribute", "has no free connection"),
        ("the database system is starting up", "is starting up"),
        ("the database system is not yet accepting connections", "is starting up"),
        ("the database system is shutting down", "is shutting down"),
        ("Connection refused", "does not answer"),
    ],
)
def test_a_failed_connection_says_whether_the_server_runs(said: str, meaning: str) -> None:
    problem = refusal(psycopg.OperationalError(f"connection failed: FATAL:  {said}"), "PostgreSQL at x")
    assert isinstance(problem, Unavailable)
    assert str(problem).startswith(f"PostgreSQL at x {meaning}: {said}.")
