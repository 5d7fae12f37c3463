"""A connection that fails says whether the server runs."""

import psycopg
import pytest

from backends.engines.postgres.errors import refusal, translate
from backends.ports.errors import Conflict, InvalidInput, StoreError, Timeout, Unavailable, Unusable
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


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (psycopg.errors.QueryCanceled("x"), Timeout, "took too long"),
        (psycopg.errors.InsufficientPrivilege("x"), Unusable, "GRANT USAGE"),
        (psycopg.errors.ReadOnlySqlTransaction("x"), Unavailable, "name the primary"),
        (psycopg.errors.UniqueViolation("x"), Conflict, "another program wrote the same rows"),
        (psycopg.errors.NumericValueOutOfRange("x"), InvalidInput, "a value cannot be stored"),
        (psycopg.errors.InvalidSchemaName("x"), Unusable, "the schema of the space is missing"),
        (psycopg.errors.UndefinedTable("x"), Unusable, "are not as Entrepot made them"),
        (psycopg.errors.DeadlockDetected("x"), Unavailable, "try again"),
        (psycopg.errors.DiskFull("x"), Unavailable, "short of disk"),
        (psycopg.errors.AdminShutdown("x"), Unavailable, "shutting down"),
        (psycopg.errors.IoError("x"), Unavailable, "its disk failed"),
        (psycopg.errors.DataCorrupted("x"), Unusable, "its data are damaged"),
        (psycopg.errors.FeatureNotSupported("x"), StoreError, "answered with an error"),
        (psycopg.OperationalError("the connection is closed"), Unavailable, "the connection was lost"),
        (psycopg.DataError("cannot contain NUL"), InvalidInput, "a value cannot be stored"),
    ],
)
def test_the_code_of_an_error_decides(error: psycopg.Error, kind: type[StoreError], sentence: str) -> None:
    found = translate(error, "PostgreSQL at x")
    assert type(found) is kind
    assert str(found).startswith("PostgreSQL at x: ")
    assert sentence in str(found)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("password authentication failed for user", "set the right user and password"),
        ("fe_sendauth: no password supplied", "set the password"),
        ('no pg_hba.conf entry for host "x"', "pg_hba.conf, or choose another"),
        ('role "x" does not exist', "create the user"),
        ('database "x" does not exist', "create the database"),
    ],
)
def test_a_refusal_that_options_can_end_names_the_remedy(said: str, remedy: str) -> None:
    problem = refusal(psycopg.OperationalError(f"connection failed: FATAL:  {said}"), "PostgreSQL at x")
    assert isinstance(problem, InvalidInput)
    assert str(problem).startswith(f"PostgreSQL at x refuses the connection: {said}; ")
    assert remedy in str(problem)
