"""Questions to the configured language model about a text, which is fenced as data and bounded in size and time."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias

import anyio

from backends.ports.errors import StoreError, Timeout, Unavailable, Unsupported
from backends.ports.language import AnswerT, LanguageModel

LanguageSource: TypeAlias = Callable[[], Awaitable[LanguageModel | None]]
"""Returns the configured model, None if there is none. Raises `StoreError`."""

MAX_ASKED_BYTES: Final = 32 * 1024
"""The longest text that is sent to a model: few models accept more, and none answers it quickly."""
TIMEOUT_S: Final = 60.0
"""For one question; without an answer a caller goes another way, which a longer wait would only delay."""


class NoAnswer(Exception):
    """The model returned no usable answer; the message says why."""


class ImagesUnsupported(NoAnswer):
    """The model accepts no images, which is known without a request; it may still answer about texts."""


class Unanswered(NoAnswer):
    """The model did not answer, or not in time; the next question may fail the same way."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[AnswerT]):
    """The answer of a model."""

    value: AnswerT
    model: str
    """The model's own name."""


async def ask_about(
    language: LanguageSource,
    text: str,
    shape: type[AnswerT],
    *,
    instructions: str,
    timeout_s: float = TIMEOUT_S,
    images: Sequence[bytes] = (),
) -> Answered[AnswerT] | None:
    """Return the model's answer about a text and the PNG images that belong to it.

    None if no model is configured, or the text is empty or too long. The answer has the requested shape but may be wrong, or
    follow instructions in the text or an image, so check it against the text. Raises `NoAnswer` if the model is unavailable,
    slow or unusable, and `ImagesUnsupported`.
    """
    if not 0 < len(text.encode(errors="replace")) <= MAX_ASKED_BYTES:
        return None
    try:
        with anyio.fail_after(timeout_s):
            model = await language()
            if model is None:
                return None
            answer = await model.answer(fence(text), shape, instructions=instructions, images=images)
            return Answered(answer, model.model)
    except TimeoutError:
        raise Unanswered(f"the language model took longer than {timeout_s:g} seconds") from None
    except Unsupported as error:
        raise ImagesUnsupported(str(error)) from error
    except StoreError as error:
        kind = Unanswered if isinstance(error, (Unavailable, Timeout)) else NoAnswer
        raise kind(f"the language model gave no usable answer: {error}") from error


def fence(text: str) -> str:
    """Return a text between two marker lines that are longer than any such line in it, so that it cannot forge one."""
    marker = "=" * max(12, max(map(len, re.findall(r"=+", text)), default=0) + 1)
    return f"{marker}\n{text}\n{marker}"
