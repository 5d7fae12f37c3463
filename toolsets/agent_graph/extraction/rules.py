"""Extracts by rules alone: no model, no network, the same result each time."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from toolsets.agent_graph.extraction.clauses import Statement, statements
from toolsets.agent_graph.extraction.coreference import Discourse
from toolsets.agent_graph.extraction.lexicon import relation_words
from toolsets.agent_graph.extraction.model import EntityType, Extraction, Relation, RelationType
from toolsets.agent_graph.extraction.names import enter_names
from toolsets.agent_graph.extraction.negation import affirmed
from toolsets.agent_graph.extraction.sentence import Referent, Sentence
from toolsets.agent_graph.extraction.tokens import Token, sentences

MAX_RELATIONS = 4_000
"""More relations than can be stored at once; a text that states so many is not read to its end."""
MAX_EFFORT = 240_000
"""The work of 256 kB of dense prose, in 4 microseconds; a text of only marks, names or verbs is not read beyond it."""
WORD_EFFORT, SENTENCE_EFFORT, NAME_EFFORT, VERB_EFFORT = 2, 6, 12, 6
"""The measured work of a word or mark, and of a sentence, a name and a relation word besides."""
_Key: TypeAlias = tuple[Referent, RelationType, Referent]
GIVEN, SHAPED = 0.8, 0.65
"""The confidence of a name of another reader, and the highest confidence of a name that it may replace."""


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name that another reader found: characters `start` up to `end`."""

    start: int
    end: int
    type: EntityType


def read(text: str, found: Sequence[FoundName] = (), *, stopped: Callable[[], bool] = lambda: False) -> Extraction:
    """Return what `text` says. Blocking; the time is linear in the length of the text.

    `found` are names found by another reader, in order and apart from one another; they replace what the rules
    only guess, not what they are sure of. Reading ends with the sentence in which more than `MAX_RELATIONS` are
    stated or `MAX_EFFORT` is spent, or before which `stopped` says so; the rest is left out.
    """
    waiting = deque(found)
    discourse = Discourse()
    said = _Statements()
    effort = 0
    for tokens in sentences(text):
        if stopped() or said.are_too_many() or effort > MAX_EFFORT:
            return Extraction(discourse.entities(), said.relations(), complete=False)
        sentence = Sentence(text, tokens, discourse.persons)
        enter_names(sentence)
        _enter_found(sentence, waiting)
        effort += _effort(tokens)
        discourse.resolve(sentence)
        said.add(statements(affirmed(sentence)))
    return Extraction(discourse.entities(), said.relations())


def _effort(tokens: Sequence[Token]) -> int:
    """Return the estimated work of a sentence; a name is a run of capitalised words."""
    names = tokens[0].capital + sum(token.capital and not former.capital for former, token in pairwise(tokens))
    verbs = sum(token.lower in relation_words() for token in tokens)
    marks = sum(not token.word for token in tokens)
    return SENTENCE_EFFORT + WORD_EFFORT * len(tokens) + 2 * marks + NAME_EFFORT * names + VERB_EFFORT * verbs


def _enter_found(sentence: Sentence, waiting: deque[FoundName]) -> None:
    """Enter the names of another reader that lie in the sentence, where the rules have none or only guess."""
    if not waiting:
        return
    starts = {token.start: place for place, token in enumerate(sentence.tokens)}
    while waiting and waiting[0].start < sentence.tokens[-1].end:
        name = waiting.popleft()
        place = starts.get(name.start)
        if place is None:
            continue
        last = sum(token.end <= name.end for token in sentence.tokens)
        rivals = {rival for rival in sentence.owner[place:last] if rival is not None}
        if last > place and all(rival.confidence <= SHAPED for rival in rivals):
            sentence.owner = [None if owner in rivals else owner for owner in sentence.owner]
            sentence.enter([sentence.mention(place, last, name.type, GIVEN)])


class _Statements:
    """The statements of a text so far, each once and with its highest confidence."""

    def __init__(self) -> None:
        self._said: dict[_Key, Statement] = {}
        self._room = MAX_RELATIONS

    def add(self, statements: Iterable[Statement]) -> None:
        for said in statements:
            _keep_surest(self._said, (said.source, said.relation, said.target), said)

    def are_too_many(self) -> bool:
        """Return whether more than `MAX_RELATIONS` are left when things that turned out to be one are counted as one."""
        if len(self._said) <= self._room:
            return False
        # Counting takes as long as there are statements, so the next time waits until they are twice as many.
        self._room = 2 * len(self._said)
        return len(self.relations()) > MAX_RELATIONS

    def relations(self) -> tuple[Relation, ...]:
        """Return the relations of the statements, in order."""
        final: dict[_Key, Statement] = {}
        for said in self._said.values():
            source, target = said.source.final(), said.target.final()
            if source is not target:
                _keep_surest(final, (source, said.relation, target), said)
        return tuple(
            Relation(source.name, kind, target.name, said.confidence, said.label)
            for (source, kind, target), said in final.items()
        )


def _keep_surest(said: dict[_Key, Statement], key: _Key, statement: Statement) -> None:
    if key not in said or statement.confidence > said[key].confidence:
        said[key] = statement
