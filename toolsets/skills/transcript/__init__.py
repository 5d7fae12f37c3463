"""Transcripts of support conversations: the turns, and the role of each speaker."""

from toolsets.skills.transcript.reader import (
    MAX_TRANSCRIPT_BYTES,
    Transcript,
    TranscriptTooLong,
    Turn,
    read_transcript,
    visible,
)
from toolsets.skills.transcript.speakers import Role

__all__ = ["MAX_TRANSCRIPT_BYTES", "Role", "Transcript", "TranscriptTooLong", "Turn", "read_transcript", "visible"]
