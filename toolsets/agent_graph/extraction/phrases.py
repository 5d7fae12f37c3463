"""A sentence with its mentions and pronouns resolved, and what the words beside a name say of its place in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.cast import Member
from toolsets.agent_graph.extraction.patterns import VERBS
from toolsets.agent_graph.extraction.sentence import Sentence
from toolsets.agent_graph.extraction.words import (
    ARTICLES,
    BEING,
    HEADS,
    KINDS_OF_THINGS,
    NEVER_NAMES,
    PREPOSITIONS,
    RELATIVES,
    SUBORDINATORS,
    TRACKED,
)

MAX_LEFT = 32
MAX_PREDICATE = 12
STOPS = frozenset(";:")
_NAMING = frozenset("language standard format protocol api shell kernel distribution system".split())
_QUOTES = frozenset("“”\"'‘’")
_GENERIC = frozenset("application program module component wrapper implementation".split())
"""After a name they speak of anything of its kind: a Java application."""
_PARTS = frozenset(
    "toolset parser plugin interface extension script frontend backend client package driver bindings".split()
)
"""After a well-known name likewise: the Python parser."""
LISTED = 0.9
AGENTS = frozenset(
    "applications programs tools clients servers systems packages modules plugins projects libraries users developers people "
    "companies services machines platforms scripts those".split()
)
"""What uses, requires or makes things itself, whatever the subject of the sentence does."""
_COPIES = frozenset("implementation reimplementation port clone fork rewrite copy variant derivative emulation".split())
_KIN = frozenset("family fork copy edition".split())
ADVERBS = frozenset(
    "also now then still currently later soon once again already always often sometimes usually never just even first "
    "both itself himself herself together mainly up longer".split()
)


@dataclass(frozen=True, slots=True)
class Unit:
    """What the tokens `first` up to `last` stand for; `sure` is less than 1 for a pronoun."""

    first: int
    last: int
    member: Member
    sure: float = 1.0


@dataclass(frozen=True, slots=True)
class Phrases:
    """Units by each token that they cover."""

    sentence: Sentence
    units: Mapping[int, Unit]

    def lower(self, place: int) -> str:
        """Return the word at `place` in lower case, "" outside."""
        return self.sentence.lower(place)

    def is_adverb(self, place: int) -> bool:
        """Say whether a word at `place` may stand between a verb's parts without changing who does what."""
        word = self.lower(place)
        return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and place not in self.units)

    def headed(self, at: int) -> Unit | None:
        """Return the unit that ends at `at`, or before the nouns there that say what it is: the *X* plugin, the *X* family."""
        end = self.sentence.past(at, -1, lambda place: self._is_head(place) or self.lower(place) in _KIN)
        unit = self.units.get(end)
        return None if unit is not None and end < at and self.is_kind(unit) else unit

    def is_kind(self, unit: Unit) -> bool:
        """Say whether a unit only says of what kind the thing is that the noun behind it names: the *Java* package."""
        kind = shadow(unit.member.name) in KINDS_OF_THINGS
        behind = self.lower(unit.last)
        return kind and behind in HEADS and (behind not in _NAMING or self.lower(unit.last + 1) in HEADS)

    def is_part(self, unit: Unit) -> bool:
        """Say whether a unit is only a part of a longer name: Universal 2nd *Factor*, Easy *SNMP*."""
        before = unit.first - 1
        if before in self.units or not self.sentence.capital(before) or not self.sentence.tokens[before].word:
            return False
        named = self.sentence.lexicon.known_at(self.sentence.tokens, before) is not None
        return not (named or self.is_ordinary(before) or self.lower(before) in NEVER_NAMES)

    def has_more(self, unit: Unit) -> bool:
        """Say whether a known name is only a part of an unknown one: *GNU* autotools, xpdf *PDF* viewer."""
        listed = unit.member.confidence >= LISTED
        return listed and (self._is_unknown(unit.first - 1) or self._is_unknown(unit.last))

    def is_ordinary(self, place: int) -> bool:
        """Say whether a word at `place` belongs to the sentence and to no name, even with a capital."""
        word = self.lower(place)
        known = word in HEADS or word in VERBS or word in SUBORDINATORS or word in TRACKED
        return known or self.sentence.function_word(place) or self.is_adverb(place)

    def _is_unknown(self, place: int) -> bool:
        """Say whether a word at `place` is neither English nor in a name, and may go on with one: GNU *autotools*."""
        if place in self.units or not self.sentence.word(place).isalpha() or self.sentence.capital(place):
            return False
        return not (self.is_ordinary(place) or self.sentence.common(place))

    def are_agents(self, at: int) -> bool:
        """Say whether the noun at `at` does things itself, whatever the subject does; a set of them is the subject itself."""
        parts = any(self.lower(near) == "of" for near in range(at - 3, at))
        return self.lower(at) in AGENTS and at not in self.units and not parts

    def _is_head(self, place: int) -> bool:
        return self.lower(place) in HEADS and place not in self.units

    def _is_quote(self, place: int) -> bool:
        return self.sentence.word(place) in _QUOTES

    def is_of_others(self, at: int) -> bool:
        """Say whether the noun at `at` is not the subject: a tool to query *data* based on X, for *lists* based on X."""
        word = self.lower(at)
        plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
        for end in range(at, max(0, at - MAX_LEFT), -1):
            word = self.lower(end)
            if word == "(":
                return False
            if word == ",":
                return plural
            if word in BEING:
                return plural and word in {"is", "was"}
            if word == "to" and end + 1 not in self.units and self.lower(end + 1) not in ARTICLES:
                return True
        return plural

    def preposition_of(self, unit: Unit) -> str:
        """Return the preposition that governs a unit, "" when none does: he and she are subjects, before *she* left."""
        if self.lower(unit.first) in {"he", "she"}:
            return ""
        before = self.sentence.past(
            unit.first - 1, -1, lambda place: self.lower(place) in ARTICLES | TRACKED or self._is_quote(place)
        )
        return self.lower(before) if self.lower(before) in PREPOSITIONS else ""

    def governed(self, unit: Unit) -> bool:
        """Say whether a preposition stands before a unit."""
        return self.preposition_of(unit) != ""

    def _is_of(self, unit: Unit) -> bool:
        """Say whether a unit is what some noun is of, unless that is a copy of it with a making of its own: a *port* of X."""
        of = self.sentence.past(
            unit.first - 1, -1, lambda place: self.lower(place) in ARTICLES or self._is_quote(place)
        )
        return self.lower(of) == "of" and self.lower(of - 1) not in _COPIES

    def _is_definite(self, at: int) -> bool:
        """Say whether the noun at `at` is a certain one that has no name: the WQL *format* used by X."""
        if at in self.units or not self.sentence.tokens[at].word:
            return False
        article = at
        while article > at - 4 and article not in self.units and self.lower(article) not in ARTICLES | PREPOSITIONS:
            article -= 1
        told = self.lower(article - 1) in BEING or not self.lower(article - 1)[:1].isalpha()
        return self.lower(article) == "the" and article not in self.units and not told

    def _is_torn(self, at: int) -> bool:
        """Say whether what follows the comma at `at` may be said of two names: X is based on *Y, written by Z*."""
        near = self.headed(at - 1) if self.lower(at) == "," else None
        return near is not None and near.first > 1 and self.governed(near) and near.member.confidence < LISTED

    def _generic(self, unit: Unit) -> bool:
        following = self.lower(unit.last)
        part = following in _PARTS and unit.member.confidence >= LISTED
        written = HEADS.get(following) == "document" and unit.member.type in {"technology", "project"}
        kind = part or written or self.is_kind(unit)
        certain = self.lower(unit.first - 1) == "the" and unit.member.confidence < LISTED
        generic = following in _GENERIC and not certain
        return following in HEADS and (following.endswith("s") or generic or kind)

    def _stands_alone(self, unit: Unit) -> bool:
        following = self.lower(unit.last)
        return following != "'s" and not following.startswith("-") and not self._generic(unit)

    def _is_of_a_kind(self, unit: Unit) -> bool:
        """Say whether a unit only describes something that has no name: *a* Python parser."""
        article = unit.first - 1
        while article > unit.first - 4 and article not in self.units and self.sentence.common(article):
            if self.lower(article) in ARTICLES:
                break
            article -= 1
        is_told = self.lower(article - 1) in BEING or self.lower(article - 1) in {",", "—", "–"}
        return self.lower(article) in {"a", "an"} and not is_told and self.lower(unit.last) in HEADS

    def _is_predicate(self, unit: Unit) -> bool:
        """Say whether a unit describes the subject: X is a Mandatory Access Control system."""
        before = unit.first - 1
        ends = ARTICLES | PREPOSITIONS | {"'s"}
        while before > unit.first - MAX_PREDICATE and self.lower(before) not in ends:
            before -= 1
        return self.lower(before) in {"a", "an"} and self.lower(before - 1) in BEING

    def predicate(self, place: int) -> int:
        """Return where the form of to be stands of which the noun phrase at `place` is the predicate; -1 when none does."""
        at = place - 1
        while at >= 0 and place - at <= MAX_PREDICATE and self._describes_more(at):
            at -= 1
        return at if self.lower(at) in BEING or self.lower(at) == "as" else -1

    def _describes_more(self, at: int) -> bool:
        word = self.lower(at)
        small = word in PREPOSITIONS or word in RELATIVES or word in BEING
        return at not in self.units and not small and (word in {",", "and"} or self.sentence.tokens[at].word)

    def apposed(self, at: int) -> Unit | None:
        """Return the unit that the noun phrase around `at` explains: with *X*, a parser for Y."""
        for end in range(at, max(0, at - MAX_PREDICATE), -1):
            word = self.lower(end)
            if word in BEING or word in RELATIVES or word in STOPS or word == ",":
                return None
            before = end - 1
            if word == "'s" and before in self.units:
                before = self.units[before].first - 1
            elif word not in {"a", "an", "the"}:
                continue
            if self.lower(before) in {",", "—", "–", "("}:
                return self.headed(self.sentence.past(before - 1, -1, self._is_quote))
        return None
