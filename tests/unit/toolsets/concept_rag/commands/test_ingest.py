"""The command line of `entrepot ingest`, and what a command says beside a process that has the only access to an engine."""

import click
import pytest
from click.testing import CliRunner

from backends.ports.errors import AlreadyOpen
from toolsets.concept_rag.commands.ingest import explaining, ingest


@pytest.mark.parametrize("otherwise", ["", ", or ask its server"])
def test_the_error_says_what_to_do(otherwise: str) -> None:
    with pytest.raises(AlreadyOpen) as caught, explaining(otherwise):
        raise AlreadyOpen("graph.kuzu is open already")
    stop = "Stop that process for the time of this command"
    assert str(caught.value) == f"graph.kuzu is open already. {stop}{otherwise}."


@pytest.mark.parametrize("words", [[""], ["papers", ""], ["--prune", ""]])
def test_an_empty_path_is_wrong_usage_instead_of_the_current_directory(words: list[str]) -> None:
    with CliRunner().isolation(), pytest.raises(click.BadParameter, match="a path is empty"):
        ingest.make_context("ingest", words)
