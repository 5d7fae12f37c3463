"""A language model answers in the requested shape, and each prompt, with or without images, gets its own answer."""

from typing import Literal

import anyio
import pytest
from pydantic import BaseModel, Field

from backends.ports.errors import InvalidInput, Unsupported
from backends.ports.language import MAX_IMAGE_BYTES, MAX_IMAGE_SIDE, MAX_IMAGES, MAX_PROMPT_BYTES, LanguageModel
from contracts.corpus import HOSTILE_TEXTS
from contracts.documents import plain_png
from contracts.promises import promise

INSTRUCTIONS = "The prompt names a country. Say what its capital is, in English."
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
CAPITALS = {"France": "Paris", "Japan": "Tokyo", "Norway": "Oslo", "Italy": "Rome"}

seeing, blind = (pytest.mark.claims("images", takes_images) for takes_images in (True, False))


class Neighbour(BaseModel):
    """A country with a common border."""

    country: str
    side: Literal["land", "sea"] = "land"


class Capital(BaseModel):
    """The capital of a country."""

    city: str = Field(description="The capital's name in English, e.g. Madrid.")
    neighbours: list[Neighbour] = Field(description="Some countries beside it; none for an island.")
    river: str | None = Field(default=None, description="The river it lies on, if there is one.")


class Colours(BaseModel):
    """The colours of some pictures."""

    colours: list[Literal["red", "green", "blue"]] = Field(description="The colour of each picture, in their order.")


@promise("language:model")
async def test_a_model_has_a_name(language: LanguageModel) -> None:
    """The identity lets an event record its model."""
    assert language.model


@promise("language:answer:shape")
async def test_an_answer_is_of_the_asked_shape(language: LanguageModel) -> None:
    """The caller gets an object, not a text."""
    answer = await language.answer("France", Capital, instructions=INSTRUCTIONS)
    assert type(answer) is Capital
    assert answer.city == "Paris"
    assert answer.neighbours
    assert all(type(neighbour) is Neighbour for neighbour in answer.neighbours)


@promise("language:answer:several")
async def test_each_of_several_gets_its_own_answer(language: LanguageModel) -> None:
    """Concurrent prompts do not mix."""
    answers: dict[str, str] = {}

    async def ask(country: str) -> None:
        answers[country] = (await language.answer(country, Capital, instructions=INSTRUCTIONS)).city

    async with anyio.create_task_group() as group:
        for country in CAPITALS:
            group.start_soon(ask, country)
    assert answers == CAPITALS


@promise("language:answer:any-text")
async def test_a_prompt_may_contain_any_text(language: LanguageModel) -> None:
    """The prompt may contain quotes, control characters and every script."""
    prompt = "\n".join(["The country is Norway. What follows is noise.", *HOSTILE_TEXTS])
    assert (await language.answer(prompt, Capital, instructions=INSTRUCTIONS)).city == "Oslo"


@promise("language:answer:storable")
@pytest.mark.parametrize("prompt", ["a\x00b", "a\ud800b", "a" * (MAX_PROMPT_BYTES + 1)])
async def test_a_prompt_that_cannot_be_sent_is_refused(language: LanguageModel, prompt: str) -> None:
    """The prompt is refused before the model is called."""
    with pytest.raises(InvalidInput):
        await language.answer(prompt, Capital)
    with pytest.raises(InvalidInput):
        await language.answer("Italy", Capital, instructions=prompt)


async def colours(language: LanguageModel, *names: str) -> list[str]:
    """Return what the model says of pictures of one colour each."""
    images = [plain_png(64, 64, COLOURS[name]) for name in names]
    asked = "Which colour has each of the pictures?"
    answer = await language.answer(asked, Colours, instructions="Look at the pictures.", images=images)
    return [*answer.colours]


@promise("language:images:seen")
@seeing
async def test_an_answer_is_about_the_images_of_its_prompt(language: LanguageModel) -> None:
    """Each prompt has its own images, in their order, also when several are answered at once."""
    found: dict[tuple[str, ...], list[str]] = {}

    async def ask(*names: str) -> None:
        found[names] = await colours(language, *names)

    wanted = [("red",), ("blue",), ("green", "red", "blue")]
    async with anyio.create_task_group() as group:
        for names in wanted:
            group.start_soon(ask, *names)
    assert found == {names: [*names] for names in wanted}


@promise("language:images:checked")
@seeing
@pytest.mark.parametrize(
    "images",
    [
        [b""],
        [b"GIF89a"],
        [plain_png(64, 64, (255, 0, 0)).ljust(MAX_IMAGE_BYTES + 1, b"\0")],
        [plain_png(MAX_IMAGE_SIDE + 1, 1, (255, 0, 0))],
        [plain_png(64, 64, (255, 0, 0))] * (MAX_IMAGES + 1),
    ],
    ids=["empty", "another-format", "too-many-bytes", "too-wide", "too-many"],
)
async def test_an_image_that_breaks_a_rule_is_refused(language: LanguageModel, images: list[bytes]) -> None:
    """It is refused before the model is called."""
    with pytest.raises(InvalidInput):
        await language.answer("Which colour has it?", Colours, images=images)


@promise("language:images:unsupported")
@blind
async def test_a_model_without_sight_refuses_images_and_nothing_else(language: LanguageModel) -> None:
    """A caller learns at once that it has to do without."""
    with pytest.raises(Unsupported):
        await colours(language, "red")
    assert (await language.answer("Italy", Capital, instructions=INSTRUCTIONS)).city == "Rome"
