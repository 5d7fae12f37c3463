"""spaCy finds names beside the rules, when it is installed; the pipeline is a real one, made here from patterns."""

import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol, cast

import anyio
import pytest

from toolsets.agent_graph.extraction.extractors import READERS, Stopped, choose_extractor, run_stoppable
from toolsets.agent_graph.extraction.model import Extraction


class Ruler(Protocol):
    def add_patterns(self, patterns: list[dict[str, str]]) -> None: ...


class Pipeline(Protocol):
    def add_pipe(self, name: str) -> Ruler: ...
    def to_disk(self, path: Path) -> None: ...


class Spacy(Protocol):
    def blank(self, name: str) -> Pipeline: ...


async def no_model() -> None:
    return None


@pytest.fixture
def pipeline(tmp_path: Path) -> str:
    pytest.importorskip("spacy")
    made = cast("Spacy", import_module("spacy")).blank("en")
    patterns = [
        {"label": "GPE", "pattern": "Wroclaw"},
        {"label": "PERSON", "pattern": "Docker"},
        {"label": "DATE", "pattern": "Monday"},
    ]
    made.add_pipe("entity_ruler").add_patterns(patterns)
    made.to_disk(tmp_path / "pipeline")
    return str(tmp_path / "pipeline")


async def test_its_names_replace_guesses_and_leave_alone_what_the_rules_know(pipeline: str) -> None:
    found = await choose_extractor(no_model, spacy_pipeline=pipeline).extract(
        "We met in Wroclaw on Monday to learn Docker."
    )
    assert [(entity.name, entity.type) for entity in found.entities] == [
        ("Wroclaw", "location"),
        ("Docker", "technology"),
    ]


async def test_without_a_pipeline_nothing_of_it_is_needed() -> None:
    found = await choose_extractor(no_model).extract("GitLab uses Docker.")
    assert [entity.name for entity in found.entities] == ["GitLab", "Docker"]


def test_a_pipeline_that_is_not_there_is_named_with_the_way_out() -> None:
    problem = "en_core_nothing" if find_spec("spacy") else r'pip install "entrepot\[spacy\]"'
    with pytest.raises(ValueError, match=problem):
        choose_extractor(no_model, spacy_pipeline="en_core_nothing")


async def test_only_a_few_texts_are_read_at_the_same_time() -> None:
    """Many threads of one interpreter would keep its event loop from every other call."""
    counted, reading, peak = Lock(), 0, 0

    def work(_: Stopped) -> Extraction:
        nonlocal reading, peak
        with counted:
            reading += 1
            peak = max(peak, reading)
        time.sleep(0.05)
        with counted:
            reading -= 1
        return Extraction((), ())

    async with anyio.create_task_group() as group:
        for _ in range(4 * READERS):
            group.start_soon(run_stoppable, work)
    assert 1 <= peak <= READERS
