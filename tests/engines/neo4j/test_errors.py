"""Each error of the driver becomes a store error that names the server."""

import pytest
from neo4j.exceptions import DriverError, ServiceUnavailable, SessionExpired

from backends.engines.neo4j.errors import is_gone, is_passing, is_refusal, translate
from backends.engines.neo4j.settings import Neo4jSettings
from backends.ports.errors import StoreError, Timeout, Unavailable
from tests.engines.neo4j.conftest import Login

SETTINGS = Neo4jSettings(uri="bolt://here:7687")


@pytest.mark.parametrize(
    "error", [ServiceUnavailable("refused\nmore"), SessionExpired("refused"), DriverError("refused")]
)
def test_a_lost_connection_is_an_outage(error: DriverError) -> None:
    found = translate(error, SETTINGS)
    assert type(found) is Unavailable
    assert str(found) == "Neo4j at bolt://here:7687 does not answer: refused"
    assert (is_refusal(error), is_passing(error)) == (False, False)
    assert is_gone(error) == (type(error) is not DriverError)


def test_an_error_without_words_is_named_by_its_class() -> None:
    assert str(translate(ServiceUnavailable(), SETTINGS)).endswith("does not answer: ServiceUnavailable")


@pytest.mark.parametrize(
    ("statement", "kind", "sentence"),
    [
        ("this is no statement", StoreError, "Invalid input"),
        ("RETURN 1 / 0", StoreError, "by zero"),
        ("CALL db.index.fulltext.queryNodes('entrepot_none', 'x')", StoreError, "entrepot_none"),
        ("CALL db.index.vector.queryNodes('entrepot_none', 1, [1.0])", StoreError, "entrepot_none"),
        (
            "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN sum(a * b)",
            Timeout,
            "took too long|did not answer",
        ),
    ],
)
async def test_an_error_of_the_server_is_translated(
    login: Login, statement: str, kind: type[StoreError], sentence: str
) -> None:
    async with login() as connection:
        with pytest.raises(StoreError, match=sentence) as problem:
            await connection.run(statement, {}, int, timeout_s=1)
    assert type(problem.value) is kind
    assert str(problem.value).startswith("Neo4j at ")
