"""What tests of the running server share."""

from collections.abc import Generator
from pathlib import Path

import pytest
from probe import Home, furnished, http_server


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a folder configured for the demo toolset, its store up."""
    return furnished(tmp_path)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    """Return the URL of one HTTP server that many tests share."""
    with http_server(furnished(tmp_path_factory.mktemp("shared"))) as (url, _):
        yield url
