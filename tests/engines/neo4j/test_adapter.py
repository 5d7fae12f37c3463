"""Opening an engine with a wrong option or over a wrong server, and the health of a frozen one."""

from pathlib import Path

import pytest

from backends.engines.neo4j.adapter import kernel
from backends.ports.errors import InvalidInput, Unavailable, Unusable
from backends.ports.values import Json
from contracts.promises import promise
from tests.engines.neo4j.conftest import Open, OwnServer
from tests.support.frozen import health_names_the_frozen_server
from tests.support.ports import free_port


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"password": "wrong"}, "refuses user 'neo4j' with this password"),
        ({"database": "nowhere"}, "has no database 'nowhere'"),
        ({"uri": "http://localhost"}, "uri"),
        ({"space": "Bad Space"}, "space"),
        ({"misspelt": 1}, "misspelt"),
    ],
)
async def test_a_wrong_option_is_named(on_server: Open, options: dict[str, Json], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        async with on_server(**options):
            pass


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
async def test_a_missing_server_is_unavailable(on_server: Open, host: str) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        async with on_server(uri=f"bolt://{host}:{free_port()}", timeout_s=5):
            pass


def test_another_server_with_the_same_protocol_is_refused() -> None:
    with pytest.raises(Unusable, match=r"what answers at bolt://elsewhere:7687 is no Neo4j"):
        kernel([], "bolt://elsewhere:7687")


@promise("skills:http:unhealthy")
async def test_health_names_a_frozen_graph_within_a_second(own_server: OwnServer, tmp_path: Path) -> None:
    process = own_server.process
    variables = {
        "ENTREPOT_STORES__NEO4J__URI": process.uri,
        "ENTREPOT_STORES__NEO4J__PASSWORD": process.password,
    }
    await health_names_the_frozen_server(
        tmp_path, "--profile", "neo4j", variables=variables, send=process.process.send_signal, part="graph"
    )
