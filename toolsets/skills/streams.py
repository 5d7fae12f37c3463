"""The streams and claims of the skills toolset."""

from backends.ports.events import StreamName
from toolsets.sourcing.claims import Claims

TOOLSET = "skills"
SKILLS = f"{TOOLSET}/skill/"
CONVERSATIONS = Claims(TOOLSET, "conversation")
"""Keys are redacted transcripts; a claim's name has only their digest. Each conversation teaches one skill."""


def skill_stream(skill_id: str) -> StreamName:
    """Return the stream of a skill."""
    return StreamName(SKILLS + skill_id)
