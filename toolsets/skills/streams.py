"""Where the skills toolset keeps things."""

from backends.ports.events import StreamName
from toolsets.sourcing.claims import Claims

TOOLSET = "skills"
SKILLS = f"{TOOLSET}/skill/"
CONVERSATIONS = Claims(TOOLSET, "conversation")
"""Keys are redacted transcripts, of which a claim's name shows the digest: each conversation teaches one skill."""


def skill_stream(skill_id: str) -> StreamName:
    """Return the stream of a skill."""
    return StreamName(SKILLS + skill_id)
