"""Extracts relations from the clauses of a sentence: the words of `relations.toml`, each with its subject and object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolsets.agent_graph.extraction.lexicon import RelationWord, relations
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.extraction.sentence import GUESS, ParsedSentence, Reference, Referent

MAX_LEFT = 32
MAX_RIGHT = 10
"""The most words between a verb and its subject or object."""
MAX_GOVERNORS = 3
"""The longest chain of verbs, each of which governs the next: does not want to start using."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation that a sentence states between two referents."""

    source: Referent
    relation: RelationType
    target: Referent
    confidence: float
    label: str


def statements(s: ParsedSentence) -> Iterator[Statement]:
    """Yield the relations that the sentence states, in order; a question states none."""
    end = 0 if s.is_a(len(s) - 1, "?") else len(s)
    for place in range(end):
        for word in () if place in s.references else s.words[place].relations:
            stated = list(_stated(s, place, word))
            yield from stated
            if stated and word.form != "participle":
                break


def _stated(s: ParsedSentence, place: int, word: RelationWord) -> Iterator[Statement]:
    if word.form in {"noun", "role", "suffix"}:
        return _noun(s, place, word)
    if word.form in {"of", "by", "possessive"}:
        return _between(s, place, word)
    start = _verb_start(s, place)
    if _is_denied(s, start, place):
        return iter(())
    being = any(s.is_a(at, "<being>") for at in range(start, place))
    if word.form == "participle":
        objects = _objects(s, place, word)
        return _combine(s, _patients(s, start, being=being) if objects else (), word, objects, "participle")
    by = next((behind for _, _, behind in s.fitting("agent", place + 1)), -1)
    if by >= 0 and s.is_a(place, "[participle]") and not word.prepositions:
        agents = [who for who in _right(s, by) if not _is_attribute(s, who, "CREATED")]
        return _combine(s, agents, word, _patients(s, start, being=being), "passive")
    return _active(s, place, start, word)


def _is_denied(s: ParsedSentence, start: int, place: int) -> bool:
    """Return whether the verb at `place`, whose group begins at `start`, is negated, doubtful or only intended.

    Words that govern the verb count, too: does *not* need to use, *plans* to use, *instead* of using.
    """
    for _ in range(MAX_GOVERNORS):
        if any(_denies(s, at) for at in range(start, place)):
            return True
        governor = start - 2 if s.is_a(start - 1, "<preposition>") else start - 1
        if governor == start - 1 and not s.is_a(place, "[gerund]"):
            return False
        if s.is_a(governor, "<unreal>") or s.is_a(start - 1, "<unreal>"):
            return True
        start, place = _verb_start(s, governor), governor
    return False


def _active(s: ParsedSentence, place: int, start: int, word: RelationWord) -> Iterator[Statement]:
    """X uses Y."""
    shared = s.is_a(start - 1, "<clause_joiner>")
    gerund = s.is_a(place, "[gerund]") and not any(s.is_a(at, "<auxiliary>") for at in range(start, place))
    if s.is_a(start - 1, "to"):
        s.subject = ()
    elif not shared:
        others = s.fits("gerund_of_others" if gerund else "clause_of_others", start)
        s.subject = () if others else _subject_of(s, start, gerund=gerund)
    return _combine(s, s.subject, word, _objects(s, place, word), "shared" if shared else "active")


def _patients(s: ParsedSentence, start: int, *, being: bool) -> Sequence[Reference]:
    """Return what the participle describes; with a form of "to be" (`being`), it is also the subject of later verbs."""
    if being:
        s.subject = _subject_of(s, start)
        return s.subject
    for _, comma, _ in s.fitting("apposition", start):
        if (apposed := s.headed(s.past(comma, -1, "<quote>"))) is not None:
            return [apposed]
    near = s.headed(start - 1)
    if near is not None:
        return [near] if s.fits("of", near.first) else _subject_of(s, start) or [near]
    return () if s.fits("participle_of_others", start) else _subject_of(s, start)


def _subject_of(s: ParsedSentence, place: int, *, gerund: bool = False) -> Sequence[Reference]:
    """Return the subject of the verb group that begins at `place`; nothing if another noun is the subject.

    For a `gerund`, only the subject of a finite verb counts, because a participle may modify any noun.
    """
    at, attached = place - 1, True
    if not gerund and at not in s.references and s.is_a(at, "<unnamed>"):
        return ()
    if s.is_a(at, "who"):
        # Even if another verb governs the person: Redis was written by X, who works at Y.
        person = s.references.get(at - 2 if s.is_a(at - 1, ",") else at - 1)
        if person is not None and person.referent.type == "person":
            return s.list_before(person)
    while at >= max(0, place - MAX_LEFT) and not s.is_a(at, "<clause_bound>"):
        reference = s.references.get(at)
        if reference is None:
            # A name before one of these is the subject itself, not a modifier of the subject noun.
            passed = s.is_a(at, "<noun>", "<joiner>", "<auxiliary>", "<transparent>", "[adverb]")
            attached = s.is_a(at, "<barrier>", "<being>") or (attached and passed)
            at -= 1
        elif attached and s.says("of_a_kind", reference):
            return ()
        elif _is_subject(s, reference, attached=attached, gerund=gerund):
            return s.list_before(reference)
        else:
            at, attached = reference.first - 1, attached and not s.says("generic", reference)
    return ()


def _is_subject(s: ParsedSentence, reference: Reference, *, attached: bool, gerund: bool) -> bool:
    works = gerund and reference.first == 0 and reference.referent.type in {"technology", "project"}
    if not (attached or works) or s.says("generic", reference) or s.says("predicate_name", reference):
        return False
    return not (gerund and not s.acts(reference)) and not s.is_governed(reference)


def _objects(s: ParsedSentence, place: int, word: RelationWord) -> Sequence[Reference]:
    """Return the objects of the word at `place`, without names that only modify another noun."""
    at = place + 1
    if word.prepositions:
        at = s.past(at, 1, "[adverb]") + 1
        if not s.is_a(at - 1, *word.prepositions):
            return ()
    return [item for item in _right(s, at) if not _is_attribute(s, item, word.relation)]


def _right(s: ParsedSentence, place: int) -> Sequence[Reference]:
    """Return the objects, from `place` on, of the words before it; none if another noun is the object."""
    at = place
    while at < place + MAX_RIGHT:
        reference = s.references.get(at)
        if reference is None:
            if not s.fits("before_object", at):
                return ()
            at += 1
        elif s.is_a(reference.last, "<through>", "<possessive>"):
            at = reference.last + (2 if s.is_a(reference.last + 1, "of") else 1)
        else:
            return s.list_after(s.named_by(reference))
    return ()


def _noun(s: ParsedSentence, place: int, word: RelationWord) -> Iterator[Statement]:
    """X is the author of Y; X is a Debian contributor; X is a Y-based thing."""
    attribute = s.references.get(s.past(place - 1, -1, "<role>"))
    first = place if attribute is None else attribute.first
    being = next((before + 1 for _, before, _ in s.fitting("predicate_of", first)), -1)
    denied = being >= 0 and any(_denies(s, at) for at in range(being + 1, place))
    denied = denied or s.is_a(s.past(first - 1, -1, "<role>", "[adverb]"), "<former>")
    if denied or (word.predicate and being < 0) or s.fits("governed_noun", first):
        return iter(())
    objects = _objects(s, place, word) if word.prepositions else [attribute] if attribute else ()
    return _combine(s, _subject_of(s, first), word, objects, word.form)


def _between(s: ParsedSentence, place: int, word: RelationWord) -> Iterator[Statement]:
    """X from the organisation Y; the Y module by X; X's Y."""
    behind = s.references.get(place + 1)
    before = s.headed(place - 1) if word.form == "by" else s.references.get(place - 1)
    if before is None or behind is None or (word.form == "by" and s.says("ingredient", before)):
        return iter(())
    ends = (_right(s, place + 1), [before]) if word.form == "by" else ([before], [behind])
    return _combine(s, ends[0], word, ends[1], word.form)


def _combine(
    s: ParsedSentence, sources: Sequence[Reference], word: RelationWord, targets: Sequence[Reference], way: str
) -> Iterator[Statement]:
    """Yield the relation between each source and each target of the types that it allows."""
    confidence = relations().confidence
    for source in (source for source in sources if not s.says("no_end", source)):
        for target in targets:
            ends = (source.referent, target.referent)
            fits = ends[0] is not ends[1] and ends[0].type in word.sources and ends[1].type in word.targets
            if fits and not s.says("no_object", target):
                guess = confidence["guess"] if min(end.confidence for end in ends) < GUESS else 1.0
                sure = round(confidence[way] * source.certainty * target.certainty * guess, 3)
                yield Statement(ends[0], word.relation, ends[1], sure, word.label)


def _is_attribute(s: ParsedSentence, reference: Reference, relation: RelationType) -> bool:
    """Return whether a name only modifies the noun after it, which is the end of the relation: wrote the Debian handbook."""
    # Using a part of a thing means using the thing: uses the Debian handbook.
    cue = "attribute_of_part" if relation in {"USES", "DEPENDS_ON"} else "attribute_of_whole"
    return s.says("attribute", reference) or s.says(cue, reference)


def _verb_start(s: ParsedSentence, place: int) -> int:
    """Return where the group of the verb at `place` begins: at the first of its auxiliaries and adverbs."""
    return s.past(place - 1, -1, "<auxiliary>", "<negation>", "<only>", "<hedge>", "[adverb]") + 1


def _denies(s: ParsedSentence, place: int) -> bool:
    """Return whether a word of a verb group negates the verb or makes it doubtful: never, almost, allegedly."""
    negated = s.is_a(place, "<negation>") and not s.is_a(place + 1, "<only>")
    return negated or (s.is_a(place, "<hedge>") and not s.is_a(place + 1, "[adverb]"))
