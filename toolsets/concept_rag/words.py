"""The possible parts of speech of an English word, and its singular, from WordNet and the word's ending."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from toolsets.concept_rag.wordnet import wordnet
from toolsets.piece_cache import PieceCache

Tag: TypeAlias = Literal["noun", "adjective", "participle", "other"]

FUNCTION_WORDS: Final = frozenset(
    """
    a about above across after again against all almost along already also although always am among an and another any
    anybody anyone anything anyway are aren't around as at away be became because become becomes been before behind being
    below beneath beside besides between beyond both but by can can't cannot could couldn't despite did didn't do does
    doesn't doing don't done down due during each either else enough etc even ever every everybody everyone everything
    except few fewer for from further furthermore had hadn't has hasn't have haven't having he hence her here hers herself
    him himself his how however i if in indeed inside instead into is isn't it its it's itself just least less let's like
    likewise many may maybe me might mine more moreover most much must mustn't my myself namely near neither never
    nevertheless no nobody none nor not nothing now nowhere of off often on once one only onto or other others otherwise
    ought our ours ourselves out over own per perhaps quite rather really same several shall she should shouldn't since so
    some somebody someone something sometimes somewhat soon still such than that that's the their theirs them themselves
    then there thereby therefore these they this those though through throughout thus to together too toward towards two
    under unless until up upon us use used uses using usually versus very via was wasn't we were weren't what whatever when
    whenever where whereas whereby wherever whether which whichever while who whoever whom whose why will with within
    without won't would wouldn't yes yet you your yours yourself yourselves three four five six seven eight nine ten first
    second third last next
    """.split()
)
"""Function words and numerals, which are not part of a term."""

CONTRACTION: Final = re.compile(r"\b[^\W\d_]+(?:n['’]t|['’](?:ll|re|ve|d|m))\b", re.IGNORECASE)
"""Contractions such as "don't" and "you’ll", but not "it's", which looks like a possessive."""
_RARE_NOUN: Final = 0.15
"""A word used as a noun less often than this gets its other part of speech: "get", "good" and "make" are also nouns."""
_MAINLY_VERB: Final = 0.4
"""A noun used as a noun less often than this is a verb where a sentence expects one."""
_PLURALS: Final = {"axes": "axis"}
"""Ambiguous plurals for which WordNet prefers the less likely singular ("ax")."""
DETERMINERS: Final = frozenset("a an the its their his her our your my each every this that these those".split())
"""Words that begin a noun phrase; the word before one may be a verb."""
_CACHED: Final = 50_000
"""The cache is for the documents of a whole run; a book has far fewer different words."""
_LONGEST_CACHED: Final = 100
"""The most letters of a cached word; a document may have words of any length, and the cache must stay bounded."""
_UNCHANGED: Final = ("ss", "us", "is", "os", "ics")
"""Endings of singulars; an unknown word with such an ending is unchanged."""


@dataclass(frozen=True, slots=True)
class WordNetWord:
    """A word as WordNet knows it."""

    tag: Tag
    known: bool
    """Whether WordNet or the list of function words has it in any form."""
    frequency: int
    """The binary logarithm of its count in WordNet's texts; 0 for a rare or unknown word."""
    verb: bool = False
    """Whether it is a noun that is more often used as a verb: "pumps", "needs", "set"."""
    noun_share: float = 1.0
    """The share of its uses as a noun."""
    may_be_verb: bool = False
    """Whether it is a verb, too: "stores", "form"."""


def word(text: str) -> WordNetWord:
    """Return a lower-case word with its parts of speech; an unknown word with letters is a noun, as a name or a term."""
    return _known_word(text) if len(text) <= _LONGEST_CACHED else _word(text)


def _word(text: str) -> WordNetWord:
    if text in FUNCTION_WORDS or not any(map(str.isalpha, text)):
        return WordNetWord("other", known=True, frequency=15)
    lexicon = wordnet()
    usages = [usage for base in lexicon.bases(text) if (usage := lexicon.usage(base))]
    if not usages:
        return WordNetWord("noun", known=False, frequency=0)
    commonest = max(usages, key=lambda usage: usage.frequency)
    verb = "v" in commonest.parts and commonest.noun_share < _MAINLY_VERB
    return WordNetWord(
        _tag(text),
        known=True,
        frequency=commonest.frequency,
        verb=verb,
        noun_share=commonest.noun_share,
        may_be_verb="v" in commonest.parts,
    )


_known_word = lru_cache(_CACHED)(_word)


def _tag(text: str) -> Tag:
    lexicon = wordnet()
    own = lexicon.usage(text)
    if own is not None or not text.endswith(("ing", "ed")):
        nouns = [usage for base in lexicon.bases(text, "n") if (usage := lexicon.usage(base))]
        if any(usage.noun_share >= _RARE_NOUN for usage in nouns):
            return "noun"
    if own is not None and "a" in own.parts:
        return "adjective"
    return "participle" if text.endswith(("ing", "ed")) else "other"


def singulars(words: Iterable[str]) -> list[str]:
    """Return the singulars of lower-case words, in order.

    A word that is itself a noun, such as "data" or "physics", is unchanged unless it is the plural of a more frequent
    one.
    """
    # Concepts are searched for in thousands of chunks, so cached words are looked up without a Python loop.
    return list(map(_singulars.__getitem__, words))


def _singular(text: str) -> str:
    if text in _PLURALS:
        return _PLURALS[text]
    if text.endswith("ss"):
        # WordNet's rules also take "pass" and "discuss" for plurals of the rarer "pas" and "discus".
        return text
    nouns = [base for base in wordnet().bases(text, "n") if base == text or _noun_frequency(base) >= 0]
    if nouns:
        return max(nouns, key=lambda base: (_noun_frequency(base), base == text))
    if len(text) <= 3 or not text.endswith("s") or text.endswith(_UNCHANGED):
        return text
    if text.endswith("ies") and len(text) > 4:
        return text[:-3] + "y"
    return text[:-2] if text.endswith(("sses", "xes", "ches", "shes")) else text[:-1]


_singulars: Final = PieceCache(_singular, most=_CACHED, longest=_LONGEST_CACHED)


def _noun_frequency(lemma: str) -> int:
    """Return the frequency class of a lemma as a noun; -1 if it is hardly used as one."""
    usage = wordnet().usage(lemma)
    return usage.frequency if usage is not None and usage.noun_share >= _RARE_NOUN else -1
