"""Every opened engine hands out checked ports, with the members and signatures of the ports."""

import inspect
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from pydantic import BaseModel

from backends.ports.adapter import Engine
from backends.ports.checked import (
    CheckedEmbedder,
    CheckedEngine,
    CheckedEventLog,
    CheckedGraph,
    CheckedLanguageModel,
    CheckedVectors,
)
from backends.ports.embedder import Embedder
from backends.ports.errors import InvalidInput, Unsupported
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.ids import namespace
from backends.ports.language import AnswerT, LanguageModel
from backends.ports.values import Json, Namespace
from backends.ports.vectors import Vectors
from backends.registry import load_adapter
from backends.stores import OpenStores, open_engine
from contracts.documents import plain_png
from tests.support.chat import chat, says

PORTS: list[tuple[type, type]] = [
    (Graph, CheckedGraph),
    (Vectors, CheckedVectors),
    (EventLog, CheckedEventLog),
    (Embedder, CheckedEmbedder),
    (LanguageModel, CheckedLanguageModel),
    (Engine, CheckedEngine),
]


def members(kind: type) -> dict[str, object]:
    return {name: value for name, value in vars(kind).items() if not name.startswith("_")}


def signature(member: object) -> str:
    return "property" if isinstance(member, property) else str(inspect.signature(cast("type", member)))


@pytest.mark.parametrize(("port", "checked"), PORTS, ids=lambda kind: kind.__name__)
def test_a_checked_port_has_the_members_and_signatures_of_its_port(port: type, checked: type) -> None:
    assert {name: signature(member) for name, member in members(checked).items()} == {
        name: signature(member) for name, member in members(port).items()
    }


@pytest.fixture
async def minilm(tmp_path: Path) -> AsyncIterator[Engine]:
    engine = await open_engine(load_adapter("minilm"), {}, tmp_path)
    yield engine
    await engine.close()


async def test_every_store_of_a_profile_is_checked(tmp_path: Path) -> None:
    stores = OpenStores({"main": {"kind": "sqlite"}, "model": {"kind": "minilm"}}, tmp_path)
    view = stores.stores(graph="main", vectors="main", events="main", embedder="model")
    assert isinstance(await view.graph(namespace("n")), CheckedGraph)
    assert isinstance(await view.vectors(namespace("n")), CheckedVectors)
    assert isinstance(await view.events(), CheckedEventLog)
    assert isinstance(await view.embedder(), CheckedEmbedder)
    await stores.close()


async def test_a_port_of_one_object_is_one_object(minilm: Engine) -> None:
    assert await minilm.embedder() is await minilm.embedder()


async def test_an_engine_without_a_port_says_so_through_the_wrapper(minilm: Engine) -> None:
    for ask in (minilm.graph, minilm.vectors):
        with pytest.raises(Unsupported):
            await ask(namespace("n"))
    for ask in (minilm.events, minilm.language):
        with pytest.raises(Unsupported):
            await ask()


async def test_a_namespace_that_is_no_identifier_is_refused(tmp_path: Path) -> None:
    engine = await open_engine(load_adapter("sqlite"), {}, tmp_path)
    for bad in ("", "Upper", "a'b", "x" * 49):
        with pytest.raises(InvalidInput):
            await engine.graph(Namespace(bad))
        with pytest.raises(InvalidInput):
            await engine.vectors(Namespace(bad))
    await engine.close()
    assert list(tmp_path.glob("*.db")) == []


async def test_a_text_that_cannot_be_stored_is_not_embedded(minilm: Engine) -> None:
    embedder = await minilm.embedder()
    for text in ("nul\x00", "\ud800", "x" * (256 * 1024 + 1)):
        with pytest.raises(InvalidInput, match="a text to embed"):
            await embedder.embed(["fine", text])


class WithoutImages:
    """A language model as adapters had it before prompts could have images."""

    model = "blind"

    async def answer(self, prompt: str, shape: type[AnswerT], *, instructions: str = "") -> AnswerT:
        return shape.model_validate({"text": f"{instructions}{prompt}"})


class Said(BaseModel):
    text: str


async def test_a_model_without_images_is_never_given_any() -> None:
    checked = CheckedLanguageModel(cast("LanguageModel", WithoutImages()))
    assert await checked.answer("hello", Said, instructions="say: ") == Said(text="say: hello")
    with pytest.raises(Unsupported, match="blind takes no images"):
        await checked.answer("hello", Said, images=[plain_png(1, 1, (0, 0, 0))])


async def test_the_capability_decides_whether_images_are_passed_on(tmp_path: Path) -> None:
    with chat(lambda asked: says(f'{{"text": "{len(asked.images)}"}}')) as endpoint:
        for images in (True, False):
            options: dict[str, Json] = {"base_url": endpoint.base_url, "model": "m", "images": images}
            engine = await open_engine(load_adapter("openai_compatible"), options, tmp_path)
            language = await engine.language()
            if images:
                assert await language.answer("hello", Said, images=[plain_png(1, 1, (0, 0, 0))]) == Said(text="1")
            else:
                with pytest.raises(Unsupported):
                    await language.answer("hello", Said, images=[plain_png(1, 1, (0, 0, 0))])
            await engine.close()
        assert len(endpoint.asked) == 1
