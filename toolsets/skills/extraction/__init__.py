"""Extraction: a skill from a conversation; `offline` extracts it."""

from toolsets.skills.extraction.model import ISSUE_TYPES, ExtractedSkill, NothingToLearn, numbered, steps_of

__all__ = ["ISSUE_TYPES", "ExtractedSkill", "NothingToLearn", "numbered", "steps_of"]
