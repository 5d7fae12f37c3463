"""Reading conversations and feedback."""

from backends.ports.language import LanguageModel
from tests.unit.toolsets.skills.samples import PLAIN
from toolsets.skills.extraction.offline import extract
from toolsets.skills.learner import Learner


async def nobody() -> LanguageModel | None:
    return None


async def test_a_transcript_is_redacted() -> None:
    transcript = await Learner(nobody, timeout_s=1).transcript("Customer: Mail ann@example.com.\nAgent: I will.")
    assert [(turn.role, turn.text) for turn in transcript.turns] == [
        ("customer", "Mail [email]."),
        ("agent", "I will."),
    ]


async def test_without_a_model_a_skill_is_learned_offline() -> None:
    learner = Learner(nobody, timeout_s=1)
    transcript = await learner.transcript(PLAIN)
    assert await learner.extract(transcript, metadata={}) == extract(PLAIN, metadata={})
