"""Asks the configured language model about a text: fenced as data, bounded in size and time, with the name of who answered."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias

import anyio

from backends.ports.errors import StoreError, Timeout, Unavailable, Unsupported
from backends.ports.language import AnswerT, LanguageModel

LanguageSource: TypeAlias = Callable[[], Awaitable[LanguageModel | None]]
"""Returns the configured model, or None if there is none; may raise a `StoreError`."""

MAX_ASKED_BYTES: Final = 32 * 1024
"""Nothing is asked about a longer text: few models can answer about more at once, and none quickly."""
TIMEOUT_S: Final = 60.0


class NoAnswer(Exception):
    """The model did not help; the message says why."""


class TakesNoImages(NoAnswer):
    """The model is known to see no images, without being asked; it may answer about texts."""


class Silence(NoAnswer):
    """The model did not answer at all, or not in time; the next question may be as vain."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[AnswerT]):
    """What a model said."""

    value: AnswerT
    model: str
    """Which model, by its own name."""


async def ask_about(
    language: LanguageSource,
    text: str,
    shape: type[AnswerT],
    *,
    instructions: str,
    timeout_s: float = TIMEOUT_S,
    images: Sequence[bytes] = (),
) -> Answered[AnswerT] | None:
    """Return the model's answer about a text, and about PNG files that go with it, as the port takes them.

    None where no model is configured, and for an empty or too long text. The answer has the right shape and may still be
    wrong, or may say what the text or an image orders it to: check it against the text. Raises `NoAnswer` when the model is
    unavailable, slow or unusable, and `TakesNoImages`.
    """
    if not 0 < len(text.encode(errors="replace")) <= MAX_ASKED_BYTES:
        return None
    try:
        with anyio.fail_after(timeout_s):
            model = await language()
            if model is None:
                return None
            answer = await model.answer(fenced(text), shape, instructions=instructions, images=images)
            return Answered(answer, model.model)
    except TimeoutError:
        raise Silence(f"the language model took longer than {timeout_s:g} seconds") from None
    except Unsupported as error:
        raise TakesNoImages(str(error)) from error
    except StoreError as error:
        kind = Silence if isinstance(error, (Unavailable, Timeout)) else NoAnswer
        raise kind(f"the language model did not help: {error}") from error


def fenced(text: str) -> str:
    """Return a text between two marker lines, longer than any such line in it, so that the text cannot forge them."""
    marker = "=" * max(12, max(map(len, re.findall(r"=+", text)), default=0) + 1)
    return f"{marker}\n{text}\n{marker}"
