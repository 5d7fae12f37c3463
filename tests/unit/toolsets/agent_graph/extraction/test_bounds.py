"""Any text can be read, in time and room that grow with its length only."""

import random
from threading import Event

import anyio
import anyio.to_thread
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.ports.events import MAX_EVENTS_PER_BATCH
from tests.bench.extraction import HALVES, annotated
from tests.support.calls import counted_calls
from tests.unit.toolsets.agent_graph.extraction.results import MIGRATION, assert_sound
from toolsets.agent_graph.extraction import rules
from toolsets.agent_graph.extraction.coreference import MAX_ALIASES
from toolsets.agent_graph.extraction.extractors import Stopped, run_stoppable
from toolsets.agent_graph.extraction.model import Extraction
from toolsets.agent_graph.extraction.rules import MAX_RELATIONS, read
from toolsets.agent_graph.extraction.sentence import MAX_LISTED
from toolsets.agent_graph.ingest import EVENTS_OF_AN_EDGE, drafts_of, fits


@settings(max_examples=200)
@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert_sound(read(text))


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            "Alice Baker Bob Debian Docker Google the The a of by from and , . ( ) is was uses used developed which based on "
            "also known as project team He it - -based 's “ ” AUTH-1 RFC 12 nPth such member author".split()
        ),
        max_size=40,
    )
)
def test_any_jumble_of_its_own_words_can_be_read(words: list[str]) -> None:
    assert_sound(read(" ".join(words)))


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a.",
        '"',
        "(",
        "Abc ",
        "University of ",
        "http:/",
        "+-",
        "\n* ",
        "Docker, ",
        "developed by ",
        "東京",
        "\ud800",
        "A. ",
        "X (Y) ",
        "Zub used by ",
        "used by Zub and ",
        "Alice Baker's Zub ",
        "Alice Baker and his Zub project ",
        "a fork of Zub ",
        "Zub port of ",
        "plugin library ",
        "Zub, Zub and ",
        "for creating Zub ",
        "A\n",
        "The Zub, a ",
        "it ",
        "his Zub project ",
        "the migration to Docker ",
        "quickly ",
        "never not also ",
        "developer ",
        "neither ",
        "no Zub, ",
        "unlike Zub and ",
        "not that ",
        "to use ",
        "deny ",
    ],
)
def test_work_grows_with_the_length_of_a_text_only(piece: str) -> None:
    """Counted in calls of functions; a rule that looks at all before it would make four times as many for twice the text."""
    times = 1_000 // len(piece)
    once, twice = calls_for(piece * times), calls_for(piece * 2 * times)
    assert twice < 2.6 * once + 500


def test_work_grows_with_the_length_of_two_lists_only() -> None:
    read("Zub")
    once, twice = calls_for(list_uses_list(60)), calls_for(list_uses_list(120))
    assert twice < 2.6 * once + 500


def list_uses_list(length: int, first: int = 1) -> str:
    names = [f"Zub{number}x" for number in range(first, first + 2 * length)]
    return f"{' and '.join(names[:length])} use {', '.join(names[length:])}."


def calls_for(text: str) -> int:
    """Return how many functions are called to read a text."""
    found, calls = counted_calls(lambda: read(text))
    assert_sound(found)
    return calls


def test_of_a_list_the_names_next_to_the_verb_are_taken() -> None:
    relations = read(list_uses_list(40)).relations
    assert len(relations) == MAX_LISTED**2
    assert {relation.source for relation in relations} == {f"Zub{number}x" for number in range(9, 41)}
    assert {relation.target for relation in relations} == {f"Zub{number}x" for number in range(41, 73)}


def test_what_states_more_than_can_be_stored_is_not_read_to_its_end() -> None:
    assert MAX_RELATIONS * EVENTS_OF_AN_EDGE > MAX_EVENTS_PER_BATCH
    found = read(" ".join(list_uses_list(32, first) for first in range(1, 1_000, 64)))
    assert MAX_RELATIONS < len(found.relations) <= MAX_RELATIONS + MAX_LISTED**2
    assert not fits(drafts_of(found, "default", "a page"), found)


@pytest.mark.parametrize("piece", ["*?[%", "Zub,", "He uses ", "A. ", "X (Y) ", "\n* ", "developer "])
def test_of_what_is_no_prose_only_so_much_is_read(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_EFFORT", 2_000)
    once, twice = calls_for(piece * 3_000), calls_for(piece * 6_000)
    assert twice < 1.1 * once
    assert not read(piece * 3_000).complete


def test_prose_is_read_to_its_end() -> None:
    prose = " ".join(sentence.text for half in HALVES for sentence in annotated(half))
    assert read((prose * 11)[: 256 * 1024]).complete


def test_an_entity_is_recognised_by_more_names_than_it_keeps() -> None:
    known_as = " ".join(f"Zubber, also known as Zub{number}x." for number in range(MAX_ALIASES + 8))
    found = read(f"{known_as} Zub39x depends on Debian.")
    assert [(entity.name, len(entity.aliases)) for entity in found.entities] == [("Zubber", MAX_ALIASES), ("Debian", 0)]
    assert [(relation.source, relation.target) for relation in found.relations] == [("Zubber", "Debian")]


def test_reading_ends_with_the_sentence_in_which_it_is_cancelled() -> None:
    answers = iter([False, True])
    found = read("Git uses Python. Docker uses Debian.", stopped=lambda: next(answers))
    assert [entity.name for entity in found.entities] == ["Git", "Python"]


async def test_a_cancelled_reading_is_reported_as_cancelled() -> None:
    begun, ended = Event(), Event()

    def work(stopped: Stopped) -> Extraction:
        begun.set()
        while not stopped():
            pass
        ended.set()
        return Extraction()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run_stoppable, work)
        assert await anyio.to_thread.run_sync(begun.wait, 10)
        tasks.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(ended.wait, 10)


def test_equal_texts_yield_equal_extractions() -> None:
    words = [*MIGRATION.split(), "Alice", "Baker", "maintains", "Debian."] * 20
    random.Random(5).shuffle(words)
    assert read(" ".join(words)) == read(" ".join(words))
