"""What a command says beside a process that has the only access to an engine."""

import pytest

from backends.ports.errors import AlreadyOpen
from toolsets.concept_rag.commands.ingest import explaining


@pytest.mark.parametrize("otherwise", ["", ", or ask its server"])
def test_the_error_says_what_to_do(otherwise: str) -> None:
    with pytest.raises(AlreadyOpen) as caught, explaining(otherwise):
        raise AlreadyOpen("graph.kuzu is open already")
    stop = "Stop that process for the time of this command"
    assert str(caught.value) == f"graph.kuzu is open already. {stop}{otherwise}."
