"""Options of a store are checked and named, without showing the password."""

from pathlib import Path

import pytest

from backends.engines.neo4j.adapter import ADAPTER
from backends.ports.errors import InvalidInput
from config.secrets import masked_text


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
