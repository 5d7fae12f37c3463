"""Reads texts by rules alone: no model, no network, the same answer each time."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from toolsets.agent_graph.extraction.aliases import aliases
from toolsets.agent_graph.extraction.cast import Cast, Member, final
from toolsets.agent_graph.extraction.denial import affirmed
from toolsets.agent_graph.extraction.kinds import SHAPED, TOLD, read_run
from toolsets.agent_graph.extraction.lexicon import lexicon
from toolsets.agent_graph.extraction.model import EntityType, Extraction, Relation, RelationType
from toolsets.agent_graph.extraction.phrases import Unit
from toolsets.agent_graph.extraction.quiet import coded_names, listed_names, uncapitalised_names
from toolsets.agent_graph.extraction.runs import runs
from toolsets.agent_graph.extraction.scene import Scene
from toolsets.agent_graph.extraction.sentence import Mention, Sentence
from toolsets.agent_graph.extraction.statements import Reader, Statement
from toolsets.agent_graph.extraction.stopping import Stopped, never, stoppable
from toolsets.agent_graph.extraction.tokens import sentences
from toolsets.agent_graph.extraction.words import ARTICLES, PREPOSITIONS, SUBORDINATORS

PRONOUN = 0.85
"""What is left of a statement's confidence for each end that is a pronoun."""
MAX_RELATIONS = 4_000
"""More than can be stored at once: a text that states so many is not read to its end."""


class RuleExtractor:
    """Reads English prose by word lists, the shapes of names and the words that state relations."""

    async def extract(self, text: str) -> Extraction:
        """Return what `text` says; see `Extractor`."""
        return await stoppable(lambda stopped: read(text, stopped=stopped))


@dataclass(frozen=True, slots=True)
class Told:
    """A name that another reader found: characters `start` up to `end`."""

    start: int
    end: int
    type: EntityType


def read(text: str, told: Sequence[Told] = (), *, stopped: Stopped = never) -> Extraction:
    """Return what `text` says. Blocking; the time is linear in the length of the text.

    `told` are names found by another reader, in order and apart from one another; they replace what the rules
    only guess, not what they are sure of. Reading ends with the sentence in which more than `MAX_RELATIONS` are
    stated, or before which `stopped` says so; the rest is left out.
    """
    waiting = deque(told)
    cast = Cast()
    statements = _Statements()
    for tokens in sentences(text):
        if stopped() or statements.too_many():
            break
        sentence = Sentence(text, tokens, lexicon(), cast.persons)
        _name(sentence)
        _tell(sentence, waiting)
        statements.add(Reader(affirmed(_scene(sentence, cast))).statements())
    return Extraction(cast.entities(), statements.relations())


class _Statements:
    """What a text has stated so far, each thing once and as sure as it was ever said."""

    def __init__(self) -> None:
        self._said: dict[tuple[Member, RelationType, Member], Statement] = {}
        self._room = MAX_RELATIONS

    def add(self, statements: Iterable[Statement]) -> None:
        for said in statements:
            key = (said.source, said.relation, said.target)
            known = self._said.get(key)
            if known is None or said.confidence > known.confidence:
                self._said[key] = said

    def too_many(self) -> bool:
        """Say whether more than `MAX_RELATIONS` are left when things that turned out to be one are counted as one."""
        if len(self._said) <= self._room:
            return False
        # Counting takes as long as there are statements, so the next time waits until they are twice as many.
        self._room = 2 * len(self._said)
        return len(self.relations()) > MAX_RELATIONS

    def relations(self) -> tuple[Relation, ...]:
        """Return the relations that the statements amount to, in the order of their statement."""
        return _relations(self._said.values())


def _name(sentence: Sentence) -> None:
    """Enter all mentions of a sentence; what an earlier rule claimed stays its own."""
    _enter(sentence, coded_names(sentence))
    for first, last in runs(sentence):
        _enter(sentence, read_run(sentence, first, last))
    _enter(sentence, listed_names(sentence))
    _enter(sentence, uncapitalised_names(sentence))


def _tell(sentence: Sentence, waiting: deque[Told]) -> None:
    """Enter the names of another reader that lie in the sentence, where the rules have none or only guess."""
    place = 0
    while waiting and waiting[0].start < sentence.tokens[-1].end:
        told = waiting.popleft()
        while place < len(sentence) and sentence.tokens[place].start < told.start:
            place += 1
        last = place
        while last < len(sentence) and sentence.tokens[last].end <= told.end:
            last += 1
        if last > place and sentence.tokens[place].start == told.start:
            mention = Mention(place, last, sentence.name(place, last), told.type, TOLD)
            rivals = {rival for rival in sentence.owner[place:last] if rival is not None}
            if all(rival.confidence <= SHAPED for rival in rivals):
                for rival in rivals:
                    sentence.drop(rival)
                sentence.add(mention)


def _enter(sentence: Sentence, mentions: Iterable[Mention]) -> None:
    for mention in mentions:
        if all(sentence.free(place) for place in range(mention.first, mention.last)):
            sentence.add(mention)


def _scene(sentence: Sentence, cast: Cast) -> Scene:
    """Return the sentence with everything in it that stands for somebody or something."""
    known_as = dict((later, earlier) for earlier, later in aliases(sentence))
    members: dict[Mention, Member] = {}
    units: dict[int, Unit] = {}
    opener: Unit | None = None
    before = cast.latest_thing()
    for place in range(len(sentence)):
        mention = sentence.owner[place]
        if mention is None:
            unit = _it(sentence, place, cast, before, opener) or _pronoun(sentence, place, cast)
        elif place == mention.first:
            members[mention] = member = cast.resolve(mention)
            for inner in mention.inner:
                cast.resolve(inner)
            if mention.inner:
                cast.refocus(member)
            if mention in known_as:
                cast.alias(final(members[known_as[mention]]), member)
            unit = Unit(mention.first, mention.last, final(member))
        else:
            continue
        if unit is not None:
            units.update(dict.fromkeys(range(unit.first, unit.last), unit))
            if unit.first == 0 or (unit.first == 1 and sentence.lower(0) in ARTICLES):
                opener = unit
                cast.speak_of(unit.member)
    if opener is None:
        cast.speak_of(None)
    return Scene(sentence, units)


def _it(sentence: Sentence, place: int, cast: Cast, before: Member | None, opener: Unit | None) -> Unit | None:
    """Return what `it` stands for, if that is clear.

    `before` is what it would have meant before the sentence: On Windows, *it* uses X. What was only mentioned in the
    sentence may be anything: It supports X, as *it* uses Y.
    """
    if sentence.lower(place) != "it":
        return None
    told_where = sentence.lower(0) in PREPOSITIONS and sentence.word(place - 1) == ","
    member = before if told_where else cast.latest_thing()
    if member is not before and opener is None and sentence.lower(0) not in SUBORDINATORS:
        return None
    return None if member is None else Unit(place, place + 1, final(member), PRONOUN)


def _pronoun(sentence: Sentence, place: int, cast: Cast) -> Unit | None:
    """Return whom a pronoun, or "the team" and the like, stands for: the one of its kind who was named last."""
    word = sentence.lower(place)
    before = sentence.lower(place - 1)
    if word in {"he", "she"}:
        member, first = cast.latest("person"), place
    elif word in {"team", "project"} and before in {"the", "this"}:
        member, first = cast.latest("project", "technology", "organization"), place - 1
    elif word in {"company", "foundation", "organization", "organisation"} and before in {"the", "this"}:
        member, first = cast.latest("organization"), place - 1
    else:
        return None
    return None if member is None else Unit(first, place + 1, final(member), PRONOUN)


def _relations(statements: Iterable[Statement]) -> tuple[Relation, ...]:
    """Return the statements with names for ends, each relation once and as sure as its surest statement."""
    found: dict[tuple[str, str, str], Relation] = {}
    for relation in _named(statements):
        key = (relation.source, relation.type, relation.target)
        known = found.get(key)
        if known is None or relation.confidence > known.confidence:
            found[key] = relation
    return tuple(found.values())


def _named(statements: Iterable[Statement]) -> Iterator[Relation]:
    for said in statements:
        source, target = final(said.source), final(said.target)
        if source is not target:
            yield Relation(source.name, said.relation, target.name, said.confidence, said.label)
