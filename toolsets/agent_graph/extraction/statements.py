"""Reads relations off the words of a sentence that state them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from toolsets.agent_graph.extraction.cast import Member
from toolsets.agent_graph.extraction.ends import Ends
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.extraction.patterns import (
    ADDITIONS,
    ENDS,
    MAKERS,
    NOUNS,
    PARTICIPLES,
    ROLES,
    THINGS,
    VERBS,
    Verb,
    is_participle,
)
from toolsets.agent_graph.extraction.phrases import MAX_LEFT, Unit
from toolsets.agent_graph.extraction.scene import Scene
from toolsets.agent_graph.extraction.words import (
    ARTICLES,
    BEING,
    HEADS,
    PREPOSITIONS,
    RELATIVES,
    ROLE_TAILS,
)

PASSIVE, ACTIVE, PARTICIPLE, NOUN, ROLE, SHARED, FROM, BELONGING = 0.9, 0.85, 0.85, 0.85, 0.8, 0.75, 0.75, 0.7
"""How sure a relation is by the way it is said; SHARED is a verb that takes the subject of the verb before it."""
GUESSED_END = 0.9
"""What is left of it when one of its ends is only guessed to be a name."""
_MAY_DO = frozenset("frontend front-end binding bindings".split())
_MAX_TO_BY = 12
_MAX_TO_NEAR_BY = 8
_BEFORE_BY = ARTICLES | PREPOSITIONS | {"and", "or"}
_INTENDS = frozenset("decided started began begins starts continues continued needs has had helps helped able".split())
"""Followed by an infinitive of which their own subject is the subject."""
_JOINING = frozenset("and but or then".split())
_FOR_OTHERS = frozenset("needed required necessary how way you users".split())
"""Followed by an infinitive of which somebody else is the subject."""
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
        self._ends = Ends(scene)
        self._subject: list[Unit] = []

    def statements(self) -> Iterator[Statement]:
        """Yield what the sentence states, in order; a question states nothing."""
        scene = self._scene
        if scene.lower(len(scene.sentence) - 1) == "?":
            return
        for place in range(len(scene.sentence)):
            if place in scene.units:
                unit = scene.units[place]
                if place == unit.first:
                    yield from self._affiliation(unit)
                    yield from self._belonging(unit)
                    yield from self._authorship(unit)
                continue
            word = scene.lower(place)
            said = list(self._noun(place, word)) if word in NOUNS or word in ROLES else []
            yield from said or self._verb(place, word)

    def _verb(self, place: int, word: str) -> Iterator[Statement]:
        if word not in VERBS and word not in PARTICIPLES:
            return
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
            done = iter(()) if "by" in verb.prepositions else self._done(place, start, being=being)
            yield chain(self._participle(place, start, verb, being=being), done)
        for verb in VERBS.get(word, ()):
            if verb.prepositions:
                yield self._active(place, start, verb)
            elif word == "used" and scene.lower(place + 1) == "to" and scene.lower(place + 2) in _MAKING:
                yield self._made_with(place, start, verb)
            elif is_participle(word) and (agent := self._agent(place, being=being)):
                yield self._say(agent, verb.relation, self._patient(start, agent, being=being), PASSIVE, verb.lemma)
            elif not being or word.endswith("ing"):
                yield self._active(place, start, verb)

    def _done(self, place: int, start: int, *, being: bool) -> Iterator[Statement]:
        """X was written in Y by Z: what Z did, beside what is said of Y."""
        agent = self._agent(place, being=being)
        patient = self._patient(start, agent, being=being) if agent else []
        for verb in VERBS.get(self._scene.lower(place), ()):
            if not verb.prepositions:
                yield from self._say(agent, verb.relation, patient, PASSIVE, verb.lemma)

    def _made_with(self, place: int, start: int, verb: Verb) -> Iterator[Statement]:
        """X, used to build Y: Y uses X."""
        scene = self._scene
        made = scene.units.get(scene.sentence.past(place + 3, 1, lambda at: scene.lower(at) in ARTICLES))
        if made is None or self._ends.describes(made, "CREATED"):
            return iter(())
        return self._say([made], verb.relation, scene.left(start), PARTICIPLE, verb.lemma)

    def _participle(self, place: int, start: int, verb: Verb, *, being: bool) -> Iterator[Statement]:
        scene = self._scene
        if not verb.prepositions:
            yield from self._hyphenated(place, verb)
            return
        behind, word = self._preposition(place, verb.prepositions), scene.lower(place)
        if behind:
            patient = self._patient(start, (), being=being)
            yield from self._say(patient, verb.relation, self._objects(behind, verb.relation), PARTICIPLE, word)

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
                subject = [scene.units[at]] if self._ends.stands_for_itself(scene.units[at]) else []
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
        reach = _MAX_TO_BY if being else _MAX_TO_NEAR_BY
        for at in range(place + 1, min(len(scene.sentence), place + reach)):
            word = scene.lower(at)
            if word == "by":
                who = scene.right(at + 1)
                return [
                    unit for unit in who if not self._ends.are_many(unit) and not self._ends.describes(unit, "CREATED")
                ]
            if word in {",", ";", "(", "that", "which"}:
                return []
            if at in scene.units:
                if not scene.governed(scene.units[at]):
                    return []
            elif not (being or is_participle(word) or word in _BEFORE_BY or word.isdigit() or scene.is_adverb(at)):
                return []
        return []

    def _patient(self, start: int, agent: Sequence[Unit], *, being: bool) -> list[Unit]:
        """Return of whom the participle is said; with a form of to be it is the subject for later verbs too."""
        by_makers = any(unit.member.type in MAKERS for unit in agent)
        shared = self._taken_over(start)
        if not being:
            if by_makers and not shared and self._scene.are_others(start - 1):
                return []
            nearest = bool(agent) and not by_makers
            return shared or self._scene.qualified(start, by_makers=by_makers, nearest=nearest)
        self._subject = shared or self._scene.left(start)
        return self._subject

    def _objects(self, behind: int, relation: RelationType) -> list[Unit]:
        """Return the names from `behind` on that are themselves the object, not a mere description of it."""
        return [unit for unit in self._scene.right(behind) if not self._ends.describes(unit, relation)]

    def _taken_over(self, start: int) -> list[Unit]:
        """Return the last subject when the verb that begins at `start` shares it: X uses A and depends on B."""
        before = self._scene.lower(start - 1)
        if before in _JOINING and start - 1 not in self._scene.units:
            return self._subject
        if before != "to":
            return []
        if self._scene.lower(start - 2) in _FOR_OTHERS:
            return []
        return self._scene.left(start - 2) if self._scene.lower(start - 2) in _INTENDS else self._subject

    def _active(self, place: int, start: int, verb: Verb) -> Iterator[Statement]:
        behind = self._preposition(place, verb.prepositions) if verb.prepositions else place + 1
        shared = self._taken_over(start)
        subject = shared or self._own_subject(place, start)
        if not shared and start == place and self._disagrees(subject, self._scene.lower(place), verb.lemma):
            return
        if shared or not self._scene.dangles(place, start):
            self._subject = subject
        if not behind or not subject:
            return
        objects = self._objects(behind, verb.relation)
        yield from self._say(subject, verb.relation, objects, SHARED if shared else ACTIVE, verb.lemma)

    def _disagrees(self, subject: Sequence[Unit], form: str, lemma: str) -> bool:
        """Say whether the form of a verb is that of many: tools for X *use* Y."""
        return form == lemma and len(subject) == 1 and not subject[0].member.name.endswith("s")

    def _own_subject(self, place: int, start: int) -> list[Unit]:
        thanked = self._scene.headed(start - 2) if self._scene.lower(start - 1) == "for" else None
        if thanked is not None and self._scene.lower(place).endswith("ing"):
            return [thanked]
        before = self._scene.lower(start - 1)
        if before in _JOINING and start - 1 not in self._scene.units:
            return self._opener()
        if self._scene.dangles(place, start) and self._scene.is_of_agents(start - 1):
            return []
        if before == "to" or not (self._scene.dangles(place, start) or self._scene.follows_subject(start)):
            return []
        if before in RELATIVES and (self._scene.is_of_others(start - 2) or self._scene.are_agents(start - 2)):
            return []
        return self._scene.left(start, clause=self._scene.dangles(place, start))

    def _opener(self) -> list[Unit]:
        """Return what opens the sentence, when it is its subject: *X* helps and uses Y."""
        scene = self._scene
        unit = scene.units.get(scene.sentence.past(0, 1, lambda at: scene.lower(at) in ARTICLES))
        return [] if unit is None or self._ends.describes(unit, "CREATED") else [unit]

    def _noun(self, place: int, word: str) -> Iterator[Statement]:
        noun = NOUNS.get(word)
        behind = self._preposition(place, noun.prepositions) if noun is not None else 0
        if noun is not None and behind and not self._is_infinitive(behind):
            if self._governed(place) or self._is_denied(place):
                return
            kin = noun.relation == "RELATED_TO"
            bearers = [unit for unit in self._bearer(place) if not kin or self._ends.may_be_kin(unit)]
            objects = [unit for unit in self._objects(behind, noun.relation) if not kin or unit.member.type in THINGS]
            yield from self._say(bearers, noun.relation, objects, NOUN, noun.word)
        elif word in ROLES or word in ADDITIONS:
            yield from self._role(place, word)

    def _is_infinitive(self, place: int) -> bool:
        """Say whether a verb, not a noun's phrase, follows "to": a plugin to *read* X."""
        scene = self._scene
        if scene.lower(place - 2) not in ADDITIONS | _MAY_DO:
            return False
        noun = place in scene.units or scene.lower(place) in ARTICLES or scene.lower(place) in HEADS
        return scene.lower(place - 1) == "to" and not noun

    def _bearer(self, place: int) -> list[Unit]:
        """Return of whom the noun at `place` is said: X is a, X, the, X provides a ..."""
        place = at = self._before_attribute(place)
        if (apposed := self._scene.apposed(place - 1)) is not None:
            return [apposed]
        while at > place - 5 and at not in self._scene.units and self._scene.lower(at) not in {"a", "an", "the"}:
            at -= 1
        if self._scene.lower(at - 1) in {"provides", "offers"}:
            return self._scene.left(at - 1)
        return self._scene.left(self._scene.succeeding(place))

    def _before_attribute(self, place: int) -> int:
        """Return the place of a name right before the noun at `place`, which it only describes: a *Python* wrapper of."""
        attribute = self._scene.units.get(place - 1)
        return place if attribute is None else attribute.first

    def _is_denied(self, place: int) -> bool:
        """Say whether the noun at `place` is said not to be: X is not a fork of Y."""
        being = self._scene.predicate(self._before_attribute(place))
        return being >= 0 and any(self._scene.denies(at) for at in range(being + 1, place))

    def _governed(self, place: int) -> bool:
        """Say whether the noun at `place` is not said of anybody: with a large part of Y."""
        at = self._before_attribute(place) - 1
        stops = PREPOSITIONS | BEING
        while at >= max(0, place - 4) and at not in self._scene.units and self._scene.lower(at) not in stops:
            if not self._scene.sentence.tokens[at].word:
                return False
            at -= 1
        return self._scene.lower(at) in PREPOSITIONS - {"as"} and at not in self._scene.units

    def _role(self, place: int, word: str) -> Iterator[Statement]:
        """X is a Debian contributor; Debian contributor X."""
        scene = self._scene
        at = scene.sentence.past(place - 1, -1, lambda at: scene.lower(at) in ROLE_TAILS and at not in scene.units)
        whole = scene.units.get(at)
        if whole is None or scene.lower(whole.last) == "'s":
            return
        if word in ADDITIONS:
            said_of = scene.predicate(whole.first)
            known = (
                said_of >= 0 and not scene.is_kind(whole) and whole.member.type in THINGS and not self._is_denied(place)
            )
            yield from self._say(scene.left(said_of) if known else [], "RELATED_TO", [whole], ROLE, word)
            return
        behind = scene.units.get(place + 1)
        who = [behind] if behind is not None and behind.member.type == "person" else scene.left(whole.first)
        yield from self._say(who, ROLES[word], [whole], ROLE, word)

    def _belonging(self, unit: Unit) -> Iterator[Statement]:
        """X's Y; X and his Y project."""
        scene = self._scene
        whose = scene.lower(unit.first - 1)
        if whose == "'s":
            owner = scene.units.get(unit.first - 2)
        elif whose in {"his", "her"} and unit.member.type == "project":
            near = range(unit.first - 1, max(-1, unit.first - MAX_LEFT), -1)
            persons = (scene.units[at] for at in near if at in scene.units)
            owner = next((person for person in persons if person.member.type == "person"), None)
        else:
            return
        if owner is None or unit.member.type not in {"project", "technology"} or not self._ends.is_whole(unit):
            return
        if owner.member.type == "organization":
            yield from self._say([owner], "OWNS", [unit], BELONGING, "'s")
        elif unit.member.type == "project":
            yield from self._say([owner], "WORKS_ON", [unit], BELONGING, whose)
        elif " " in owner.member.name:
            yield from self._say([owner], "CREATED", [unit], BELONGING, "'s")

    def _authorship(self, unit: Unit) -> Iterator[Statement]:
        """The Y module by X."""
        scene = self._scene
        work = scene.headed(unit.first - 2) if scene.lower(unit.first - 1) == "by" else None
        if work is None or unit.member.type not in MAKERS or self._ends.are_many(unit):
            return
        governor = scene.preposition_of(work)
        done_for = any(is_participle(scene.lower(at)) for at in range(work.first - 3, work.first))
        if governor in {"", "for", "of"} and not done_for:
            yield from self._say(scene.right(unit.first), "CREATED", [work], FROM, "by")

    def _affiliation(self, unit: Unit) -> Iterator[Statement]:
        """X from Y, X at Y."""
        scene = self._scene
        if unit.member.type != "organization":
            return
        at = unit.first - 1
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
                if not fits or source.member is target.member or not self._ends.are_whole(source, target):
                    continue
                guessed = GUESSED_END if min(end.confidence for end in ends) < 0.6 else 1.0
                sure = round(confidence * source.sure * target.sure * guessed, 3)
                yield Statement(source.member, relation, target.member, sure, label)
