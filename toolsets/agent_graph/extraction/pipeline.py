"""Reads texts by the rules, with the names that an installed spaCy pipeline finds beside those of the rules."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol, cast

from toolsets.agent_graph.extraction.model import EntityType, Extraction
from toolsets.agent_graph.extraction.rules import Told, read
from toolsets.agent_graph.extraction.stopping import Stopped, stoppable

_TYPES: Mapping[str, EntityType] = {
    "PERSON": "person",
    "PER": "person",
    "ORG": "organization",
    "GPE": "location",
    "LOC": "location",
    "FAC": "location",
    "PRODUCT": "technology",
    "WORK_OF_ART": "document",
    "LAW": "document",
}
"""What the labels of spaCy's English pipelines mean here; other labels are passed over."""
_UNUSED = ("parser", "lemmatizer", "attribute_ruler", "tagger", "senter")


class _Span(Protocol):
    start_char: int
    end_char: int
    label_: str


class _Doc(Protocol):
    @property
    def ents(self) -> Sequence[_Span]: ...


class _Pipeline(Protocol):
    def __call__(self, text: str) -> _Doc: ...


class _Spacy(Protocol):
    def load(self, name: str, *, exclude: Iterable[str]) -> _Pipeline: ...


class SpacyExtractor:
    """Knows a pipeline by the name of its package or by its folder; loads it when the first text comes."""

    def __init__(self, pipeline: str) -> None:
        self._name = pipeline
        self._turn = Lock()

    async def extract(self, text: str) -> Extraction:
        """Return what `text` says; see `Extractor`."""
        return await stoppable(lambda stopped: self._read(text, stopped))

    def _read(self, text: str, stopped: Stopped) -> Extraction:
        with self._turn:
            told = [] if stopped() else list(self._told(text))
        return read(text, told, stopped=stopped)

    def _told(self, text: str) -> Iterator[Told]:
        for span in self._pipeline(text).ents:
            if (kind := _TYPES.get(span.label_)) is not None:
                yield Told(span.start_char, span.end_char, kind)

    @cached_property
    def _pipeline(self) -> _Pipeline:
        return cast("_Spacy", import_module("spacy")).load(self._name, exclude=_UNUSED)


def check_pipeline(pipeline: str) -> None:
    """Raise `ValueError` with the way out when spaCy or the pipeline is not installed; loads neither."""
    if find_spec("spacy") is None:
        raise ValueError('spaCy is not installed; run: pip install "entrepot[spacy]"')
    if not Path(pipeline).is_dir() and (not pipeline.isidentifier() or find_spec(pipeline) is None):
        raise ValueError(f"the spaCy pipeline {pipeline!r} is neither an installed package nor a folder")
