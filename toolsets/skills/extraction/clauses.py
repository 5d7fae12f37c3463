"""The clauses of a reply, each with its words and with what was said before it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.reports import CONTRAST
from toolsets.skills.extraction.short_replies import Verdict

_LEXICON = lexicon("outcomes")
_DENIALS = _LEXICON.words("denials")
_REGRETS = _LEXICON.words("regrets")
_GLAD, _ADVERSATIVE = _LEXICON.pattern("glad"), _LEXICON.pattern("adversative")
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+")
_NOT = re.compile(r"n't\b")
_CONTRACTED: Final = {
    "can't": "cannot",
    "won't": "will not",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
}
_COMMA = re.compile(r"(?i)[,;:]\s+|[，、；]|\s[-–—]+\s")
_JOINT = re.compile(
    r"(?i)(?:[,;]|\s[-–—]+)?\s+(?:but|however|although|though|yet|except(?: that)?|then|and (?=(?:it|that"
    r"|this|now|the|i|still)\b))\b\s*"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, also in lower case, its words, the last verdict of the clauses before it in the sentence, and the sentence."""

    text: str
    lower: str
    words: Sequence[str]
    before: Verdict | None
    sentence: str
    followed: bool
    """Whether the reply says before that a step was followed, and not that it worked."""
    contrasted: bool  # Whether "but" or another such word begins it.
    problem: str = ""
    """What the customer said is wrong, if that is known."""

    @property
    def known(self) -> frozenset[str]:
        """The words, each once."""
        return frozenset(self.words)

    @property
    def denied(self) -> bool:
        """Whether it has a negation."""
        return not _DENIALS.isdisjoint(self.words)

    @property
    def doubted(self) -> bool:
        """Whether it has a negation or a regret: "unfortunately it works only today"."""
        return self.denied or not _REGRETS.isdisjoint(self.words)

    @property
    def glad(self) -> bool:
        """Whether its sentence says "now" or has thanks or praise, and no "but"."""
        return _GLAD.search(self.sentence) is not None and _ADVERSATIVE.search(self.sentence) is None

    def names(self, words: frozenset[str]) -> bool:
        """Return whether it has one of some words."""
        return not words.isdisjoint(self.words)


def clauses_of(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield the clauses of a sentence, and whether a word such as "but" begins each."""
    joints = ("", *(match.group() for match in _JOINT.finditer(sentence)))
    for joint, whole in zip(joints, _JOINT.split(sentence), strict=True):
        contrasted = CONTRAST.match(f"{joint}{whole}") is not None
        yield from ((part, contrasted) for part in _COMMA.split(whole) if part.strip())


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, with "not" as a word of its own."""
    folded = text.casefold().replace("’", "'")
    if "nt" in folded or "n't" in folded:
        for short, full in _CONTRACTED.items():
            folded = folded.replace(short, full)
        folded = _NOT.sub(" not", folded)
    return _TOKEN.findall(folded)
