"""Reads relations off the words of a sentence that state them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolsets.agent_graph.extraction.cast import Member
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.extraction.patterns import (
    ENDS,
    NOUNS,
    PARTICIPLES,
    ROLES,
    VERBS,
    Verb,
    is_participle,
)
from toolsets.agent_graph.extraction.scene import Scene, Unit
from toolsets.agent_graph.extraction.words import BEING, HEADS, PREPOSITIONS, RELATIVES, ROLE_TAILS

PASSIVE, ACTIVE, PARTICIPLE, NOUN, ROLE, SHARED, FROM = 0.9, 0.85, 0.85, 0.85, 0.8, 0.75, 0.75
"""How sure a relation is by the way it is said; SHARED is a verb that takes the subject of the verb before it."""
GUESSED_END = 0.9
"""What is left of it when one of its ends is only guessed to be a name."""
_MAX_TO_BY = 12
_INTENDS = frozenset(
    "wants plans decided agreed started began begins starts continues continued needs tries tried hopes intends going has had "
    "helps helped able aims".split()
)
"""Followed by an infinitive of which their own subject is the subject."""
_MAKING = frozenset("build create develop implement write make produce".split())


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between things of the text."""

    source: Member
    relation: RelationType
    target: Member
    confidence: float
    label: str


class Reader:
    """Reads one sentence from left to right; remembers its last subject for the verbs that share it."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._subject: list[Unit] = []

    def statements(self) -> Iterator[Statement]:
        """Yield what the sentence states, in order."""
        scene = self._scene
        for place in range(len(scene.sentence)):
            if place in scene.units:
                yield from self._affiliation(scene.units[place], place)
                continue
            word = scene.lower(place)
            said = list(self._noun(place, word)) if word in NOUNS or word in ROLES else []
            yield from said or self._verb(place, word)

    def _verb(self, place: int, word: str) -> Iterator[Statement]:
        start = self._scene.verb_start(place)
        if self._scene.negated(start, place):
            return
        for found in self._readings(place, start, word):
            statements = list(found)
            if statements:
                yield from statements
                return

    def _readings(self, place: int, start: int, word: str) -> Iterator[Iterator[Statement]]:
        """Yield the ways in which a verb may be read, the most telling first."""
        scene = self._scene
        being = any(scene.lower(at) in BEING for at in range(start, place))
        for verb in PARTICIPLES.get(word, ()):
            yield self._participle(place, start, verb, being=being)
        for verb in VERBS.get(word, ()):
            if verb.prepositions:
                yield self._active(place, start, verb)
            elif word == "used" and scene.lower(place + 1) == "to" and scene.lower(place + 2) in _MAKING:
                yield self._made_with(place, start, verb)
            elif is_participle(word) and (
                agent := [unit for unit in self._agent(place, being=being) if not self._plural(unit)]
            ):
                yield self._say(agent, verb.relation, self._patient(start, being=being), PASSIVE, verb.lemma)
            elif not being or word.endswith("ing"):
                yield self._active(place, start, verb)

    def _made_with(self, place: int, start: int, verb: Verb) -> Iterator[Statement]:
        """X, used to build Y: Y uses X."""
        return self._say(self._scene.right(place + 3), verb.relation, self._scene.left(start), PARTICIPLE, verb.lemma)

    def _participle(self, place: int, start: int, verb: Verb, *, being: bool) -> Iterator[Statement]:
        scene = self._scene
        if not verb.prepositions:
            yield from self._hyphenated(place, verb)
            return
        behind = self._preposition(place, verb.prepositions)
        if behind:
            patient = self._patient(start, being=being)
            yield from self._say(patient, verb.relation, scene.right(behind), PARTICIPLE, scene.lower(place))

    def _hyphenated(self, place: int, verb: Verb) -> Iterator[Statement]:
        """X is a Y-based thing; the Y-based X."""
        scene = self._scene
        base = scene.units.get(place - 1)
        if base is None:
            return
        being = scene.predicate(base.first)
        subject = scene.left(being) if being >= 0 else []
        for at in range(place + 1, place + 5):
            if (
                subject
                or being >= 0
                or scene.sentence.function_word(at)
                or scene.lower(at) in BEING
                or not scene.lower(at).isalnum()
            ):
                break
            if at in scene.units:
                subject = [scene.units[at]]
        yield from self._say(subject, verb.relation, [base], PARTICIPLE, verb.lemma.removeprefix("-"))

    def _preposition(self, place: int, wanted: frozenset[str]) -> int:
        """Return the place behind one of the `wanted` words that follows `place`, 0 when none does."""
        at = place + 1
        while self._scene.is_adverb(at) and at < place + 3:
            at += 1
        if self._scene.lower(at) in {"and", "or"} and self._scene.lower(at + 1) in NOUNS:
            at += 2
        if self._scene.lower(at) not in wanted:
            return 0
        return at + 3 if self._scene.lower(at + 1) == "top" and self._scene.lower(at + 2) == "of" else at + 1

    def _agent(self, place: int, *, being: bool) -> list[Unit]:
        """Return who did what the participle at `place` says, if the sentence tells."""
        scene = self._scene
        reach = _MAX_TO_BY if being else 5
        for at in range(place + 1, min(len(scene.sentence), place + reach)):
            word = scene.lower(at)
            if word == "by":
                return scene.right(at + 1)
            if at in scene.units or word in {",", ";", "(", "that", "which"}:
                return []
            if not (being or is_participle(word) or word in {"and", "or"} or scene.is_adverb(at)):
                return []
        return []

    def _plural(self, unit: Unit) -> bool:
        """Say whether a name only describes those who did it: by Kerberos clients."""
        following = self._scene.lower(unit.last)
        return following in HEADS and following.endswith("s")

    def _patient(self, start: int, *, being: bool) -> list[Unit]:
        """Return of whom the participle is said; with a form of to be it is the subject for later verbs too."""
        patient = self._taken_over(start) or self._scene.left(start)
        if being:
            self._subject = patient
        return patient

    def _taken_over(self, start: int) -> list[Unit]:
        """Return the last subject when the verb that begins at `start` shares it: X uses A and depends on B."""
        before = self._scene.lower(start - 1)
        if before in {"and", "but", "or", "then"} and start - 1 not in self._scene.units:
            return self._subject
        if before != "to":
            return []
        return self._scene.left(start - 2) if self._scene.lower(start - 2) in _INTENDS else self._subject

    def _active(self, place: int, start: int, verb: Verb) -> Iterator[Statement]:
        scene = self._scene
        behind = self._preposition(place, verb.prepositions) if verb.prepositions else place + 1
        shared = self._taken_over(start)
        subject = shared or self._own_subject(place, start)
        if shared or not self._dangles(place, start):
            self._subject = subject
        if not behind or not subject:
            return
        objects = [unit for unit in scene.right(behind) if verb.relation == "USES" or not self._describes(unit)]
        yield from self._say(subject, verb.relation, objects, SHARED if shared else ACTIVE, verb.lemma)

    def _own_subject(self, place: int, start: int) -> list[Unit]:
        if self._scene.lower(start - 1) == "to" or not (self._dangles(place, start) or self._follows_subject(start)):
            return []
        return self._scene.left(start, clause=self._dangles(place, start))

    def _follows_subject(self, start: int) -> bool:
        """Say whether a finite verb may begin at `start`, as none does behind an ordinary noun: the required servers."""
        before = self._scene.lower(start - 1)
        noun = before in HEADS or before in RELATIVES or before in {"and", "or", "but"}
        return start - 1 in self._scene.units or noun or not before[:1].isalpha()

    def _dangles(self, place: int, start: int) -> bool:
        """Say whether a verb is an infinitive, or a participle without an auxiliary, and so has no subject of its own."""
        return self._scene.lower(start - 1) == "to" or (start == place and self._scene.lower(place).endswith("ing"))

    def _describes(self, unit: Unit) -> bool:
        """Say whether a name only describes the noun behind it: Debian packages."""
        following = self._scene.lower(unit.last)
        if following == "'s":
            return True
        return (
            following.isalpha()
            and self._scene.sentence.common(unit.last)
            and not (
                following in HEADS
                or self._scene.sentence.function_word(unit.last)
                or following in VERBS
                or self._scene.is_adverb(unit.last)
            )
        )

    def _noun(self, place: int, word: str) -> Iterator[Statement]:
        scene = self._scene
        noun = NOUNS.get(word)
        behind = self._preposition(place, noun.prepositions) if noun is not None else 0
        if noun is not None and behind:
            if self._governed(place):
                return
            yield from self._say(scene.left(place), noun.relation, scene.right(behind), NOUN, noun.word)
        elif word in ROLES:
            yield from self._role(place, word)

    def _governed(self, place: int) -> bool:
        """Say whether the noun at `place` is not said of anybody: with a large part of Y."""
        at = place - 1
        while at > place - 5 and at not in self._scene.units and self._scene.lower(at) not in PREPOSITIONS | BEING:
            if not self._scene.sentence.tokens[at].word:
                return False
            at -= 1
        return self._scene.lower(at) in PREPOSITIONS - {"as"} and at not in self._scene.units

    def _role(self, place: int, word: str) -> Iterator[Statement]:
        """X is a Debian contributor; Debian contributor X."""
        scene = self._scene
        at = place - 1
        while scene.lower(at) in ROLE_TAILS and at not in scene.units:
            at -= 1
        whole = scene.units.get(at)
        if whole is None or scene.lower(whole.last) == "'s":
            return
        behind = scene.units.get(place + 1)
        who = [behind] if behind is not None and behind.member.type == "person" else scene.left(whole.first)
        yield from self._say(who, ROLES[word], [whole], ROLE, word)

    def _affiliation(self, unit: Unit, place: int) -> Iterator[Statement]:
        """X from Y, X at Y."""
        scene = self._scene
        if place != unit.first or unit.member.type != "organization":
            return
        at = place - 1
        if scene.lower(at) == "the":
            at -= 1
        who = scene.units.get(at - 1)
        if who is not None and scene.lower(at) in {"from", "at", "of"} and who.member.type == "person":
            yield from self._say([who], "MEMBER_OF", [unit], FROM, scene.lower(at))

    def _say(
        self, sources: Sequence[Unit], relation: RelationType, targets: Sequence[Unit], confidence: float, label: str
    ) -> Iterator[Statement]:
        """Yield the relation between each of `sources` and each of `targets` that it can hold between."""
        may_be, may_have = ENDS[relation]
        for source in sources:
            for target in targets:
                ends = (source.member, target.member)
                fits = source.member.type in may_be and target.member.type in may_have
                if label == "work" and relation == "MEMBER_OF":
                    fits = fits and target.member.type == "organization"
                if not fits or source.member is target.member:
                    continue
                guessed = GUESSED_END if min(end.confidence for end in ends) < 0.6 else 1.0
                sure = round(confidence * source.sure * target.sure * guessed, 3)
                yield Statement(source.member, relation, target.member, sure, label)
