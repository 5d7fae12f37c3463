"""The event loop of the suite; in a conftest, because anyio's fixture overrides that of a command-line plugin."""

import pytest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Return the name of the suite's event loop."""
    return "asyncio"
