"""Extracts with a language model, or by the rules if the model is unavailable, slow or unusable."""

import logging
from typing import Annotated, TypeAlias

from pydantic import BaseModel, Field

from backends.ports.text import shadow
from toolsets.agent_graph.extraction.lexicon import read_lexicon
from toolsets.agent_graph.extraction.model import Entity, EntityType, Extraction, Extractor, Relation, RelationType
from toolsets.language import TIMEOUT_S, LanguageSource, NoAnswer, ask_about

CONFIDENCE = 0.75
"""The confidence of everything a model states: it is right more often than the weaker rules, and cannot tell when."""

_logger = logging.getLogger(__name__)

_Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=500)]


class _Thing(BaseModel, extra="forbid"):
    name: _Name
    type: EntityType
    aliases: list[_Name] = Field(default_factory=list[str])


class _Fact(BaseModel, extra="forbid"):
    source: _Name
    type: RelationType
    target: _Name
    label: str | None = None


class ExtractedGraph(BaseModel, extra="forbid"):
    """The shape that the model is asked for."""

    entities: list[_Thing]
    relations: list[_Fact]


class ModelExtractor:
    """Asks the model, accepts only names that occur in the text, and falls back to the rules."""

    def __init__(self, language: LanguageSource, offline: Extractor, *, timeout_s: float = TIMEOUT_S) -> None:
        self._language = language
        self._offline = offline
        self._timeout_s = timeout_s

    async def extract(self, text: str) -> Extraction:
        """Return the extraction of the model, or of the offline extractor if no model gives a usable answer in time."""
        try:
            answered = await ask_about(
                self._language,
                text,
                ExtractedGraph,
                instructions=read_lexicon("instructions.txt"),
                timeout_s=self._timeout_s,
            )
        except NoAnswer as error:
            _logger.warning("a text was read by the rules, %s", error)
            answered = None
        checked = None if answered is None else _checked(answered.value, text)
        return checked if checked is not None else await self._offline.extract(text)


def _checked(said: ExtractedGraph, text: str) -> Extraction | None:
    """Return an answer without the names that the text lacks; None if nothing remains."""
    flat = f" {_flat(text)} "
    entities: list[Entity] = []
    by_name: dict[str, str] = {}
    for thing in said.entities:
        names: dict[str, str] = {}
        for name in (name.strip() for name in (thing.name, *thing.aliases)):
            if shadow(name) not in by_name and _occurs(name, flat):
                names.setdefault(shadow(name), name)
        first, *others = names.values() or [""]
        if first and first == thing.name.strip():
            by_name.update(dict.fromkeys(names, first))
            entities.append(Entity(first, thing.type, CONFIDENCE, tuple(others)))
    if said.entities and not entities:
        _logger.warning("a text was read by the rules: the language model named nothing that is in it")
        return None
    relations: dict[tuple[str, str, str], Relation] = {}
    for fact in said.relations:
        source, target = by_name.get(shadow(fact.source.strip())), by_name.get(shadow(fact.target.strip()))
        if source is not None and target is not None and source != target:
            relation = Relation(source, fact.type, target, CONFIDENCE, (fact.label or "").strip()[:100] or None)
            relations.setdefault((source, fact.type, target), relation)
    return Extraction(tuple(entities), tuple(relations.values()))


def _flat(text: str) -> str:
    return " ".join(shadow(text).split())


def _occurs(name: str, flat: str) -> bool:
    """Return whether a name occurs in the text as separate words, ignoring case and line ends."""
    wanted = _flat(name)
    at = flat.find(wanted) if wanted else -1
    while at >= 0:
        before, behind = flat[at - 1], flat[at + len(wanted)]
        if not (before.isalnum() and wanted[0].isalnum()) and not (behind.isalnum() and wanted[-1].isalnum()):
            return True
        at = flat.find(wanted, at + 1)
    return False
