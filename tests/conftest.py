"""What all tests share."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark of the promises known to tests that run without the contract suite's plugin."""
    config.addinivalue_line("markers", "promise(*ids): the promises of the manifest that a test proves")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio, which the gateway runs on."""
    return "asyncio"
