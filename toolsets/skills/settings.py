"""The settings of the skills toolset."""

from pydantic import BaseModel, ConfigDict, Field


class SkillsSettings(BaseModel):
    """The `[toolsets.skills]` table without the stores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language_timeout_s: float = Field(
        default=60.0,
        gt=0,
        le=100,
        description="How long a language model may take, before a conversation is read without it.",
    )
