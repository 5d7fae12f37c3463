"""The concept_rag tools on a real server, on a library that is ingested once in a run."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.client import McpConnection, Serving
from contracts.connections import Connections, toolset_connections
from contracts.servers import Combination
from contracts.tools.concept_rag.client import ConceptRagClient, FileReport, Library
from contracts.tools.concept_rag.library import TAXONOMY, write

EXPLAINED: Mapping[str, str] = {"DEBUG_SEARCH": "true"}

connections = toolset_connections


@pytest.fixture(scope="session")
def make_library(
    engines: Combination, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Mapping[str, str]], Library]:
    """Return a function that writes the library and ingests it with the public command, for a server with more variables."""

    def make(variables: Mapping[str, str]) -> Library:
        place = tmp_path_factory.mktemp("library")
        folder, data, taxonomy = place / "documents", place / "data", place / "taxonomy.toml"
        for made in (folder, data):
            made.mkdir()
        write(folder)
        taxonomy.write_text(TAXONOMY, encoding="utf-8")
        settings = {"ENTREPOT_TOOLSETS__CONCEPT_RAG__TAXONOMY": str(taxonomy), "DEBUG_SEARCH": "", **variables}
        serving = Serving(data, engines, "concept_rag", {**engines.variables(), **settings})
        return Library(serving, folder, _ingested(serving, folder))

    return make


def _ingested(serving: Serving, folder: Path) -> Mapping[str, FileReport]:
    command = serving.entrepot("ingest", str(folder), "--json")
    done = subprocess.run(  # noqa: S603 -- the interpreter of this run and constant arguments
        command.line, env=command.environment, cwd=command.folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    lines = done.stdout.splitlines()[:-1]
    reports = [FileReport.model_validate_json(line) for line in lines]
    return {Path(report.path).relative_to(folder).as_posix(): report for report in reports}


@pytest.fixture(scope="session")
def library(make_library: Callable[[Mapping[str, str]], Library]) -> Library:
    """Return the library that the servers of both transports serve, one after the other."""
    return make_library({})


@pytest.fixture(scope="package")
async def connection(connections: Connections, library: Library) -> McpConnection:
    """Connect to a server that all tests of this transport share; no tool writes."""
    return await connections.serve(library.serving)


@pytest.fixture
def client(connection: McpConnection, library: Library) -> ConceptRagClient:
    """Return the concept_rag tools."""
    return ConceptRagClient(connection, library)


@pytest.fixture(scope="session")
def explained_library(
    engines: Combination, library: Library, make_library: Callable[[Mapping[str, str]], Library]
) -> Library:
    """Return the library for a server that explains its scores; a separate one if an engine admits only one process."""
    if any(each.processes == "one" for each in engines.capabilities()):
        return make_library(EXPLAINED)
    serving = replace(library.serving, variables={**library.serving.variables, **EXPLAINED})
    return replace(library, serving=serving)


@pytest.fixture(scope="package")
async def explained(connections: Connections, explained_library: Library) -> ConceptRagClient:
    """Return the tools of a server that explains its scores."""
    return ConceptRagClient(await connections.serve(explained_library.serving), explained_library)
