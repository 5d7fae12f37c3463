"""The help of `entrepot` itself."""

import pytest
from click.testing import CliRunner

from gateway.cli.main import entrepot
from toolsets.concept_rag.commands.documents import documents
from toolsets.concept_rag.commands.ingest import ingest
from toolsets.knowledge.commands import restore
from toolsets.memory.commands import databases
from toolsets.skills.commands import list_skills, show_skill


def told() -> str:
    """Return the help on one line."""
    return " ".join(CliRunner().invoke(entrepot, ["--help"]).output.split())


def test_the_help_names_the_commands_of_the_enabled_toolsets(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = told().partition("Toolsets bring commands of their own:")[2]
    for toolset, commands in {
        "concept_rag": (documents, ingest),
        "knowledge": (restore,),
        "memory": (databases,),
        "skills": (list_skills, show_skill),
    }.items():
        names = " and ".join(str(command.name) for command in commands)
        assert f"{names} ({toolset})" in brought
    assert "agent_graph" not in brought, "it brings none"
    monkeypatch.setenv("ENTREPOT_TOOLSETS__SKILLS__ENABLED", "false")
    assert "(skills)" not in told()


def test_the_help_is_there_where_the_configuration_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENTREPOT_PROFILE", "embeded")
    assert "There is no profile 'embeded'; did you mean embedded?" in told()
