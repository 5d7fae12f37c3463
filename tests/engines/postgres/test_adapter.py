"""Opening an engine: a driver, a password and rights that are missing, and the health of a frozen server."""

import subprocess
import sys
from pathlib import Path

from backends.ports.errors import InvalidInput, Unavailable
from contracts.promises import promise
from tests.engines.postgres.refusals import SECRET, refused
from tests.services.postgres import Postgres
from tests.support.frozen import health_names_the_frozen_server


async def test_a_wrong_password_is_reported(server: Postgres) -> None:
    said = await refused(InvalidInput, uri=server.uri_of("postgres", SECRET))
    assert "password authentication failed" in said
    assert "set the right user and password" in said


async def test_a_missing_database_is_reported(server: Postgres) -> None:
    said = await refused(InvalidInput, uri=server.uri_of("postgres", server.password, database="nowhere"))
    assert 'database "nowhere" does not exist' in said
    assert "create the database" in said


async def test_a_server_that_does_not_run_is_unavailable() -> None:
    said = await refused(Unavailable, uri=f"postgresql://postgres:{SECRET}@127.0.0.1:1/postgres")
    assert "127.0.0.1:1" in said


def test_a_missing_driver_is_named_with_the_line_that_installs_it() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from backends.registry import load_adapter\n"
        "try:\n    load_adapter('postgres')\nexcept Exception as error:\n    print(type(error).__name__, error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("InvalidInput")
    assert 'pip install "entrepot[postgres]"' in said


@promise("skills:http:unhealthy")
async def test_health_names_a_frozen_event_log_within_a_second(server: Postgres, space: str, tmp_path: Path) -> None:
    variables = {
        "ENTREPOT_DEFAULTS__EVENTS": "postgres",
        "ENTREPOT_STORES__POSTGRES__KIND": "postgres",
        "ENTREPOT_STORES__POSTGRES__URI": server.uri,
        "ENTREPOT_STORES__POSTGRES__SPACE": space,
    }
    await health_names_the_frozen_server(tmp_path, variables=variables, send=server.send, part="event log")
