"""The language model port: a prompt and a pydantic type in, an instance of that type out. No toolset may require it."""

from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

from pydantic import BaseModel

from backends.ports.errors import InvalidInput
from backends.ports.text import check_text

AnswerT = TypeVar("AnswerT", bound=BaseModel)

MAX_PROMPT_BYTES: Final = 256 * 1024
"""The longest prompt, without instructions; a model may accept less."""
MAX_IMAGES: Final = 8
"""Images of one prompt; a model may accept fewer and smaller ones."""
MAX_IMAGE_BYTES: Final = 4 * 1024 * 1024
"""With eight of them (`MAX_IMAGES`) a request has some 45 MB in base64 already."""
MAX_IMAGE_SIDE: Final = 4_096
"""Pixels of an image's width and of its height."""

_PNG: Final = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
"""What each PNG file begins with: the signature, and the length and type of its first chunk."""
_SIZES: Final = len(_PNG)
"""The offset of width and height, four bytes each."""


class LanguageModel(Protocol):
    """A model that answers in a given shape. It may be slow, wrong or unavailable: each toolset works without it."""

    @property
    def model(self) -> str:
        """Which model answers; known without asking it."""
        ...

    async def answer(
        self, prompt: str, shape: type[AnswerT], *, instructions: str = "", images: Sequence[bytes] = ()
    ) -> AnswerT:
        """Return the model's answer to the prompt, validated as an instance of `shape`.

        `instructions` say what to do with the prompt, which may be untrusted text; `images` are PNG files that belong to
        the prompt, in its order, and are as untrusted. The answer has the right shape, but may be wrong. Raises
        `InvalidInput` for a prompt or an image that breaks a rule or that the model does not accept, `Unsupported` for images
        where `Capabilities.images` says that it takes none, `Unavailable` when the model does not answer or is overloaded,
        `Timeout` when it takes too long, and `Unusable` when it refuses, when its answer is cut off or has another shape,
        when there is no such model and when access is denied. Source: language:answer, language:images.
        """
        ...


def check_prompt(prompt: str, instructions: str) -> None:
    """Raise `InvalidInput` for an empty prompt and for a text that cannot be sent."""
    check_text(prompt, what="a prompt", max_bytes=MAX_PROMPT_BYTES)
    check_text(instructions, what="instructions", max_bytes=MAX_PROMPT_BYTES)


def check_images(images: Sequence[bytes]) -> None:
    """Raise `InvalidInput` for too many images, and for one that is no PNG file or is too large. Pixels are not decoded."""
    if len(images) > MAX_IMAGES:
        raise InvalidInput(f"a prompt has at most {MAX_IMAGES} images: {len(images)}")
    for image in images:
        if len(image) > MAX_IMAGE_BYTES:
            raise InvalidInput(f"an image has at most {MAX_IMAGE_BYTES} bytes: {len(image)}")
        if not image.startswith(_PNG):
            raise InvalidInput("an image is a PNG file")
        width, height = (int.from_bytes(image[start : start + 4], "big") for start in (_SIZES, _SIZES + 4))
        if not (1 <= width <= MAX_IMAGE_SIDE and 1 <= height <= MAX_IMAGE_SIDE):
            raise InvalidInput(f"an image has 1 to {MAX_IMAGE_SIDE} pixels a side: {width} by {height}")
