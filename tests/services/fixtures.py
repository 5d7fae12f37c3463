"""Real servers as fixtures: started when the first test asks, stopped at the end of the run."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tests.services.catalogue import Variables, all_running
from tests.services.needed import Missing, required


@contextmanager
def _service(name: str, folders: pytest.TempPathFactory) -> Generator[Variables]:
    with pytest.MonkeyPatch.context() as environment:
        try:
            with all_running([name], folders.mktemp("services")) as variables:
                for variable, value in variables.items():
                    environment.setenv(variable, value)
                yield variables
        except Missing as missing:
            (pytest.fail if required() else pytest.skip)(str(missing))


@pytest.fixture(scope="session")
def neo4j_service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Variables]:
    """Run the present Neo4j."""
    with _service("neo4j", tmp_path_factory) as variables:
        yield variables


@pytest.fixture(scope="session")
def neo4j_lts_service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Variables]:
    """Run the Neo4j with long-term support."""
    with _service("neo4j-lts", tmp_path_factory) as variables:
        yield variables


@pytest.fixture(scope="session")
def postgres_service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Variables]:
    """Run PostgreSQL."""
    with _service("postgres", tmp_path_factory) as variables:
        yield variables


@pytest.fixture(scope="session")
def chroma_service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Variables]:
    """Run a Chroma server."""
    with _service("chroma", tmp_path_factory) as variables:
        yield variables


@pytest.fixture(scope="session")
def s3_service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Variables]:
    """Run an object store."""
    with _service("s3", tmp_path_factory) as variables:
        yield variables
