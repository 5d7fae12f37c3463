"""Options of the embedder are checked and named."""

import pytest

from backends.ports.errors import InvalidInput
from tests.engines.minilm.embedders import open_embedder


@pytest.mark.parametrize("options", [{"workers": 0}, {"unknown": 1}, {"directory": "/nowhere/at/all"}])
async def test_a_wrong_option_is_refused_by_name(options: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await open_embedder(**options)
