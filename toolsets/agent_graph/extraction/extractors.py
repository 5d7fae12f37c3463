"""Who reads the texts: the rules, the rules with names found by spaCy, or a language model before them."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock
from typing import Protocol, TypeAlias, cast

import anyio.to_thread
from anyio import CapacityLimiter
from anyio.lowlevel import RunVar

from toolsets.agent_graph.extraction.language import ModelExtractor
from toolsets.agent_graph.extraction.lexicon import spacy_types
from toolsets.agent_graph.extraction.model import Extraction, Extractor
from toolsets.agent_graph.extraction.rules import FoundName, read
from toolsets.language import LanguageSource

Stopped: TypeAlias = Callable[[], bool]
"""Returns whether the caller was cancelled; may be called from any thread."""
READERS = 3
"""Texts that are read at the same time: more threads of one interpreter are no faster, and hold up its event loop."""
_UNUSED = ("parser", "lemmatizer", "attribute_ruler", "tagger", "senter")


class _Span(Protocol):
    start_char: int
    end_char: int
    label_: str


class _Doc(Protocol):
    @property
    def ents(self) -> Sequence[_Span]: ...


class _Spacy(Protocol):
    def load(self, name: str, *, exclude: Iterable[str]) -> Callable[[str], _Doc]: ...


def choose_extractor(language: LanguageSource, *, spacy_pipeline: str | None = None) -> Extractor:
    """Return the extractor that the settings ask for.

    The configured language model comes first; when `language` yields none, or it does not help, the offline
    extractor reads: the rules, with spaCy's names when `spacy_pipeline` names a pipeline. Raises `ValueError` with
    the way out when that is not installed.
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


_LIMITER: RunVar[CapacityLimiter] = RunVar("_LIMITER")
"""Of each event loop its own."""


def _threads() -> CapacityLimiter:
    limiter = _LIMITER.get(None)
    if limiter is None:
        limiter = CapacityLimiter(READERS)
        _LIMITER.set(limiter)
    return limiter


async def run_stoppable(work: Callable[[Stopped], Extraction]) -> Extraction:
    """Return the result of `work`, run in a thread. On cancellation `work` is notified and not awaited."""
    stop = Event()
    try:
        return await anyio.to_thread.run_sync(work, stop.is_set, abandon_on_cancel=True, limiter=_threads())
    finally:
        stop.set()


class RuleExtractor:
    """Reads English prose by rules, with the names that a spaCy pipeline finds where one is given.

    `spacy_pipeline` is the name of its package or its folder; it is loaded when the first text comes.
    """

    def __init__(self, spacy_pipeline: str | None = None) -> None:
        self._name = spacy_pipeline
        self._turn = Lock()

    async def extract(self, text: str) -> Extraction:
        """Return what `text` says; see `Extractor`."""
        return await run_stoppable(lambda stopped: self._read(text, stopped))

    def _read(self, text: str, stopped: Stopped) -> Extraction:
        return read(text, [] if self._name is None else self._names(text, stopped), stopped=stopped)

    def _names(self, text: str, stopped: Stopped) -> list[FoundName]:
        types = spacy_types()
        with self._turn:
            spans = () if stopped() else self._pipeline(text).ents
            return [FoundName(at.start_char, at.end_char, types[at.label_]) for at in spans if at.label_ in types]

    @cached_property
    def _pipeline(self) -> Callable[[str], _Doc]:
        return cast("_Spacy", import_module("spacy")).load(self._name or "", exclude=_UNUSED)
