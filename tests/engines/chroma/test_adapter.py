"""What the adapter declares for a folder and for a server."""

from dataclasses import replace

import pytest

from backends.engines.chroma.adapter import ADAPTER
from backends.ports.errors import InvalidInput


def test_a_folder_admits_one_process_and_a_server_several() -> None:
    here, there = ADAPTER.capabilities_with({}), ADAPTER.capabilities_with({"uri": "http://localhost:8000"})
    assert (here.processes, there.processes) == ("one", "many")
    assert here == ADAPTER.capabilities == replace(there, processes="one")
    with pytest.raises(InvalidInput, match="url"):
        ADAPTER.capabilities_with({"url": "http://localhost:8000"})
