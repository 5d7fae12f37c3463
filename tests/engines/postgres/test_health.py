"""The health of a gateway whose event log is in a server that is frozen."""

from pathlib import Path

from contracts.promises import promise
from tests.services.postgres import Postgres
from tests.support.frozen import health_names_the_frozen_server


@promise("skills:http:unhealthy")
async def test_health_names_a_frozen_event_log_within_a_second(server: Postgres, space: str, tmp_path: Path) -> None:
    variables = {
        "ENTREPOT_DEFAULTS__EVENTS": "postgres",
        "ENTREPOT_STORES__POSTGRES__KIND": "postgres",
        "ENTREPOT_STORES__POSTGRES__URI": server.uri,
        "ENTREPOT_STORES__POSTGRES__SPACE": space,
    }
    await health_names_the_frozen_server(tmp_path, variables=variables, send=server.send, part="event log")
