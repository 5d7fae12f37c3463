"""The language model port: a prompt and a pydantic type in, an instance of that type out. No toolset may require it."""

from typing import Final, Protocol, TypeVar

from pydantic import BaseModel

from backends.ports.text import check_text

AnswerT = TypeVar("AnswerT", bound=BaseModel)

MAX_PROMPT_BYTES: Final = 256 * 1024
"""The longest prompt, without instructions; a model may accept less."""


class LanguageModel(Protocol):
    """A model that answers in a given shape. It may be slow, wrong or unavailable: each toolset works without it."""

    @property
    def model(self) -> str:
        """Which model answers; known without asking it."""
        ...

    async def answer(self, prompt: str, shape: type[AnswerT], *, instructions: str = "") -> AnswerT:
        """Return the model's answer to the prompt, validated as an instance of `shape`.

        `instructions` say what to do with the prompt, which may be untrusted text. The answer has the right shape, but
        may be wrong. Raises `InvalidInput` for a prompt that breaks a rule or that the model does not accept,
        `Unavailable` when the model does not answer or is overloaded, `Timeout` when it takes too long, and `Unusable`
        when it refuses, when its answer is cut off or has another shape, when there is no such model and when access is
        denied. Source: language:answer.
        """
        ...


def check_prompt(prompt: str, instructions: str) -> None:
    """Raise `InvalidInput` for an empty prompt and for a text that cannot be sent."""
    check_text(prompt, what="a prompt", max_bytes=MAX_PROMPT_BYTES)
    check_text(instructions, what="instructions", max_bytes=MAX_PROMPT_BYTES)
