"""Extracts relations from the clauses of a sentence: finds the words of `relations.toml` with subject and object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolsets.agent_graph.extraction.coreference import Reference, Referent
from toolsets.agent_graph.extraction.lexicon import RelationWord, relation_words, relations
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.extraction.phrases import Phrases
from toolsets.agent_graph.extraction.sentence import GUESS

MAX_LEFT = 32
MAX_RIGHT = 10
"""The most words between a verb and its subject or object."""
MAX_GOVERNORS = 3
"""The most verbs in a chain in which each governs the next: does not want to start using."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation between things of the text."""

    source: Referent
    relation: RelationType
    target: Referent
    confidence: float
    label: str


class ClauseMatcher(Phrases):
    """Reads one sentence from left to right; remembers its last subject for the verbs that share it."""

    _subject: Sequence[Reference] = ()

    def statements(self) -> Iterator[Statement]:
        """Yield the relations that the sentence states, in order; a question states none."""
        end = 0 if self.lower(len(self) - 1) == "?" else len(self)
        for place in range(end):
            for word in () if place in self.references else relation_words().get(self.lower(place), ()):
                stated = list(self._stated(place, word))
                yield from stated
                if stated and word.form != "participle":
                    break

    def _stated(self, place: int, word: RelationWord) -> Iterator[Statement]:
        forms = {"suffix": self._suffixed, "noun": self._noun, "role": self._role}
        if word.form not in {"verb", "participle"}:
            return forms.get(word.form, self._between)(place, word)
        start = self.verb_start(place)
        if self._is_denied(start, place):
            return iter(())
        being = any(self.is_a(at, "being") for at in range(start, place))
        if word.form == "participle":
            objects = self._objects(place, word)
            return self._say(self._patients(start, (), being=being) if objects else (), word, objects, "participle")
        agents = self._agents(place) if self.is_participle(place) and not word.prepositions else ()
        if agents:
            return self._say(agents, word, self._patients(start, agents, being=being), "passive")
        if being and not word.prepositions and not self.lower(place).endswith("ing"):
            return iter(())
        return self._active(place, start, word)

    def _is_denied(self, start: int, place: int) -> bool:
        """Return whether what the verb at `place` says, whose group begins at `start`, is denied, doubted or only intended.

        The words that govern it count too: does *not* need to use, *plans* to use, *instead* of using.
        """
        for _ in range(MAX_GOVERNORS):
            governor = start - 2 if self.is_a(start - 1, "preposition") else start - 1
            if any(self.denies(at) for at in range(start, place)):
                return True
            if governor == start - 1 and not self.lower(place).endswith("ing"):
                return False
            if self.is_a(governor, "unreal") or self.is_a(start - 1, "unreal"):
                return True
            start, place = self.verb_start(governor), governor
        return False

    def _active(self, place: int, start: int, word: RelationWord) -> Iterator[Statement]:
        """X uses Y."""
        shared = self.is_a(start - 1, "clause_joiner")
        gerund = self.lower(place).endswith("ing") and not any(self.is_a(at, "auxiliary") for at in range(start, place))
        thanked = self.headed(start - 2) if gerund and self.lower(start - 1) == "for" else None
        if thanked is not None:
            self._subject = [thanked]
        elif self.lower(start - 1) == "to":
            self._subject = self._subject_of(start - 2) if self.is_a(start - 2, "intend") else ()
        elif not shared:
            others = self.fits("gerund_of_others" if gerund else "clause_of_others", start)
            self._subject = () if others else self._subject_of(start, gerund=gerund)
        return self._say(self._subject, word, self._objects(place, word), "shared" if shared else "active")

    def _agents(self, place: int) -> Sequence[Reference]:
        """Return the agent of the participle at `place`, if the sentence names it."""
        for _, _, behind in self.fitting("agent", place + 1):
            return [who for who in self._right(behind) if not self.is_attribute(who, "CREATED")]
        return ()

    def _patients(self, start: int, agents: Sequence[Reference], *, being: bool) -> Sequence[Reference]:
        """Return the subject of the participle; with a form of to be it is the subject of later verbs, too."""
        if self.is_a(start - 1, "clause_joiner"):
            return self._subject
        if being:
            self._subject = self._subject_of(start)
            return self._subject
        if (apposed := self.apposed(start - 1)) is not None:
            return [apposed]
        bracketed = self.lower(start - 1) == "("
        near = self.headed(start - 2 if bracketed else start - 1)
        by_makers = any(agent.referent.type in {"person", "organization"} for agent in agents)
        if near is None or self.says("of_a_kind", near):
            of_others = not by_makers and self.fits("participle_of_others", start)
            return () if bracketed or of_others else self._subject_of(start)
        nearest = bracketed or (agents and not by_makers) or self.fits("of", near.first)
        if nearest and not self.says("predicate_name", near):
            return [near]
        return self._subject_of(start) or ([near] if by_makers else [])

    def _subject_of(self, place: int, *, gerund: bool = False) -> Sequence[Reference]:
        """Return the subject of what begins at `place`; nothing when some other noun is the subject.

        With `gerund` only the subject of a finite verb will do, as the participle may belong to anything.
        """
        at, attached, relative = place - 1, True, place if self.is_a(place, "relative") else -1
        while at >= max(0, place - MAX_LEFT):
            reference = self.references.get(at)
            if reference is not None:
                if attached and self.is_one_of_many(reference):
                    return ()
                if self._is_subject(reference, relative, attached=attached, gerund=gerund):
                    return self.list_before(reference)
                at, attached = reference.first - 1, attached and self._stands_alone(reference)
                continue
            if self.is_a(at, "clause_bound") or (self.is_a(at, "relative") and relative >= 0):
                return ()
            if self.lower(at) == ")":
                opening = (far for far in range(at - 1, max(-1, place - MAX_LEFT), -1) if self.lower(far) == "(")
                at = next(opening, at)
            relative = at if self.is_a(at, "relative") else relative
            attached = self._is_attached(at, attached=attached)
            at -= 1
        return ()

    def _is_subject(self, reference: Reference, relative: int, *, attached: bool, gerund: bool) -> bool:
        works = gerund and reference.first == 0 and reference.referent.type in {"technology", "project"}
        if not (attached or works) or not self._stands_alone(reference) or self.says("predicate_name", reference):
            return False
        if gerund and not self.acts(reference):
            return False
        governor = self.preposition_of(reference) or self.preposition_of(self.list_before(reference)[0])
        named = relative - 1 == reference.last and self.lower(reference.last) == ","
        return not governor or (named and governor not in {"for", "with", "to"})

    def _stands_alone(self, reference: Reference) -> bool:
        """Return whether a name is more than a modifier of what follows it."""
        return not self.fits("attribute_mark", reference.last) and not self.says("generic", reference)

    def _predicate(self, place: int) -> int:
        """Return the place of the form of to be whose predicate is the noun phrase at `place`, -1 if there is none."""
        return next((before + 1 for _, before, _ in self.fitting("predicate_of", place)), -1)

    def _is_attached(self, at: int, *, attached: bool) -> bool:
        """Return whether a name before `at` is the subject itself, not only a part of the subject noun."""
        if self.lower(at) == "," and at - 1 in self.references and at + 1 in self.references:
            return attached
        if self.is_a(at, "barrier", "being"):
            return True
        return attached and (self.is_a(at, "noun", "joiner", "auxiliary", "transparent") or self.is_adverb(at))

    def _objects(self, place: int, word: RelationWord) -> Sequence[Reference]:
        """Return the objects of the word at `place` that do not only modify another noun."""
        at = place + 1
        if word.prepositions:
            while self.is_adverb(at) and at < place + 3:
                at += 1
            if self.lower(at) not in word.prepositions:
                return ()
            at += 3 if (self.lower(at + 1), self.lower(at + 2)) == ("top", "of") else 1
        return [item for item in self._right(at) if not self.is_attribute(item, word.relation)]

    def _right(self, place: int) -> Sequence[Reference]:
        """Return the object of what ends before `place`; nothing if another noun is the object."""
        at = place
        while at < place + MAX_RIGHT:
            reference = self.references.get(at)
            if reference is None:
                if (at == place and self.lower(at) == ",") or not self.fits("before_object", at):
                    return ()
                at += 1
            elif self.is_a(reference.last, "through", "possessive"):
                at = reference.last + (2 if self.lower(reference.last + 1) == "of" else 1)
            else:
                return () if at > place and self.acts(reference) else self.list_after(self.named_by(reference))
        return ()

    def _suffixed(self, place: int, word: RelationWord) -> Iterator[Statement]:
        """X is a Y-based thing."""
        base = self.references.get(place - 1)
        being = -1 if base is None else self._predicate(base.first)
        return self._say(self._subject_of(being) if being >= 0 else (), word, [base] if base else (), "participle")

    def _noun(self, place: int, word: RelationWord) -> Iterator[Statement]:
        """X is the author of Y; X succeeded Z as the author of Y."""
        attribute = self.references.get(place - 1)
        first = place if attribute is None else attribute.first
        being = self._predicate(first)
        denied = being >= 0 and any(self.denies(at) for at in range(being + 1, place))
        if denied or self.fits("governed_noun", first):
            return iter(())
        succession = next((before + 1 for _, before, _ in self.fitting("succession", first)), None)
        apposed = self.apposed(first - 1)
        subject = self._subject_of(first if succession is None else self.verb_start(succession))
        return self._say(subject if apposed is None else [apposed], word, self._objects(place, word), "noun")

    def _role(self, place: int, word: RelationWord) -> Iterator[Statement]:
        """X is a Debian contributor; Debian contributor X."""
        whole = self.references.get(self.past(place - 1, -1, "role"))
        bearer = self.references.get(place + 1)
        if whole is None or (word.relation == "RELATED_TO" and self._predicate(whole.first) < 0):
            return iter(())
        named = bearer is not None and bearer.referent.type == "person"
        return self._say([bearer] if bearer and named else self._subject_of(whole.first), word, [whole], "role")

    def _between(self, place: int, word: RelationWord) -> Iterator[Statement]:
        """X from the organisation Y; the Y module by X; X's Y; X and his Y project."""
        behind = self.references.get(place + 2 if self.lower(place + 1) == "the" else place + 1)
        before = self.headed(place - 1) if word.form == "by" else self.references.get(place - 1)
        if self.lower(place) in {"his", "her"}:
            near = (self.references.get(at) for at in range(place - 1, max(-1, place - MAX_LEFT), -1))
            before = next((named for named in near if named is not None and named.referent.type == "person"), None)
        if before is None or behind is None:
            return iter(())
        if word.form == "by":
            done = any(self.is_participle(at) for at in range(before.first - 3, before.first))
            authors = self._right(place + 1) if self.preposition_of(before) in {"", "for", "of"} and not done else ()
            return self._say([who for who in authors if not self.is_attribute(who, "CREATED")], word, [before], "from")
        stated = word.form == "of" or self.fits("possessed", behind.last)
        return self._say([before] if stated else (), word, [behind], "from" if word.form == "of" else "possessive")

    def _say(
        self, sources: Sequence[Reference], word: RelationWord, targets: Sequence[Reference], way: str
    ) -> Iterator[Statement]:
        """Yield the relation between each of `sources` and each of `targets` whose types it allows."""
        confidence = relations().confidence
        for source in (source for source in sources if not self.says("no_end", source)):
            for target in targets:
                ends = (source.referent, target.referent)
                fits = ends[0] is not ends[1] and ends[0].type in word.sources and ends[1].type in word.targets
                if fits and not self.says("no_end", target) and not self.says("no_object", target):
                    guess = confidence["guess"] if min(end.confidence for end in ends) < GUESS else 1.0
                    sure = round(confidence[way] * source.certainty * target.certainty * guess, 3)
                    yield Statement(ends[0], word.relation, ends[1], sure, word.label)
