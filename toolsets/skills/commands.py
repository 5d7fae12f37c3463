"""`entrepot skills`: list skills and show their versions from the command line."""

import click

from backends.ports.graph import Order
from toolsets.skills.documents import document_of, version_document
from toolsets.skills.projections import SKILL, skill_in
from toolsets.skills.runtime import Skills
from toolsets.skills.skill import Skill, SkillVersion, UnknownSkill, versions_of

_PAGE = 500
"""Skills in memory at once."""
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


@click.command("list")
@_JSON
@click.pass_obj
async def list_skills(skills: Skills, *, as_json: bool) -> None:
    """List the skills, oldest first; as JSON one document per line."""
    graph = (await skills.live_stores.graph()).graph
    after: str | None = None
    while True:
        page = await graph.find(SKILL, order=(Order("created_at"),), after=after, limit=_PAGE)
        for skill in map(skill_in, page.items):
            click.echo(document_of(skill).model_dump_json() if as_json else _line(skill))
        if after is None and not page.items and not as_json:
            click.echo("There are no skills.", err=True)
        if (after := page.after) is None:
            return


@click.command("show")
@click.argument("skill_id", metavar="ID")
@click.option("--version", type=click.IntRange(min=1), metavar="N", help="An earlier version; the latest by default.")
@_JSON
@click.pass_obj
async def show_skill(skills: Skills, skill_id: str, *, version: int | None, as_json: bool) -> int:
    """Show a skill and the changes of its version."""
    try:
        versions = versions_of(await skills.history(skill_id))
    except UnknownSkill:
        click.echo(f"There is no skill with the id {skill_id!r:.100}.", err=True)
        return 1
    if version is not None and version > len(versions):
        click.echo(f"There is no version {version}; the latest is {len(versions)}.", err=True)
        return 1
    chosen = versions[(version or len(versions)) - 1]
    click.echo(version_document(chosen).model_dump_json(indent=2) if as_json else _text(chosen, len(versions)))
    return 0


def _line(skill: Skill) -> str:
    return f"{skill.skill_id}  v{skill.version}  {skill.confidence:.2f}  {skill.title}"


def _text(version: SkillVersion, newest: int) -> str:
    skill = version.skill
    used = f"used {skill.times_used} times, confirmed {skill.times_confirmed} times"
    parts = [
        skill.title,
        f"{skill.skill_id}, version {skill.version} of {newest}, confidence {skill.confidence:g}, {used}",
        f"{skill.product_area}, {skill.issue_type}",
        f"\nProblem\n{skill.problem}",
        f"\nResolution\n{skill.resolution}",
    ]
    if skill.conditions:
        parts.append("\nConditions\n" + "\n".join(f"- {condition}" for condition in skill.conditions))
    parts.append(f"\nKeywords: {', '.join(skill.keywords)}")
    parts.append("\nChanges in this version\n" + "\n".join(f"- {change}" for change in version.changes))
    return "\n".join(parts)
