"""A transcript as it is read: the turns, and the role of each speaker."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Role: TypeAlias = Literal["customer", "agent", "other"]
MAX_TRANSCRIPT_BYTES: Final = 1024 * 1024
"""The documented limit; of long ones only the beginning and the end are read."""


class TranscriptTooLong(Exception):
    """A transcript has more than `MAX_TRANSCRIPT_BYTES`."""


class UnreadableTranscript(Exception):
    """A transcript is data without messages, or without their authors; the message says what it lacks."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The uninterrupted text of one speaker; `speaker` is the name as written, None if there is none."""

    role: Role
    text: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation, oldest turn first; `subject` is an e-mail's or ticket's, without "Re:" and ticket numbers."""

    turns: tuple[Turn, ...]
    subject: str | None = None

    def by(self, role: Role) -> tuple[Turn, ...]:
        """Return the turns of one role."""
        return tuple(turn for turn in self.turns if turn.role == role)

    @property
    def text(self) -> str:
        """All turns, each after its role."""
        return "\n\n".join(f"{turn.role.capitalize()}: {turn.text}" for turn in self.turns)
