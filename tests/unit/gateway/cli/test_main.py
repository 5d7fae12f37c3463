"""The help of `entrepot` itself."""

from click.testing import CliRunner

from gateway.cli.main import entrepot
from toolsets.concept_rag.commands.documents import documents
from toolsets.concept_rag.commands.ingest import ingest
from toolsets.knowledge.commands import restore
from toolsets.skills.commands import list_skills, show_skill


def test_the_help_names_the_commands_of_the_shipped_toolsets() -> None:
    help_text = " ".join(CliRunner().invoke(entrepot, ["--help"]).output.split())
    brought = help_text.partition("Toolsets bring commands of their own:")[2]
    for toolset, commands in {
        "concept_rag": (ingest, documents),
        "skills": (list_skills, show_skill),
        "knowledge": (restore,),
    }.items():
        names = " and ".join(str(command.name) for command in commands)
        assert f"{names} ({toolset})" in brought
