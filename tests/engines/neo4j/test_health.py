"""The health of a gateway whose graph and vectors are in a server that is frozen."""

from pathlib import Path

from contracts.promises import promise
from tests.engines.neo4j.conftest import OwnServer
from tests.support.frozen import health_names_the_frozen_server


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
