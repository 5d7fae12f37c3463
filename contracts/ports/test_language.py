"""A language model answers in the requested shape, and each prompt gets its own answer."""

from typing import Literal

import anyio
import pytest
from pydantic import BaseModel, Field

from backends.ports.errors import InvalidInput
from backends.ports.language import MAX_PROMPT_BYTES, LanguageModel
from contracts.corpus import HOSTILE_TEXTS
from contracts.promises import promise

INSTRUCTIONS = "The prompt names a country. Say what its capital is, in English."
CAPITALS = {"France": "Paris", "Japan": "Tokyo", "Norway": "Oslo", "Italy": "Rome"}


class Neighbour(BaseModel):
    """A country with a common border."""

    country: str
    side: Literal["land", "sea"] = "land"


class Capital(BaseModel):
    """The capital of a country."""

    city: str = Field(description="The capital's name in English, e.g. Madrid.")
    neighbours: list[Neighbour] = Field(description="Some countries beside it; none for an island.")
    river: str | None = Field(default=None, description="The river it lies on, if there is one.")


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
