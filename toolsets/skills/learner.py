"""Reads conversations and feedback; kept separate because a process that reads none should load no rules.

The patterns of the rules take a second to compile, too long for the start of every command.
"""

from dataclasses import dataclass
from functools import partial

from toolsets.language import LanguageSource
from toolsets.skills.extraction.offline import ExtractionResult, redacted_transcript
from toolsets.skills.feedback import FeedbackContent, read_feedback
from toolsets.skills.language_extraction import LanguageExtractor, Refining, reading_threads
from toolsets.skills.refinement import Embed, refine
from toolsets.skills.skill import Refinement, Skill
from toolsets.skills.transcript import Transcript


@dataclass(frozen=True, slots=True)
class UseOfSkill:
    """What a conversation in which a skill was used, and the feedback on the skill, tell."""

    reading: ExtractionResult
    feedback: str
    content: FeedbackContent
    """The content of the feedback in addition to its judgement."""


class Learner:
    """Learns skills and their refinements, by the language model if there is one, or else offline."""

    def __init__(self, language: LanguageSource, *, timeout_s: float) -> None:
        self._extractor = LanguageExtractor(language, timeout_s=timeout_s)
        self.extract = self._extractor.extract

    async def transcript(self, conversation: str) -> Transcript:
        """Return the turns of a conversation, redacted. Raises `TranscriptTooLong` and `UnreadableTranscript`."""
        return await reading_threads.run(partial(redacted_transcript, conversation), abandon=True)

    async def use(self, skill: Skill, transcript: Transcript, feedback: str) -> UseOfSkill:
        """Return what a redacted conversation and feedback tell of a skill."""
        content = await reading_threads.run(partial(read_feedback, feedback))
        refining = Refining(skill.title, skill.problem, skill.resolution, skill.conditions, feedback)
        return UseOfSkill(await self._extractor.read(transcript, refining), feedback, content)

    async def refinement(self, skill: Skill, use: UseOfSkill, embed: Embed, *, repeated: bool) -> Refinement:
        """Return the refinement of a skill, whose confidence a `repeated` conversation has raised before.

        Raises the errors of `embed`.
        """
        return await refine(
            skill,
            use.reading.learned,
            use.feedback,
            embed,
            outcome=use.reading.outcome,
            repeated=repeated,
            content=use.content,
        )
