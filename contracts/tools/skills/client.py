"""The skills tools, called with typed replies."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_types import TextResourceContents

from backends.ports.values import Json, JsonObject
from contracts.client import McpConnection
from contracts.tools.skills.replies import Created, ErrorEnvelope, SearchReply, Updated, Versions


def word() -> str:
    """Return a word that occurs nowhere else."""
    return "".join(secrets.choice("bdfgklmnprstvz") + secrets.choice("aeiou") for _ in range(5))


def conversation(problem: str, *answers: str, thanks: str = "That solved it, thank you!") -> str:
    """Return a chat that resolves a problem."""
    said = "\n".join(f"Agent: {answer}" for answer in answers)
    return f"Customer: {problem}\n{said}\nCustomer: {thanks}"


@dataclass(frozen=True, slots=True)
class SkillsClient:
    """Calls tools over a connection."""

    connection: McpConnection

    async def create(self, text: str, **more: Json) -> Created:
        """Create a skill, or find the one that covers the conversation."""
        reply = await self.connection.ask(Created, "create_skill", conversation=text, **more)
        assert (reply.skill.skill_id, reply.skill.title) == (reply.skill_id, reply.title)
        return reply

    async def learned(self, problem: str, *answers: str, **more: Json) -> Created:
        """Create a skill that does not exist yet."""
        reply = await self.create(conversation(problem, *answers), **more)
        assert reply.created
        return reply

    async def update(self, skill_id: str, text: str, feedback: str = "") -> Updated:
        """Refine a skill."""
        reply = await self.connection.ask(
            Updated, "update_skill", skill_id=skill_id, conversation=text, feedback=feedback
        )
        assert reply.skill_id == skill_id
        return reply

    async def search(self, query: str, **more: Json) -> SearchReply:
        """Search for skills."""
        reply = await self.connection.ask(SearchReply, "search_skills", query=query, **more)
        assert reply.query == query
        return reply

    async def ids(self, query: str, **more: Json) -> list[str]:
        """Return the ids that a search finds, best first."""
        return [match.skill_id for match in (await self.search(query, **more)).matches]

    async def versions(self, skill_id: str) -> Versions:
        """Return a skill with all its versions."""
        uri = f"skills://{skill_id}"
        [content] = (await self.connection.client.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
        assert (str(content.uri), content.mime_type) == (uri, "application/json")
        return Versions.model_validate_json(content.text)

    async def refused(self, tool: str, arguments: JsonObject) -> ErrorEnvelope:
        """Call a tool that must refuse, and return the error."""
        [envelope] = await self.refusals(tool, arguments)
        return envelope

    async def refusals(self, tool: str, *attempts: JsonObject) -> Sequence[ErrorEnvelope]:
        """Call a tool that must refuse each time, and return the errors."""
        envelopes: list[ErrorEnvelope] = []
        for arguments in attempts:
            reply = await self.connection.call(tool, arguments)
            assert reply.is_error, (str(arguments)[:300], reply.text[:300])
            envelopes.append(ErrorEnvelope.model_validate_json(json.dumps(reply.structured)))
        return envelopes
