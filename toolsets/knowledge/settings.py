"""The settings of the knowledge toolset."""

from pydantic import BaseModel, ConfigDict, Field


class KnowledgeSettings(BaseModel):
    """The `[toolsets.knowledge]` table without the stores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    confidence: bool = Field(
        default=True, description="Work out a certainty for concepts that are filed without one; off: it is 0."
    )
    extensions: bool = Field(default=False, description="Also offer restore_concept, which the documents do not have.")
