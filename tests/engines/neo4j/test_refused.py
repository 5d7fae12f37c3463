"""A wrong option is reported in one sentence when the engine is opened."""

from pathlib import Path

import pytest

from backends.engines.neo4j.adapter import ADAPTER, kernel
from backends.ports.errors import InvalidInput, Unavailable, Unusable
from backends.ports.values import Json
from config.secrets import masked_text
from tests.engines.neo4j.conftest import Open
from tests.support.ports import free_port


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"password": "wrong"}, "refuses user 'neo4j' with this password"),
        ({"database": "nowhere"}, "has no database 'nowhere'"),
        ({"uri": "http://localhost"}, "uri"),
        ({"space": "Bad Space"}, "space"),
        ({"misspelt": 1}, "misspelt"),
    ],
)
async def test_a_wrong_option_is_named(on_server: Open, options: dict[str, Json], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        async with on_server(**options):
            pass


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
async def test_a_missing_server_is_unavailable(on_server: Open, host: str) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        async with on_server(uri=f"bolt://{host}:{free_port()}", timeout_s=5):
            pass


def test_another_server_with_the_same_protocol_is_refused() -> None:
    with pytest.raises(Unusable, match=r"what answers at bolt://elsewhere:7687 is no Neo4j"):
        kernel([], "bolt://elsewhere:7687")


@pytest.mark.parametrize("uri", ["localhost:7687", "http://localhost", "bolt://neo4j:hush@localhost", "bolt://"])
async def test_an_invalid_address_is_refused_in_words(tmp_path: Path, uri: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"option uri should be like bolt://HOST:7687 .* user and password"
    ) as problem:
        await ADAPTER.open({"uri": uri}, tmp_path)
    assert masked_text(str(problem.value)) == str(problem.value), "logs show it as it is"


def test_the_password_is_not_shown() -> None:
    shown = repr(ADAPTER.settings.model_validate({"password": "hush"}))
    assert "hush" not in shown
