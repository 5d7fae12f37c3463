"""The language model port: a prompt and a pydantic type in, an instance of that type out. Optional: no toolset may rely on it."""

from typing import Final, Protocol, TypeVar

from pydantic import BaseModel

from backends.ports.text import check_text

AnswerT = TypeVar("AnswerT", bound=BaseModel)

MAX_PROMPT_BYTES: Final = 256 * 1024
"""The longest prompt, instructions apart; a model may take less."""


class LanguageModel(Protocol):
    """A model that answers in a given shape. It may be slow, wrong or away: each toolset has a way without it."""

    @property
    def model(self) -> str:
        """Which model answers; known without asking it."""
        ...

    async def answer(self, prompt: str, shape: type[AnswerT], *, instructions: str = "") -> AnswerT:
        """Return what the model makes of the prompt, validated as an instance of `shape`.

        `instructions` say what to do with the prompt, which may be anybody's text. What the answer says
        is the model's word: check it. Raises `InvalidInput` for a prompt that breaks a rule or that the
        model does not take, `Unavailable` when the model does not answer or has had too much to do,
        `Timeout` when it takes too long, `Unusable` when it refuses, when its answer is cut off or not
        of the shape, and when it is not there or lets nobody in. Source: language:answer.
        """
        ...


def check_prompt(prompt: str, instructions: str) -> None:
    """Raise `InvalidInput` for an empty prompt and for a text that cannot be sent."""
    check_text(prompt, what="a prompt", max_bytes=MAX_PROMPT_BYTES)
    check_text(instructions, what="instructions", max_bytes=MAX_PROMPT_BYTES)
