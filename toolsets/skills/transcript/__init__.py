"""Transcripts of support conversations: the turns, and the role of each speaker; `reader` reads them."""

from toolsets.skills.transcript.model import (
    MAX_TRANSCRIPT_BYTES,
    Role,
    Transcript,
    TranscriptTooLong,
    Turn,
    UnreadableTranscript,
)

__all__ = ["MAX_TRANSCRIPT_BYTES", "Role", "Transcript", "TranscriptTooLong", "Turn", "UnreadableTranscript"]
