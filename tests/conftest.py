"""What all tests share."""

import gc
import signal
import sys
from pathlib import Path

import pytest

# Last, so that what is installed wins. Processes that tests start import modules of `tests` by name.
sys.path.append(str(Path(__file__).parents[1]))


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of promises for runs without the contract plugin; with it, have servers start from a warm process."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # A run in a script's background ignores Ctrl-C; servers would inherit that, and some tests send it to them.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # while modules and tests are collected, which all stay
    config.addinivalue_line("markers", "promise(*ids): the promises of the manifest that a test proves")
    if config.pluginmanager.hasplugin("contracts.plugin"):
        from contracts.processes import STARTER
        from tests.support.processes import start_server

        config.stash[STARTER] = start_server


def pytest_collection_finish() -> None:
    """Keep the garbage collector from traversing the modules and thousands of test items again and again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio, which the gateway runs on."""
    return "asyncio"
