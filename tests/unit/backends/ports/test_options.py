"""Options of a store's table are read, or refused by name."""

import pytest
from pydantic import BaseModel, ConfigDict

from backends.ports.errors import InvalidInput
from backends.ports.options import parse_options


class Pool(BaseModel, extra="forbid"):
    size: int = 1


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")

    uri: str = "bolt://localhost"
    pool: Pool = Pool()


def test_options_become_settings_with_defaults_for_the_rest() -> None:
    assert parse_options(Settings, {"pool": {"size": 3}}) == Settings(pool=Pool(size=3))


def test_every_wrong_option_is_named() -> None:
    with pytest.raises(
        InvalidInput,
        match=(
            r"option uri should be a text; option pool\.size should be an integer; "
            r"option url: there is no such option; did you mean uri"
        ),
    ):
        parse_options(Settings, {"uri": 5, "url": "bolt://here", "pool": {"size": "many"}})


def test_an_unknown_option_without_a_similar_one_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"option colour: there is no such option; there are pool, uri"):
        parse_options(Settings, {"colour": "red", "uri": "bolt://here"})
    with pytest.raises(InvalidInput, match=r"option pool\.colour: there is no such option$"):
        parse_options(Settings, {"pool": {"colour": "red"}, "uri": "bolt://here"})
