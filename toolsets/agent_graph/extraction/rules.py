"""Extracts by rules alone: no model, no network, the same result each time."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from toolsets.agent_graph.extraction.clauses import Statement, statements
from toolsets.agent_graph.extraction.coreference import Discourse
from toolsets.agent_graph.extraction.model import EntityType, Extraction, Relation, RelationType
from toolsets.agent_graph.extraction.names import enter_names
from toolsets.agent_graph.extraction.negation import without_negated_parts
from toolsets.agent_graph.extraction.sentence import ParsedSentence, Referent
from toolsets.agent_graph.extraction.tokens import sentences

MAX_RELATIONS = 4_000
"""The relations after which reading ends; one write cannot store more."""
MAX_EFFORT = 510_000
"""The work after which reading ends: that of 256 kB of dense prose, or of less text that is only marks, names or verbs."""
SENTENCE_EFFORT, NEW_EFFORT = 30, 20
"""The work of a sentence in addition to its words, and of a word that is new in the text, in the unit of `Word.effort`."""
GIVEN, SHAPED = 0.8, 0.65
"""The confidence of a name found by another reader, and the highest confidence of a name that it replaces."""
_Key: TypeAlias = tuple[Referent, RelationType, Referent]


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name that another reader found: characters `start` up to `end`."""

    start: int
    end: int
    type: EntityType


def read(text: str, found: Sequence[FoundName] = (), *, stopped: Callable[[], bool] = lambda: False) -> Extraction:
    """Return the entities and relations of `text`, which is in NFC. Blocks; the time is linear in the length of the text.

    `found` are names found by another reader, in order and without overlap; they replace names that the rules guess.
    Reading ends after the sentence that exceeds `MAX_RELATIONS` or `MAX_EFFORT`, or when `stopped` returns True; then
    the extraction is not `complete`.
    """
    waiting = deque(found)
    discourse = Discourse()
    stated: dict[_Key, Statement] = {}
    effort, known = 0, set[str]()
    for tokens in sentences(text):
        if stopped() or len(stated) > MAX_RELATIONS or effort > MAX_EFFORT:
            return Extraction(discourse.entities(), _relations(stated), complete=False)
        sentence = ParsedSentence(text, tokens, discourse.persons)
        enter_names(sentence)
        _enter_found(sentence, waiting)
        discourse.resolve(sentence)
        for statement in statements(without_negated_parts(sentence)):
            _keep_surest(stated, statement)
        new = {token.word.text for token in tokens} - known
        known |= new
        effort += SENTENCE_EFFORT + sum(token.word.effort for token in tokens) + NEW_EFFORT * len(new)
    return Extraction(discourse.entities(), _relations(stated))


def _enter_found(sentence: ParsedSentence, waiting: deque[FoundName]) -> None:
    """Enter the other reader's names in the sentence where the rules have no name or only a guess."""
    starts = {token.start: place for place, token in enumerate(sentence.tokens)} if waiting else {}
    while waiting and waiting[0].start < sentence.tokens[-1].end:
        name = waiting.popleft()
        place = starts.get(name.start, len(sentence))
        last = sum(token.end <= name.end for token in sentence.tokens)
        if last > place:
            sentence.enter([sentence.mention(place, last, name.type, GIVEN)], over=SHAPED)


def _relations(stated: Mapping[_Key, Statement]) -> tuple[Relation, ...]:
    """Return the relations in the order of their first statement, each once, without those from a thing to itself."""
    final: dict[_Key, Statement] = {}
    for statement in stated.values():
        source, target = statement.source.final(), statement.target.final()
        if source is not target:
            _keep_surest(final, replace(statement, source=source, target=target))
    return tuple(Relation(s.source.name, s.relation, s.target.name, s.confidence, s.label) for s in final.values())


def _keep_surest(stated: dict[_Key, Statement], statement: Statement) -> None:
    key = (statement.source, statement.relation, statement.target)
    if key not in stated or statement.confidence > stated[key].confidence:
        stated[key] = statement
