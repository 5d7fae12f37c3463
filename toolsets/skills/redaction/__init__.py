"""Redaction: no secret and no personal address reaches a store or leaves the process."""

from toolsets.skills.redaction.redactor import redact
from toolsets.skills.redaction.replacement import PLACEHOLDERS, without_holes, without_placeholders

__all__ = ["PLACEHOLDERS", "redact", "without_holes", "without_placeholders"]
