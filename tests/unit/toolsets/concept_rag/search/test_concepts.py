"""The one concept that a name means."""

from pathlib import Path

import pytest

from backends.ports.values import JsonObject
from tests.unit.toolsets.concept_rag.books import CARS
from tests.unit.toolsets.concept_rag.caller import Instance, rows_of, texts_of
from toolsets.concept_rag.search.concepts import name_share


def titles(reply: JsonObject, key: str = "sources") -> set[str]:
    return {str(row["title"]) for row in rows_of(reply, key)}


async def test_synonyms_lead_to_the_concept_of_the_library(debugged: Instance) -> None:
    """A synonym is not the name itself, so its score is lower. A machine is most commonly something else."""
    own = await debugged.ask("concept_search", concept="automobile")
    assert {"car", "auto", "motorcar", "machine"} == {*texts_of(own["synonyms"])}
    for synonym in ("car", "auto", "motorcar"):
        reply = await debugged.ask("concept_search", concept=synonym)
        assert (reply["concept"], titles(reply, "chunks")) == ("automobile", {CARS})
        components = reply["score_components"]
        assert isinstance(components, dict)
        assert (components["name"], components["wordnet"]) == ("0.000", "1.000")
        assert float(str(reply["score"])) < float(str(own["score"]))


@pytest.mark.parametrize("name", ["machine", "train", "circle", "replacement", "fear", "director"])
async def test_a_synonym_in_a_rare_sense_is_not_found_by_a_name_that_is_not_near(instance: Instance, name: str) -> None:
    """WordNet has them as synonyms of "automobile", "string", "circuit", "switch", "care" and "conductor"."""
    error = await instance.error("concept_search", concept=name)
    assert error["code"] == "CONCEPT_NOT_FOUND"


async def test_a_near_synonym_is_found_in_any_sense(instance: Instance) -> None:
    """The library's definition of "soil" is of another sense than the one it shares with "dirt"."""
    assert (await instance.ask("concept_search", concept="dirt"))["concept"] == "soil"


@pytest.mark.parametrize("name", ["xyzzy quux", "quarterly dividend", "!?"])
async def test_a_concept_that_nothing_comes_near_is_not_found(instance: Instance, name: str) -> None:
    error = await instance.error("concept_search", concept=name)
    assert (error["code"], error["field"], error["type"]) == ("CONCEPT_NOT_FOUND", "concept", "ConceptNotFoundError")
    context = error["context"]
    assert isinstance(context, dict)
    assert context["value"] == name
    assert set(context) <= {"value", "nearest"}


async def test_an_unknown_concept_is_answered_with_the_nearest_ones(instance: Instance) -> None:
    """The word stands in a document, so the message does not say that no document mentions it."""
    error = await instance.error("concept_search", concept="operate")
    assert "among the library's concepts" in str(error["message"])
    context = error["context"]
    assert isinstance(context, dict)
    nearest = texts_of(context["nearest"])
    assert 1 <= len(nearest) <= 5


async def test_a_concept_of_forgotten_documents_only_is_not_found(instance: Instance, shelf: Path) -> None:
    reply = await instance.ask("concept_search", concept="brake fluid")
    await instance.forget(int(str(rows_of(reply, "sources")[0]["catalog_id"])))
    error = await instance.error("concept_search", concept="brake fluid")
    assert error["code"] == "CONCEPT_NOT_FOUND"


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("how to change brake fluid", "brake fluid"),
        ("what is a debounce circuit good for", "debounce circuit"),
        ("conductors in the rain", "conductor"),
        ("auto mobile", "automobile"),
        ("brakefluid", "brake fluid"),
        ("the relay", "relay"),
        ("A Coil", "coil"),
    ],
)
async def test_a_concept_that_the_question_contains_is_preferred(instance: Instance, asked: str, meant: str) -> None:
    assert (await instance.ask("concept_search", concept=asked))["concept"] == meant


@pytest.mark.parametrize(
    ("asked", "name", "share"),
    [
        ("boot loader", "boot loader", 1),
        ("boot loader", "bootloader", 1),
        ("boot loader", "loader", 0.5),
        ("a b c", "c d", 0.25),
        ("a", "b", 0),
        ("", "a", 0),
    ],
)
def test_names_share_words(asked: str, name: str, share: float) -> None:
    assert name_share(asked, name) == name_share(name, asked) == share
