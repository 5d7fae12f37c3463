"""The settings of the agent_graph toolset."""

import os
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from backends.ports.text import MAX_NAME_POINTS, text_problem
from toolsets.agent_graph.extraction.extractors import check_pipeline
from toolsets.spec import DefaultFrom

SWITCH = "KNOWLEDGE_GRAPH_ENABLED"
"""The documented variable that switches the toolset. Unset, empty or one of `_ON` means on; any other text means off."""

_ON = ("true", "1", "yes", "on")


def _switched_on() -> bool:
    text = os.environ.get(SWITCH, "").strip().lower()
    return not text or text in _ON


def _usable(channel: str) -> str:
    if (problem := text_problem(channel)) is not None:
        raise ValueError(problem)
    return channel.strip()


def _installed(pipeline: str) -> str:
    check_pipeline(pipeline)
    return pipeline


class AgentGraphSettings(BaseModel):
    """The `[toolsets.agent_graph]` table without the stores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    active: Annotated[bool, DefaultFrom(SWITCH)] = Field(
        default_factory=_switched_on,
        description=f"False: every tool replies that the graph is disabled. If it is left out, {SWITCH} decides.",
    )
    channel: Annotated[str, Field(max_length=MAX_NAME_POINTS), AfterValidator(_usable)] = Field(
        default="", description="The channel of calls that name none; empty: such calls are refused."
    )
    access_flush_s: float = Field(
        default=10.0, gt=0, le=3_600, description="How long reads are counted in memory before they are recorded."
    )
    spacy_pipeline: Annotated[str, AfterValidator(_installed)] | None = Field(
        default=None,
        description="A spaCy pipeline that finds names in texts in addition to the rules; it must be installed.",
    )
    extensions: bool = Field(
        default=False, description="Also offer kg_record_outcome, which the documents do not have."
    )
