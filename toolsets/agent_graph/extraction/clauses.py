"""Extracts relations from the clauses of a sentence: finds the words of `relations.toml` with subject and object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolsets.agent_graph.extraction.lexicon import RelationWord, is_participle, relation_words, relations
from toolsets.agent_graph.extraction.model import RelationType
from toolsets.agent_graph.extraction.sentence import GUESS, MAX_WALK, Reference, Referent, Sentence

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


def statements(s: Sentence) -> Iterator[Statement]:
    """Yield the relations that the sentence states, in order; a question states none."""
    end = 0 if s.lower(len(s) - 1) == "?" else len(s)
    for place in range(end):
        for word in () if place in s.references else relation_words().get(s.lower(place), ()):
            stated = list(_stated(s, place, word))
            yield from stated
            if stated and word.form != "participle":
                break


def _stated(s: Sentence, place: int, word: RelationWord) -> Iterator[Statement]:
    forms = {"suffix": _suffixed, "noun": _noun, "role": _role}
    if word.form not in {"verb", "participle"}:
        return forms.get(word.form, _between)(s, place, word)
    start = _verb_start(s, place)
    if _is_denied(s, start, place):
        return iter(())
    being = any(s.is_a(at, "being") for at in range(start, place))
    if word.form == "participle":
        objects = _objects(s, place, word)
        return _say(s, _patients(s, start, (), being=being) if objects else (), word, objects, "participle")
    agents = _agents(s, place) if is_participle(s.lower(place)) and not word.prepositions else ()
    if agents:
        return _say(s, agents, word, _patients(s, start, agents, being=being), "passive")
    if being and not word.prepositions and not s.lower(place).endswith("ing"):
        return iter(())
    return _active(s, place, start, word)


def _is_denied(s: Sentence, start: int, place: int) -> bool:
    """Return whether what the verb at `place` says, whose group begins at `start`, is denied, doubted or only intended.

    The words that govern it count too: does *not* need to use, *plans* to use, *instead* of using.
    """
    for _ in range(MAX_GOVERNORS):
        governor = start - 2 if s.is_a(start - 1, "preposition") else start - 1
        if any(_denies(s, at) for at in range(start, place)):
            return True
        if governor == start - 1 and not s.lower(place).endswith("ing"):
            return False
        if s.is_a(governor, "unreal") or s.is_a(start - 1, "unreal"):
            return True
        start, place = _verb_start(s, governor), governor
    return False


def _active(s: Sentence, place: int, start: int, word: RelationWord) -> Iterator[Statement]:
    """X uses Y."""
    shared = s.is_a(start - 1, "clause_joiner")
    gerund = s.lower(place).endswith("ing") and not any(s.is_a(at, "auxiliary") for at in range(start, place))
    thanked = s.headed(start - 2) if gerund and s.lower(start - 1) == "for" else None
    if thanked is not None:
        s.subject = [thanked]
    elif s.lower(start - 1) == "to":
        s.subject = _subject_of(s, start - 2) if s.is_a(start - 2, "intend") else ()
    elif not shared:
        others = s.fits("gerund_of_others" if gerund else "clause_of_others", start)
        s.subject = () if others else _subject_of(s, start, gerund=gerund)
    return _say(s, s.subject, word, _objects(s, place, word), "shared" if shared else "active")


def _agents(s: Sentence, place: int) -> Sequence[Reference]:
    """Return the agent of the participle at `place`, if the sentence names it."""
    for _, _, behind in s.fitting("agent", place + 1):
        return [who for who in _right(s, behind) if not _is_attribute(s, who, "CREATED")]
    return ()


def _patients(s: Sentence, start: int, agents: Sequence[Reference], *, being: bool) -> Sequence[Reference]:
    """Return the subject of the participle; with a form of to be it is the subject of later verbs, too."""
    if s.is_a(start - 1, "clause_joiner"):
        return s.subject
    if being:
        s.subject = _subject_of(s, start)
        return s.subject
    if (apposed := _apposed(s, start - 1)) is not None:
        return [apposed]
    bracketed = s.lower(start - 1) == "("
    near = s.headed(start - 2 if bracketed else start - 1)
    by_makers = any(agent.referent.type in {"person", "organization"} for agent in agents)
    if near is None or s.says("of_a_kind", near):
        of_others = not by_makers and s.fits("participle_of_others", start)
        return () if bracketed or of_others else _subject_of(s, start)
    nearest = bracketed or (agents and not by_makers) or s.fits("of", near.first)
    if nearest and not s.says("predicate_name", near):
        return [near]
    return _subject_of(s, start) or ([near] if by_makers else [])


def _subject_of(s: Sentence, place: int, *, gerund: bool = False) -> Sequence[Reference]:
    """Return the subject of what begins at `place`; nothing when some other noun is the subject.

    With `gerund` only the subject of a finite verb will do, as the participle may belong to anything.
    """
    at, attached, relative = place - 1, True, place if s.is_a(place, "relative") else -1
    while at >= max(0, place - MAX_LEFT):
        reference = s.references.get(at)
        if reference is not None:
            if attached and _is_one_of_many(s, reference):
                return ()
            if _is_subject(s, reference, relative, attached=attached, gerund=gerund):
                return s.list_before(reference)
            at, attached = reference.first - 1, attached and _stands_alone(s, reference)
            continue
        if s.is_a(at, "clause_bound") or (s.is_a(at, "relative") and relative >= 0):
            return ()
        if s.lower(at) == ")":
            opening = (far for far in range(at - 1, max(-1, place - MAX_LEFT), -1) if s.lower(far) == "(")
            at = next(opening, at)
        relative = at if s.is_a(at, "relative") else relative
        attached = _is_attached(s, at, attached=attached)
        at -= 1
    return ()


def _is_subject(s: Sentence, reference: Reference, relative: int, *, attached: bool, gerund: bool) -> bool:
    works = gerund and reference.first == 0 and reference.referent.type in {"technology", "project"}
    if not (attached or works) or not _stands_alone(s, reference) or s.says("predicate_name", reference):
        return False
    if gerund and not s.acts(reference):
        return False
    governor = s.preposition_of(reference) or s.preposition_of(s.list_before(reference)[0])
    named = relative - 1 == reference.last and s.lower(reference.last) == ","
    return not governor or (named and governor not in {"for", "with", "to"})


def _stands_alone(s: Sentence, reference: Reference) -> bool:
    """Return whether a name is more than a modifier of what follows it."""
    return not s.fits("attribute_mark", reference.last) and not s.says("generic", reference)


def _predicate(s: Sentence, place: int) -> int:
    """Return the place of the form of to be whose predicate is the noun phrase at `place`, -1 if there is none."""
    return next((before + 1 for _, before, _ in s.fitting("predicate_of", place)), -1)


def _is_attached(s: Sentence, at: int, *, attached: bool) -> bool:
    """Return whether a name before `at` is the subject itself, not only a part of the subject noun."""
    if s.lower(at) == "," and at - 1 in s.references and at + 1 in s.references:
        return attached
    if s.is_a(at, "barrier", "being"):
        return True
    return attached and (s.is_a(at, "noun", "joiner", "auxiliary", "transparent") or s.is_adverb(at))


def _objects(s: Sentence, place: int, word: RelationWord) -> Sequence[Reference]:
    """Return the objects of the word at `place` that do not only modify another noun."""
    at = place + 1
    if word.prepositions:
        while s.is_adverb(at) and at < place + 3:
            at += 1
        if s.lower(at) not in word.prepositions:
            return ()
        at += 3 if (s.lower(at + 1), s.lower(at + 2)) == ("top", "of") else 1
    return [item for item in _right(s, at) if not _is_attribute(s, item, word.relation)]


def _right(s: Sentence, place: int) -> Sequence[Reference]:
    """Return the object of what ends before `place`; nothing if another noun is the object."""
    at = place
    while at < place + MAX_RIGHT:
        reference = s.references.get(at)
        if reference is None:
            if (at == place and s.lower(at) == ",") or not s.fits("before_object", at):
                return ()
            at += 1
        elif s.is_a(reference.last, "through", "possessive"):
            at = reference.last + (2 if s.lower(reference.last + 1) == "of" else 1)
        else:
            return () if at > place and s.acts(reference) else s.list_after(s.named_by(reference))
    return ()


def _suffixed(s: Sentence, place: int, word: RelationWord) -> Iterator[Statement]:
    """X is a Y-based thing."""
    base = s.references.get(place - 1)
    being = -1 if base is None else _predicate(s, base.first)
    return _say(s, _subject_of(s, being) if being >= 0 else (), word, [base] if base else (), "participle")


def _noun(s: Sentence, place: int, word: RelationWord) -> Iterator[Statement]:
    """X is the author of Y; X succeeded Z as the author of Y."""
    attribute = s.references.get(place - 1)
    first = place if attribute is None else attribute.first
    being = _predicate(s, first)
    denied = being >= 0 and any(_denies(s, at) for at in range(being + 1, place))
    if denied or s.fits("governed_noun", first):
        return iter(())
    succession = next((before + 1 for _, before, _ in s.fitting("succession", first)), None)
    apposed = _apposed(s, first - 1)
    subject = _subject_of(s, first if succession is None else _verb_start(s, succession))
    return _say(s, subject if apposed is None else [apposed], word, _objects(s, place, word), "noun")


def _role(s: Sentence, place: int, word: RelationWord) -> Iterator[Statement]:
    """X is a Debian contributor; Debian contributor X."""
    whole = s.references.get(s.past(place - 1, -1, "role"))
    bearer = s.references.get(place + 1)
    if whole is None or (word.relation == "RELATED_TO" and _predicate(s, whole.first) < 0):
        return iter(())
    named = bearer is not None and bearer.referent.type == "person"
    return _say(s, [bearer] if bearer and named else _subject_of(s, whole.first), word, [whole], "role")


def _between(s: Sentence, place: int, word: RelationWord) -> Iterator[Statement]:
    """X from the organisation Y; the Y module by X; X's Y; X and his Y project."""
    behind = s.references.get(place + 2 if s.lower(place + 1) == "the" else place + 1)
    before = s.headed(place - 1) if word.form == "by" else s.references.get(place - 1)
    if s.lower(place) in {"his", "her"}:
        near = (s.references.get(at) for at in range(place - 1, max(-1, place - MAX_LEFT), -1))
        before = next((named for named in near if named is not None and named.referent.type == "person"), None)
    if before is None or behind is None:
        return iter(())
    if word.form == "by":
        done = any(is_participle(s.lower(at)) for at in range(before.first - 3, before.first))
        authors = _right(s, place + 1) if s.preposition_of(before) in {"", "for", "of"} and not done else ()
        return _say(s, [who for who in authors if not _is_attribute(s, who, "CREATED")], word, [before], "from")
    stated = word.form == "of" or s.fits("possessed", behind.last)
    return _say(s, [before] if stated else (), word, [behind], "from" if word.form == "of" else "possessive")


def _say(
    s: Sentence, sources: Sequence[Reference], word: RelationWord, targets: Sequence[Reference], way: str
) -> Iterator[Statement]:
    """Yield the relation between each of `sources` and each of `targets` whose types it allows."""
    confidence = relations().confidence
    for source in (source for source in sources if not s.says("no_end", source)):
        for target in targets:
            ends = (source.referent, target.referent)
            fits = ends[0] is not ends[1] and ends[0].type in word.sources and ends[1].type in word.targets
            if fits and not s.says("no_end", target) and not s.says("no_object", target):
                guess = confidence["guess"] if min(end.confidence for end in ends) < GUESS else 1.0
                sure = round(confidence[way] * source.certainty * target.certainty * guess, 3)
                yield Statement(ends[0], word.relation, ends[1], sure, word.label)


def _is_one_of_many(s: Sentence, reference: Reference) -> bool:
    """Return whether the noun behind a name is the subject, not the name: *Java* applications use, *a* Python parser."""
    generic = s.says("generic", reference) and not s.preposition_of(reference)
    return s.says("of_a_kind", reference) or (generic and not s.says("predicate_name", reference))


def _is_attribute(s: Sentence, reference: Reference, relation: RelationType) -> bool:
    """Return whether a name only modifies the noun after it, which is the end of the relation: Debian packages."""
    # Who uses a part of a thing uses the thing: uses Debian packages.
    cue = "attribute_of_part" if relation in {"USES", "DEPENDS_ON"} else "attribute_of_whole"
    return s.says("attribute", reference) or s.says(cue, reference)


def _apposed(s: Sentence, place: int) -> Reference | None:
    """Return the reference that the noun phrase around `place` explains: with *X*, a parser for Y."""
    commas = (before for _, before, _ in s.fitting("apposition", place + 1))
    return next((s.headed(s.past(comma, -1, "quote")) for comma in commas), None)


def _verb_start(s: Sentence, place: int) -> int:
    """Return the beginning of the verb group at `place`: its auxiliaries and adverbs before it."""
    at = place - 1
    while at > place - MAX_WALK and (s.is_a(at, "auxiliary", "negation", "hedge") or s.is_adverb(at)):
        at -= 1
    return at + 1


def _denies(s: Sentence, place: int) -> bool:
    """Return whether a word of a verb group cancels the verb: never, almost, allegedly."""
    return s.is_a(place, "negation") or (s.is_a(place, "hedge") and not s.is_adverb(place + 1))
