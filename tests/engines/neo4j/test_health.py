"""The health of a gateway whose graph and vectors are in a server that is frozen."""

from pathlib import Path

import pytest

from contracts.promises import promise
from tests.services.needed import Missing, required
from tests.services.neo4j import PRESENT, started
from tests.support.frozen import health_names_the_frozen_server


@promise("skills:http:unhealthy")
async def test_health_names_a_frozen_graph_within_a_second(tmp_path: Path) -> None:
    try:
        with started(PRESENT, tmp_path) as server:
            variables = {
                "ENTREPOT_STORES__NEO4J__URI": server.uri,
                "ENTREPOT_STORES__NEO4J__PASSWORD": server.password,
            }
            await health_names_the_frozen_server(
                tmp_path / "data",
                "--profile",
                "neo4j",
                variables=variables,
                send=server.process.send_signal,
                part="graph",
            )
    except Missing as missing:
        (pytest.fail if required() else pytest.skip)(str(missing))
