"""Classifies a skill: its product area and the type of its issue."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from backends.ports.values import Json
from toolsets.lexical_scores import stem
from toolsets.skills.extraction.cues import is_addressed_to_a_machine
from toolsets.skills.extraction.descriptors import informative_words
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.model import MAX_LABEL, cut
from toolsets.skills.extraction.titles import UNMET_WISH
from toolsets.skills.redaction import redact
from toolsets.skills.transcript.reader import visible

_SEARCHED: Final = 20_000
"""Characters of a conversation; its problem is named in its beginning, and each expression reads all of them."""
DEFAULT_AREA: Final = "general"
_AREAS: Final = lexicon("areas")
_AREA_HINTS: Final = lexicon("area_hints")
_CHARGED: Final = _AREAS.any_of("charged")
_TYPES: Final = lexicon("issue_types")
_TYPE_NAMES: Final = ("billing", "access", "performance", "installation", "error", "bug", "configuration")
_HOW_TO = re.compile(
    r"(?i)\b(?:how (?:do|can|should|would|could|might|to|does one|must) ?(?:i|we|you|one)?|is there (?:a"
    r"|any) (?:way|option|tool|command|setting|method)|is it possible to|where (?:can|do) (?:i|we)|what(?:'s"
    r"| is) the (?:best |right |correct |easiest |proper )?(?:way|command|procedure|method)|can i|can we"
    r"|(?:want|need|would like|trying|like) to (?!know)|how-to|steps to)\b"
)
_QUESTION = re.compile(
    r"(?i)\b(?:what|why|which|who|when|where|does|do|is|are|will|should|can|could|has|what's|difference)\b[^?]*\?"
)
_MONEY = re.compile(
    rf"(?i)\b(?:{_CHARGED}|billed|refund(?:ed|s)?|coupon|discount|price|vat|twice|double)\b"
    r"|\bwrong (?:amount|total|sum|address)\b"
)
"""Words about money itself, not about a page or a document that shows it."""
_FAILURE = re.compile(
    r"(?i)\b(?:errors?|exceptions?|fail(?:s|ed|ure|ing)?|crash(?:es|ed|ing)?|blank|empty|corrupt(?:ed)?|garbled|broken"
    r"|slow(?:ly)?|hangs?|freezes?|times? out|50\d|404|does(?:n't| not) (?:work|load|open|show|print|appear|update|save|sync)"
    r"|not (?:working|loading|showing|saving|syncing|printing)|stopped working|(?:can(?:'t|not)|unable to) (?:open|download"
    r"|load|export|print|see|save))\b"
)
_FORMATS: Final = "documents"
_TROUBLE: Final = ("error", "bug", "performance", "access")
_TYPE_KEYS: Final = frozenset({"issuetype", "type", "category", "issuecategory", "requesttype", "tickettype"})
_AREA_KEYS: Final = frozenset({"productarea", "product", "area", "component", "module", "service"})
KNOWN_AREAS: Final = frozenset(map(str.casefold, _AREA_HINTS.phrases))


def _compiled(phrases: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![\w-]){phrases}(?![\w-])")


_AREA_WORDS: Final = {
    name: (_compiled(_AREAS.any_of(name)), _compiled(_AREA_HINTS.any_of(name))) for name in _AREA_HINTS.phrases
}
"""Of each product area the words that belong to it alone, and those that have other senses, too."""
_COMPILED_TYPES: Final = {name: _compiled(_TYPES.any_of(name)) for name in _TYPE_NAMES} | {
    "billing": _compiled(f"(?:{_TYPES.any_of('billing')}|{_CHARGED})")
}
_SETS, _MENDS = _compiled(_TYPES.any_of("sets")), _compiled(_TYPES.any_of("mends"))
"""What an answer does: it sets something, or it mends it."""


_Found: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""The words of one area in a text: those that belong to it alone, and the others."""
_NOTHING: Final[_Found] = (frozenset(), frozenset())


def product_area(main: str, problem: str, answer: str, metadata: Mapping[str, Json]) -> str:
    """Return the product area: the caller's, else the one that most words of the problem belong to, else `general`.

    A word that has other senses is evidence only beside another word of the area. Words of `main`, the most informative
    sentence, count three times as much as those of the rest of the problem. A file format counts a third of another word,
    because every product has one.
    """
    if (given := given_area(metadata)) is not None:
        return given
    in_problem = {name: found for name, kinds in _AREA_WORDS.items() if any(found := _found(kinds, problem))}
    central = {name: _found(_AREA_WORDS[name], main) for name in in_problem}
    if not any(map(any, central.values())):
        central = in_problem
    return _best(in_problem, central, answer) or _best({}, {}, answer) or DEFAULT_AREA


def _best(in_problem: Mapping[str, _Found], central: Mapping[str, _Found], answer: str) -> str | None:
    """Return the area of most words among those of which the problem has words; among all of them if it has none of any."""
    answered = {name: _found(_AREA_WORDS[name], answer) for name in in_problem or _AREA_WORDS}
    scores = {
        name: _score(name, central.get(name, _NOTHING), in_problem.get(name, _NOTHING), found)
        for name, found in answered.items()
        if _is_evident(*in_problem.get(name, _NOTHING), *found)
    }
    return max(scores, key=lambda name: scores[name], default=None)


def _found(kinds: tuple[re.Pattern[str], re.Pattern[str]], text: str) -> _Found:
    own, others = (frozenset(match.group().casefold() for match in words.finditer(text[:_SEARCHED])) for words in kinds)
    return frozenset(map(stem, own)), frozenset(stem(word) for word in others if not any(word in each for each in own))


def _is_evident(
    own: frozenset[str], others: frozenset[str], own_answered: frozenset[str], answered: frozenset[str]
) -> bool:
    """Return whether words of the problem and of the answer are evidence of an area: an own word of it, or two others."""
    if own or len(others) > 1:
        return True
    return len(own_answered) > 0 and (len(others) > 0 or len(own_answered | answered) > 1)


def _score(area: str, main: _Found, problem: _Found, answer: _Found) -> int:
    each, of_other_words = (1, 0) if area == _FORMATS else (3, 1)
    counts = [
        each * len(a) + of_other_words * len(b) + min(2, len(c)) for a, b, c in zip(main, problem, answer, strict=True)
    ]
    return 2 * counts[0] + counts[1]


def issue_type(main: str, problem: str, answer: str, metadata: Mapping[str, Json]) -> str:
    """Return the type of the issue: the caller's, else one of `ISSUE_TYPES`.

    The words of `main`, the most informative sentence, decide before those of the rest of the problem and of the answer.
    Among them, words for a failure decide before the subject of the failure, such as an invoice.
    """
    if (given := given_type(metadata)) is not None:
        return given
    if not any(words.search(main) for words in _COMPILED_TYPES.values()):
        main = problem
    scores = {
        name: 3 * _distinct_hits(words, main) + _distinct_hits(words, problem)
        for name, words in _COMPILED_TYPES.items()
    }
    asks_how = _HOW_TO.search(UNMET_WISH.sub(" ", problem)) is not None
    if scores["billing"] and (_MONEY.search(main) is not None or _FAILURE.search(main) is None):
        return "billing"
    scores["billing"] = 0
    asked = _with_named_questions(problem)
    if asks_how and not any(scores[name] for name in _TROUBLE):
        return "configuration" if _distinct_hits(_COMPILED_TYPES["configuration"], problem) > 1 else "how-to"
    if not any(scores[name] for name in _TROUBLE) and _QUESTION.search(asked) is not None:
        return "question"
    for name, words in _COMPILED_TYPES.items():
        scores[name] += min(2, _distinct_hits(words, answer)) if scores[name] else 0
    if _COMPILED_TYPES["access"].search(main) is not None and scores["access"] >= scores["performance"]:
        return "access"
    best = max(_ORDER, key=lambda name: scores[name])
    if scores[best] > 0:
        return best
    if asks_how or "?" in asked:
        return "how-to" if asks_how else "question"
    return "configuration" if _distinct_hits(_SETS, answer) > 1 and _MENDS.search(answer) is None else "bug"


def _with_named_questions(problem: str) -> str:
    """Return a problem without the questions that name no thing, such as "What's going on?", if it says anything else."""
    bare = _WHOLE_QUESTION.sub(lambda match: match[0] if any(informative_words(match[0])) else "", problem[:_SEARCHED])
    return bare if bare.strip() else problem


_WHOLE_QUESTION = re.compile(r"(?:(?<=[.!?\n] )|(?<=\n)|^)[^.!?\n]{1,120}\?")
_ORDER: Final = ("performance", "bug", "error", "installation", "configuration", "access")
"""Of equal scores the earlier one wins: an installation that fails with an error is an error."""


def _distinct_hits(pattern: re.Pattern[str], text: str) -> int:
    return len({match.group().casefold() for match in pattern.finditer(text[:_SEARCHED])})


def given_area(metadata: Mapping[str, Json]) -> str | None:
    """Return the product area that the caller gives, redacted, None for an instruction to a program."""
    return _given(metadata, _AREA_KEYS)


def given_type(metadata: Mapping[str, Json]) -> str | None:
    """Return the type of the issue that the caller gives, redacted, None for an instruction to a program."""
    return _given(metadata, _TYPE_KEYS)


def _given(metadata: Mapping[str, Json], keys: Iterable[str]) -> str | None:
    for key, value in metadata.items():
        if "".join(c for c in key.casefold() if c.isalnum()) in keys and isinstance(value, str) and value.strip():
            label = " ".join(visible(value).split())
            return None if is_addressed_to_a_machine(label) else cut(redact(label), MAX_LABEL)
    return None
