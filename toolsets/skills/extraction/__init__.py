"""Extraction: a skill from a conversation."""

from toolsets.skills.extraction.model import ISSUE_TYPES, ExtractedSkill, NothingToLearn, numbered, steps_of
from toolsets.skills.extraction.offline import extract

__all__ = ["ISSUE_TYPES", "ExtractedSkill", "NothingToLearn", "extract", "numbered", "steps_of"]
