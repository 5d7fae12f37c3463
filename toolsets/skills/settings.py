"""What an operator may set for the skills toolset."""

from pydantic import BaseModel, ConfigDict, Field


class SkillsSettings(BaseModel):
    """The `[toolsets.skills]` table, stores left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language_timeout_s: float = Field(
        default=60.0,
        gt=0,
        le=100,
        description="How long a language model may take, before a conversation is read without it.",
    )
