"""How to walk in a sentence from a word to the names that it speaks of."""

from dataclasses import dataclass

from toolsets.agent_graph.extraction.patterns import VERBS, is_participle
from toolsets.agent_graph.extraction.phrases import MAX_LEFT, STOPS, Phrases, Unit
from toolsets.agent_graph.extraction.words import (
    ARTICLES,
    AUXILIARIES,
    BEING,
    HEADS,
    NEAR_MISSES,
    NEGATIONS,
    PREPOSITIONS,
    RELATIVES,
    SUBJECT_VERBS,
    SUBORDINATORS,
    TRACKED,
    UNREAL,
)

MAX_RIGHT = 10
MAX_GOVERNORS = 3
"""Verbs of one row that each govern the next: does not want to start using."""
MAX_LISTED = 32
"""Names of one list that a statement is made of; it holds between each of its sources and each of its targets."""
_INSTANCES = frozenset("including like namely notably called named especially particularly e.g".split())
_THROUGH = frozenset(
    "set part number version one some many several all most variety range collection port fork clone family "
    "copy release branch edition".split()
)


@dataclass(frozen=True, slots=True)
class Scene(Phrases):
    """A sentence, and how to walk in it."""

    def verb_start(self, place: int) -> int:
        """Return where the group of the verb at `place` begins: its auxiliaries and adverbs before it."""
        return self.sentence.past(place - 1, -1, self._in_verb_group) + 1

    def _in_verb_group(self, place: int) -> bool:
        word = self.lower(place)
        small = word in _AUXILIARIES or word in NEGATIONS or word in NEAR_MISSES or self.is_adverb(place)
        return place not in self.units and small

    def states(self, place: int) -> bool:
        """Say whether a word at `place` may be a verb."""
        word = self.lower(place)
        return place not in self.units and (word in VERBS or word in SUBJECT_VERBS or word in AUXILIARIES)

    def denies(self, place: int) -> bool:
        """Say whether a word of a verb group, at `place`, takes back what the verb says: never, almost, allegedly."""
        word = self.lower(place)
        if word in NEAR_MISSES:
            return not self.is_adverb(place + 1)
        return word in NEGATIONS and self.lower(place + 1) != "only"

    def negated(self, start: int, place: int) -> bool:
        """Say whether what the verb at `place` says, whose group begins at `start`, is denied, doubted or only intended.

        The words that govern it count too: does *not* need to use, *plans* to use, *instead* of using.
        """
        for _ in range(MAX_GOVERNORS):
            if any(self.denies(at) for at in range(start, place)):
                return True
            governor = start - 1
            if self.lower(governor) in GOVERNING or (
                self.lower(governor) in PREPOSITIONS and self.lower(place).endswith("ing")
            ):
                governor -= 1
            elif not self.lower(place).endswith("ing"):
                return False
            if governor in self.units:
                return False
            if self.lower(governor) in UNREAL or self.lower(governor + 1) == "against":
                return True
            start, place = self.verb_start(governor), governor
        return False

    def left(self, place: int, *, clause: bool = False) -> list[Unit]:
        """Return the subject of what begins at `place`; nothing when some other noun is the subject.

        With `clause` only the subject of a finite verb will do, as for a participle that may belong to anything.
        """
        at, attached = place - 1, True
        relative = place if self.lower(place) in RELATIVES else -1
        while at >= 0 and place - at <= MAX_LEFT:
            unit = self.units.get(at)
            if unit is not None:
                if attached and self._is_of_a_kind(unit):
                    return []
                if attached and self._generic(unit) and not self.governed(unit) and not self._is_predicate(unit):
                    return []
                works = clause and unit.first == 0 and unit.sure == 1 and unit.member.type in {"technology", "project"}
                fits = (attached or works) and self._stands_alone(unit) and (not clause or self.acts(unit))
                fits = fits and not self._is_predicate(unit)
                if fits and (not self._governed_in_list(unit) or self._antecedent(unit, relative)):
                    return self._joined_left(unit)
                at, attached = unit.first - 1, attached and self._stands_alone(unit)
                continue
            word = self.lower(at)
            if self._begins_clause(at, relative):
                break
            if word == ")":
                at = self._opening(at)
                continue
            if word in RELATIVES:
                relative = at
            attached = self._still_attached(at, word, attached=attached)
            at -= 1
        return []

    def succeeding(self, place: int) -> int:
        """Return where it is told who became what the noun at `place` says: X *succeeded* Y as the leader; else `place`."""
        at = self.sentence.past(place - 1, -1, lambda near: self.lower(near) in ARTICLES)
        former = self.units.get(at - 1) if self.lower(at) == "as" else None
        if former is None or self.lower(former.first - 1) not in _SUCCEEDS:
            return place
        return self.verb_start(former.first - 1)

    def _is_the(self, unit: Unit, at: int) -> bool:
        """Say whether a unit names a certain thing of which the noun at `at` says what it is: on the *X* library."""
        return unit.last <= at and self.lower(unit.first - 1) == "the" and self.governed(unit)

    def _begins_clause(self, at: int, relative: int) -> bool:
        """Say whether the subject of what stands behind `at`, and behind the relative word there, is not before `at`."""
        word = self.lower(at)
        instance = self.units.get(at + 1) if word == "like" else None
        if instance is not None and instance.last == relative:
            return True
        return word in STOPS or word in SUBORDINATORS or (word in RELATIVES and 0 <= relative != at)

    def qualified(self, place: int, *, by_makers: bool, nearest: bool) -> list[Unit]:
        """Return of what a participle that begins at `place` is said that has no form of to be: X, *written* by Y.

        With `by_makers` it names persons or organisations, and so hardly speaks of just any noun before it; with
        `nearest` a name right before it comes before the subject: for X *used* by Y.
        """
        before = place - 1
        if self.lower(before) == "(":
            near = self.headed(before - 1)
            return [near] if near is not None and not self._is_of_a_kind(near) else []
        if (apposed := self.apposed(before)) is not None:
            return [apposed]
        if self._is_definite(before) or (by_makers and self._is_torn(before)):
            return []
        near = self.headed(before - 1 if self.lower(before) == "as" else before)
        if self.lower(before) == "as":
            return [near] if near is not None else []
        sought = nearest or (near is not None and (self._is_of(near) or (by_makers and self._is_the(near, before))))
        if near is not None and sought and not self._is_predicate(near):
            return [near]
        if near is None and not by_makers and self.is_of_others(before):
            return []
        return self.left(place) or ([near] if near is not None and by_makers and not self._is_of_a_kind(near) else [])

    def _governed_in_list(self, unit: Unit) -> bool:
        """Say whether a preposition stands before a unit, or before the list of names that it ends."""
        return self.governed(unit) or self.governed(self._joined_left(unit)[0])

    def _still_attached(self, at: int, word: str, *, attached: bool) -> bool:
        """Say whether a name before `at` would be the subject itself, not a mere part of the noun that is."""
        if word == "to":
            return attached
        if word == "," and at - 1 in self.units and at + 1 in self.units:
            return attached
        if word in _BARRIERS or word in BEING:
            return True
        if word in HEADS or word in {"and", "or", "&", "/"} or self.is_adverb(at) or word in AUXILIARIES:
            return attached
        return False

    def _antecedent(self, unit: Unit, relative: int) -> bool:
        """Say whether a relative clause that begins at `relative` speaks of `unit`, whatever governs that."""
        named = relative >= 0 and relative - 1 == unit.last and self.lower(unit.last) == ","
        return named and self.preposition_of(unit) not in {"for", "with", "to"}

    def _opening(self, place: int) -> int:
        """Return the place before the parenthesis that ends at `place`."""
        for at in range(place - 1, max(-1, place - MAX_LEFT), -1):
            if self.lower(at) == "(":
                return at - 1
        return place - 1

    def _joined_left(self, unit: Unit) -> list[Unit]:
        """Return `unit` with those before it in the same list, `MAX_LISTED` at most."""
        found = self._listed_left(unit)
        set_off = self.lower(unit.first - 1) == "and" and self.lower(unit.first - 2) == ","
        is_object = self.governed(found[0]) or self.states(found[0].first - 1)
        # A list of two has no comma: in "uses X, and Y is" a clause begins.
        return [unit] if len(found) == 2 and set_off and is_object else found

    def _listed_left(self, unit: Unit) -> list[Unit]:
        found = [unit]
        joined = False
        while len(found) < MAX_LISTED:
            at = found[0].first - 1
            at = self.sentence.past(at, -1, lambda place: self.lower(place) in ARTICLES | TRACKED)
            if self.lower(at) in {"and", "or", "&", "/"}:
                joined = True
                at -= 2 if self.lower(at - 1) == "," else 1
            elif joined and self.lower(at) == ",":
                at -= 1
            else:
                return found
            earlier = self.units.get(self.sentence.past(at, -1, self._is_head))
            # No list names a thing twice: in "on X, and X is" a clause begins.
            if earlier is None or any(earlier.member is unit.member for unit in found):
                return found
            found.insert(0, earlier)
            if self.governed(earlier):
                return found
        return found

    def right(self, place: int) -> list[Unit]:
        """Return the object of what ends before `place`; nothing when another noun is the object."""
        at = place
        while at < min(len(self.sentence), place + MAX_RIGHT):
            unit = self.units.get(at)
            if unit is not None and self.lower(unit.last) in _THROUGH and self.lower(unit.last + 1) == "of":
                at = unit.last + 2
                continue
            if unit is not None and self.lower(unit.last) == "'s":
                at = unit.last + 1
                continue
            if unit is not None and (instances := self._instances(unit)):
                at = instances
                continue
            if unit is not None:
                return [] if at > place and self.acts(unit) else self._joined_right(self._named_by(unit))
            if (at == place and self.lower(at) == ",") or not self._passes(at) or self._turns_away(at, place):
                return []
            at += 1
        return []

    def _instances(self, unit: Unit) -> int:
        """Return where the instances begin of what a unit only describes: FOSS libraries, including *X*; 0 when none do."""
        at = unit.last
        if not (self.lower(at) in HEADS and self.lower(at).endswith("s")):
            return 0
        at += 2 if self.lower(at + 1) == "," else 1
        if self.lower(at) in {"including", "like", "namely"}:
            return at + 1
        return at + 2 if self.lower(at) == "such" and self.lower(at + 1) == "as" else 0

    def _passes(self, at: int) -> bool:
        """Say whether an object may still come behind the word at `at`."""
        word = self.lower(at)
        if word == "of":
            return self.lower(at - 1) in _THROUGH or self.lower(at - 1).endswith("s")
        if word in _INSTANCES or word in {"but", "not", "limited", "“", '"', "most"}:
            return True
        if word in {"as", "to"}:
            return self.lower(at - 1) in {"such", "limited"}
        if word == ",":
            return self.lower(at + 1) in _INSTANCES | {"such", "but", "most"}
        if word in PREPOSITIONS or word in RELATIVES or word in AUXILIARIES or word in {"and", "or"}:
            return False
        return self.sentence.tokens[at].word

    def _turns_away(self, at: int, place: int) -> bool:
        """Say whether a participle at `at` speaks of the noun before it: on a system *supporting* X."""
        return at > place and self.lower(at).endswith("ing") and self._is_head(at - 1)

    def _named_by(self, unit: Unit) -> Unit:
        """Return the later of two names of which the first only describes: the LaTeX package Xy-pic."""
        later = self.units.get(self.sentence.past(unit.last, 1, self._is_head))
        return unit if later is None else later

    def _joined_right(self, unit: Unit) -> list[Unit]:
        """Return `unit` with those after it in the same list, `MAX_LISTED` at most."""
        found = [unit]
        while len(found) < MAX_LISTED:
            at = self.behind(found[-1])
            joiners = 0
            while self.lower(at) in {",", "and", "or", "&", "/", "then", "also"} and joiners < 3:
                at, joiners = at + 1, joiners + 1
            if not joiners:
                return found
            only_comma = joiners == 1 and self.lower(at - 1) == ","
            explains = only_comma and self.lower(at) in ARTICLES
            at = self.sentence.past(at, 1, lambda place: self.lower(place) in ARTICLES | TRACKED)
            at = self._past_plain_item(at)
            later = self.units.get(at)
            if later is None or self.acts(self._named_by(later)) or (explains and self._ends_list(later)):
                return found
            found.append(self._named_by(later))
        return found

    def _ends_list(self, unit: Unit) -> bool:
        """Say whether no further item of a list follows a unit, so that it explains the one before: X, the *Y* service."""
        return self.lower(self.behind(unit)) not in {",", "and", "or"}

    def _past_plain_item(self, at: int) -> int:
        """Return the place behind an ordinary word that is one item of a list: Perl, *time* and Redis."""
        joiner = at + 1
        joined = self.lower(joiner) in {",", "and", "or", "&", "/"}
        if at in self.units or not joined or not self.lower(at).isalpha() or self.sentence.function_word(at):
            return at
        if self.lower(at) in VERBS or self.lower(at) in SUBJECT_VERBS or self.is_adverb(at):
            return at
        if self.lower(joiner) == "," and self.lower(joiner + 1) in {"and", "or"}:
            joiner += 1
        return joiner + 1

    def behind(self, unit: Unit) -> int:
        """Return the place behind a unit, the noun that says what it is, and a parenthesis."""
        at = self.sentence.past(unit.last, 1, self._is_head)
        if self.lower(at) == "(":
            for end in range(at, min(len(self.sentence), at + MAX_RIGHT)):
                if self.lower(end) == ")":
                    return end + 1
        return at

    def acts(self, unit: Unit) -> bool:
        """Say whether a unit begins a clause of its own."""
        following = self.lower(self.behind(unit))
        finite = following in VERBS and not (following.endswith("ing") or is_participle(following))
        opens = unit.first == 0 and self.sentence.common(unit.last) and following not in HEADS
        does = opens and following.endswith("s") and not following.endswith(("ss", "'s"))
        return following in _AUXILIARIES or following in SUBJECT_VERBS or finite or does or unit.sure < 1

    def are_others(self, at: int) -> bool:
        """Say whether the noun at `at` is many things that are not the subject: allows to read *files* written by X."""
        word = self.lower(at)
        many = word == "those" or (word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3)
        parts = any(self.lower(near) == "of" for near in range(at - 3, at))
        return many and at not in self.units and not parts

    def is_of_agents(self, at: int) -> bool:
        """Say whether a participle behind the word at `at` speaks of that: by applications *using* X, data encoded *using* X."""
        word = self.lower(at)
        if self.are_agents(at):
            return True
        if not (is_participle(word) or word in _DONE) or at in self.units:
            return False
        start = self.verb_start(at)
        being = any(self.lower(near) in BEING for near in range(start, at))
        return not being or self.lower(start - 1) == "to"

    def follows_subject(self, start: int) -> bool:
        """Say whether a finite verb may begin at `start`, as none does behind an ordinary noun: the required servers."""
        before = self.lower(start - 1)
        noun = before in HEADS or before in RELATIVES or before in {"and", "or", "but"}
        return start - 1 in self.units or noun or not before[:1].isalpha()

    def dangles(self, place: int, start: int) -> bool:
        """Say whether a verb is an infinitive, or a participle without an auxiliary, and so has no subject of its own."""
        helped = any(self.lower(at) in AUXILIARIES for at in range(start, place))
        return self.lower(start - 1) == "to" or (not helped and self.lower(place).endswith("ing"))


GOVERNING = frozenset({"to", "than"})
_SUCCEEDS = frozenset(
    "succeed succeeds succeeded succeeding replace replaces replaced replacing follow follows followed following".split()
)
_DONE = frozenset("drawn known shown made found sent".split())
_AUXILIARIES = AUXILIARIES - {"'s"}
_BARRIERS = PREPOSITIONS | RELATIVES | frozenset(', ( but became becomes remains “ ” " — – - :'.split())
