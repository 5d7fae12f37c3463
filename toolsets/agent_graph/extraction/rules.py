"""Extracts by rules alone: no model, no network, the same result each time."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from toolsets.agent_graph.extraction.clauses import Statement, statements
from toolsets.agent_graph.extraction.coreference import Discourse
from toolsets.agent_graph.extraction.model import EntityType, Extraction, Relation, RelationType
from toolsets.agent_graph.extraction.names import enter_names
from toolsets.agent_graph.extraction.negation import affirmed
from toolsets.agent_graph.extraction.sentence import Referent, Sentence
from toolsets.agent_graph.extraction.tokens import sentences

MAX_RELATIONS = 4_000
"""More relations than can be stored at once; a text that states so many is not read to its end."""
MAX_EFFORT = 530_000
"""The work of 256 kB of dense prose; a text of only marks, names or verbs is not read beyond it."""
SENTENCE_EFFORT, NEW_EFFORT = 20, 20
"""The work of a sentence besides its words, and of a word that the text did not have before, in the unit of `Word.effort`."""
GIVEN, SHAPED = 0.8, 0.65
"""The confidence of a name of another reader, and the highest confidence of a name that it may replace."""
_Key: TypeAlias = tuple[Referent, RelationType, Referent]


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
    said: dict[_Key, Statement] = {}
    effort, met = 0, set[str]()
    for tokens in sentences(text):
        if stopped() or len(said) > MAX_RELATIONS or effort > MAX_EFFORT:
            return Extraction(discourse.entities(), _relations(said), complete=False)
        sentence = Sentence(text, tokens, discourse.persons)
        enter_names(sentence)
        _enter_found(sentence, waiting)
        discourse.resolve(sentence)
        for statement in statements(affirmed(sentence)):
            _keep_surest(said, statement)
        new = {token.word.text for token in tokens} - met
        met |= new
        effort += SENTENCE_EFFORT + sum(token.word.effort for token in tokens) + NEW_EFFORT * len(new)
    return Extraction(discourse.entities(), _relations(said))


def _enter_found(sentence: Sentence, waiting: deque[FoundName]) -> None:
    """Enter the names of another reader that lie in the sentence, where the rules have none or only guess."""
    starts = {token.start: place for place, token in enumerate(sentence.tokens)} if waiting else {}
    while waiting and waiting[0].start < sentence.tokens[-1].end:
        name = waiting.popleft()
        place = starts.get(name.start, len(sentence))
        last = sum(token.end <= name.end for token in sentence.tokens)
        if last > place:
            sentence.enter([sentence.mention(place, last, name.type, GIVEN)], over=SHAPED)


def _relations(said: Mapping[_Key, Statement]) -> tuple[Relation, ...]:
    """Return what was stated in order, each relation once; of two things that turned out to be one, none."""
    final: dict[_Key, Statement] = {}
    for statement in said.values():
        source, target = statement.source.final(), statement.target.final()
        if source is not target:
            _keep_surest(final, replace(statement, source=source, target=target))
    return tuple(Relation(s.source.name, s.relation, s.target.name, s.confidence, s.label) for s in final.values())


def _keep_surest(said: dict[_Key, Statement], statement: Statement) -> None:
    key = (statement.source, statement.relation, statement.target)
    if key not in said or statement.confidence > said[key].confidence:
        said[key] = statement
