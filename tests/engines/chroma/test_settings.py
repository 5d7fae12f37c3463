"""Options of a store are checked and named."""

from pathlib import Path

import pytest

from backends.engines.chroma.adapter import ADAPTER
from backends.ports.errors import InvalidInput
from config.secrets import masked_text


@pytest.mark.parametrize("uri", ["localhost:8000", "ftp://x", "http://", "http://x?y", "http://u:hush@x"])
async def test_an_invalid_address_is_refused(tmp_path: Path, uri: str) -> None:
    with pytest.raises(InvalidInput, match="option uri should be like http://HOST:8000, without a user") as problem:
        await ADAPTER.open({"uri": uri}, tmp_path)
    assert masked_text(str(problem.value)) == str(problem.value)


@pytest.mark.parametrize(
    "options", [{"space": "Bad Space"}, {"timeout_s": 0}, {"tenant": ""}, {"database": ""}, {"colour": "red"}]
)
async def test_a_wrong_option_is_named(tmp_path: Path, options: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await ADAPTER.open(options, tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_token_is_not_shown() -> None:
    assert "hush" not in repr(ADAPTER.settings.model_validate({"uri": "https://here/under", "token": "hush"}))
