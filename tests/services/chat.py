"""A chat endpoint that replays the answers which the contract suite's questions were recorded with."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.services.catalogue import Variables
from tests.support.chat import Asked, Reply, chat, fails, says

RECORDED = {
    "France": '{"city":"Paris","neighbours":[{"country":"Spain","side":"land"},'
    '{"country":"Belgium","side":"land"}],"river":"Seine"}',
    "Japan": '{"city":"Tokyo","neighbours":[],"river":"Sumida"}',
    "Norway": '{"city":"Oslo","neighbours":[{"country":"Sweden","side":"land"}],"river":null}',
    "Italy": '{"city":"Rome","neighbours":[{"country":"Austria","side":"land"}],"river":"Tiber"}',
}


@contextmanager
def running(folder: Path) -> Generator[Variables]:
    """Run the endpoint and yield the variables that name it."""
    with chat(_replayed) as endpoint:
        beginning = "ENTREPOT_TEST_OPENAI_COMPATIBLE_"
        yield {f"{beginning}BASE_URL": endpoint.base_url, f"{beginning}MODEL": "recorded"}


def _replayed(asked: Asked) -> Reply:
    if asked.images:
        return says(json.dumps({"colours": [_colour(image) for image in asked.images]}))
    known = [answer for country, answer in RECORDED.items() if country in asked.prompt]
    return says(known[0]) if known else fails(400, "nothing was recorded for this prompt")


def _colour(image: bytes) -> str:
    """Return what a model saw in a picture of one colour."""
    with Image.open(BytesIO(image)) as opened:
        pixel = opened.convert("RGB").tobytes()[:3]
    return ("red", "green", "blue")[pixel.index(max(pixel))]
