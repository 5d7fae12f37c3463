"""Sessions whose defaults are unsafe or read-only."""

from backends.ports.errors import Unusable
from tests.engines.postgres.conftest import Opening
from tests.engines.postgres.refusals import SECRET, refused, run
from tests.services.postgres import Postgres


async def test_sessions_that_are_read_only_are_refused(server: Postgres, space: str) -> None:
    await run(
        server,
        f"CREATE ROLE calm_{space} LOGIN PASSWORD '{SECRET}'",
        f"ALTER ROLE calm_{space} SET default_transaction_read_only = on",
    )
    assert "read-only" in await refused(Unusable, uri=server.uri_of(f"calm_{space}", SECRET), space=space)


async def test_unsafe_defaults_of_a_session_are_corrected(server: Postgres, space: str, opening: Opening) -> None:
    """A role's defaults must not lose acknowledged facts, nor hide commits from an append."""
    await opening()
    hasty = f"hasty_{space}"
    await run(
        server,
        f"CREATE ROLE {hasty} LOGIN SUPERUSER PASSWORD '{SECRET}'",
        f"ALTER ROLE {hasty} SET synchronous_commit = off",
        f"ALTER ROLE {hasty} SET default_transaction_isolation = 'serializable'",
        f"ALTER ROLE {hasty} SET search_path = public",
    )
    engine = await opening(uri=server.uri_of(hasty, SECRET))
    async with engine.connections.use() as connection:
        query = (
            "SELECT current_setting('synchronous_commit'), current_setting('transaction_isolation'), current_schema()"
        )
        assert await (await connection.execute(query)).fetchone() == ("on", "read committed", space)
