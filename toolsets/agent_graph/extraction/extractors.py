"""The extractors: the rules, the rules with names found by spaCy, and a language model before either of them."""

import logging
import re
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock
from typing import Annotated, Protocol, TypeAlias, cast

from pydantic import BaseModel, Field, StringConstraints

from backends.ports.text import normalized, shadow
from toolsets.agent_graph.extraction.lexicon import read_lexicon, spacy_types
from toolsets.agent_graph.extraction.model import EntityType, Extraction, Extractor, NamedEntity, Relation, RelationType
from toolsets.agent_graph.extraction.rules import FoundName, read
from toolsets.concurrency import BoundedThreads
from toolsets.language import TIMEOUT_S, LanguageSource, NoAnswer, ask_about

CONFIDENCE = 0.75
"""The confidence of all that a model states: it is right more often than the weaker rules, but does not rate its answers."""
Stopped: TypeAlias = Callable[[], bool]
"""Returns whether the caller was cancelled; may be called from any thread."""
READERS = 3
"""The most texts read at the same time."""
_UNUSED = ("parser", "lemmatizer", "attribute_ruler", "tagger", "senter")
_threads = BoundedThreads("readers of texts", READERS)
_WORD = re.compile(r"\w+|[^\w\s]")
_Name: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
_logger = logging.getLogger(__name__)


class _Span(Protocol):
    start_char: int
    end_char: int
    label_: str


class _Doc(Protocol):
    ents: Sequence[_Span]


def choose_extractor(language: LanguageSource, *, spacy_pipeline: str | None = None) -> Extractor:
    """Return the extractor for the settings: the language model, and the rules in case it gives no usable answer.

    If `spacy_pipeline` is given, the rules use the names that it finds. Raises `ValueError` with instructions if the
    pipeline is not installed.
    """
    if spacy_pipeline is not None:
        check_pipeline(spacy_pipeline)
    return ModelExtractor(language, RuleExtractor(spacy_pipeline))


def check_pipeline(pipeline: str) -> None:
    """Raise `ValueError` with instructions if spaCy or the pipeline is not installed; loads neither."""
    if find_spec("spacy") is None:
        raise ValueError('spaCy is not installed; run: pip install "entrepot[spacy]"')
    if not Path(pipeline).is_dir() and (not pipeline.isidentifier() or find_spec(pipeline) is None):
        raise ValueError(f"the spaCy pipeline {pipeline!r} is neither an installed package nor a folder")


async def run_stoppable(work: Callable[[Stopped], Extraction]) -> Extraction:
    """Return the result of `work`, run in a thread. On cancellation `work` is notified and not awaited."""
    stop = Event()
    try:
        return await _threads.run(partial(work, stop.is_set), abandon=True)
    finally:
        stop.set()


class RuleExtractor:
    """Reads English prose by rules, with the names that a spaCy pipeline finds if one is given.

    `spacy_pipeline` is a package or a folder; the pipeline is loaded for the first text.
    """

    def __init__(self, spacy_pipeline: str | None = None) -> None:
        self._name = spacy_pipeline
        self._turn = Lock()

    async def extract(self, text: str) -> Extraction:
        """Return the entities and relations of `text`; see `Extractor`."""
        return await run_stoppable(partial(self._read, text))

    def _read(self, text: str, stopped: Stopped) -> Extraction:
        # A combining mark ends a word of the rules, so a letter and its accent have to be one character.
        composed = normalized(text, "NFC")
        return read(composed, self._names(composed, stopped), stopped=stopped)

    def _names(self, text: str, stopped: Stopped) -> list[FoundName]:
        if self._name is None:
            return []
        types = spacy_types()
        with self._turn:
            spans = () if stopped() else self._pipeline(text).ents
            return [FoundName(at.start_char, at.end_char, types[at.label_]) for at in spans if at.label_ in types]

    @cached_property
    def _pipeline(self) -> Callable[[str], _Doc]:
        load = cast("Callable[..., Callable[[str], _Doc]]", import_module("spacy").load)
        return load(self._name, exclude=_UNUSED)


class _Thing(BaseModel, extra="forbid"):
    name: _Name
    type: EntityType
    aliases: list[_Name] = Field(default_factory=list[str])


class _ExtractedFact(BaseModel, extra="forbid"):
    source: _Name
    type: RelationType
    target: _Name
    label: str | None = None


class ExtractedGraph(BaseModel, extra="forbid"):
    """The form of answer that the model is asked for."""

    entities: list[_Thing]
    relations: list[_ExtractedFact]


class ModelExtractor:
    """Asks the model, accepts only names that occur in the text, and falls back to the rules."""

    def __init__(self, language: LanguageSource, offline: Extractor, *, timeout_s: float = TIMEOUT_S) -> None:
        self._language = language
        self._offline = offline
        self._timeout_s = timeout_s

    async def extract(self, text: str) -> Extraction:
        """Return the extraction of the model, or of the offline extractor if no model gives a usable answer in time."""
        try:
            instructions = read_lexicon("instructions.txt")
            answered = await ask_about(
                self._language, text, ExtractedGraph, instructions=instructions, timeout_s=self._timeout_s
            )
        except NoAnswer as error:
            _logger.warning("a text was read by the rules, %s", error)
            answered = None
        checked = None if answered is None else _checked(answered.value, text)
        return checked if checked is not None else await self._offline.extract(text)


def _checked(answer: ExtractedGraph, text: str) -> Extraction | None:
    """Return the extraction in an answer, without names that are not in the text; None if it has only such names."""
    words = _words_of(text)
    entities: list[NamedEntity] = []
    by_name: dict[str, str] = {}
    for thing in answer.entities:
        names: dict[str, str] = {}
        for name in (thing.name, *thing.aliases):
            if shadow(name) not in by_name and _words_of(name) in words:
                names.setdefault(shadow(name), name)
        if shadow(thing.name) in names:
            by_name.update(dict.fromkeys(names, thing.name))
            entities.append(NamedEntity(thing.name, thing.type, CONFIDENCE, tuple(names.values())[1:]))
    if answer.entities and not entities:
        _logger.warning("a text was read by the rules: the language model named nothing that is in it")
        return None
    relations: dict[tuple[str, str, str], Relation] = {}
    for fact in answer.relations:
        source, target = by_name.get(shadow(fact.source)), by_name.get(shadow(fact.target))
        if source is not None and target is not None and source != target:
            relation = Relation(source, fact.type, target, CONFIDENCE, (fact.label or "").strip()[:100] or None)
            relations.setdefault((source, fact.type, target), relation)
    return Extraction(tuple(entities), tuple(relations.values()))


def _words_of(text: str) -> str:
    """Return the words and marks of a text, case-folded, between single spaces, so that a name matches only whole words."""
    return f" {' '.join(_WORD.findall(shadow(text)))} "
