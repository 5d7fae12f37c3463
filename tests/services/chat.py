"""A chat endpoint that replays the answers which the contract suite's questions were recorded with."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

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
    known = [answer for country, answer in RECORDED.items() if country in asked.prompt]
    return says(known[0]) if known else fails(400, "nothing was recorded for this prompt")
