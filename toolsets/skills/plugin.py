"""The skills toolset: its registration and its assembly."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from toolsets.concurrency import run_cpu
from toolsets.replies import MAX_PAGE_BYTES, shortened
from toolsets.skills.commands import list_skills, show_skill
from toolsets.skills.documents import versions_document
from toolsets.skills.errors import ENVELOPE
from toolsets.skills.routes import routes
from toolsets.skills.runtime import Skills
from toolsets.skills.settings import SkillsSettings
from toolsets.skills.skill import UnknownSkill, versions_of
from toolsets.skills.streams import TOOLSET
from toolsets.skills.tools import lessons, search
from toolsets.sourcing.aggregate import History
from toolsets.spec import (
    CallContext,
    CommandSpec,
    ResourceNotFound,
    ResourceTemplateSpec,
    RunningToolset,
    Services,
    Toolset,
    hookimpl,
)

INSTRUCTIONS = """\
Skills: what support conversations taught, each a problem with the steps that resolve it and the conditions of its use.
- Before you answer a customer: search_skills with the question; follow the resolution if its conditions fit.
- After a conversation without a fitting skill that ended well: create_skill with the whole transcript.
- After one in which a skill was used: update_skill with its id, the transcript and what was said of it."""

URI_TEMPLATE = "skills://{skill_id}"
_ROOM = MAX_PAGE_BYTES - 100_000
"""The most bytes of JSON for the versions, so that the whole reply stays within its limit."""


@hookimpl
def entrepot_toolset() -> Toolset:
    """Return the skills toolset."""
    return Toolset(
        name=TOOLSET,
        title="Skills",
        instructions=INSTRUCTIONS,
        settings=SkillsSettings,
        ports=frozenset(("graph", "vectors", "events", "embedder")),
        optional_ports=frozenset(("language",)),
        assemble=assemble,
    )


@asynccontextmanager
async def assemble(services: Services) -> AsyncGenerator[RunningToolset]:
    """Connect the toolset to its stores without opening them; leaving releases the relay's lease."""
    skills = Skills(services)
    tools = tuple(tool.spec(skills, ENVELOPE) for family in (search, lessons) for tool in family.TOOLS)
    async with skills.sourced.running(TOOLSET, tools) as running:
        try:
            yield replace(
                running,
                resource_templates=(_template(skills),),
                routes=routes(skills, tools),
                commands=tuple(CommandSpec(command, skills) for command in (list_skills, show_skill)),
            )
        finally:
            await skills.close()


def _template(skills: Skills) -> ResourceTemplateSpec:
    """Return the resource template of the running toolset."""

    async def read(values: Mapping[str, str], context: CallContext) -> str:
        try:
            history = await skills.history(values["skill_id"])
        except UnknownSkill as error:
            raise ResourceNotFound(f"There is no skill with the id {shortened(error.skill_id)}") from error
        return await run_cpu(partial(_json, history), size=len(history))

    return ResourceTemplateSpec(
        uri_template=URI_TEMPLATE,
        name="skill",
        title="Skill",
        description="A skill with all its versions, the newest first, and what each of them changed.",
        mime_type="application/json",
        read=read,
    )


def _json(history: History) -> str:
    return versions_document(versions_of(history), _ROOM).model_dump_json()
