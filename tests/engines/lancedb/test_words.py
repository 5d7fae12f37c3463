"""Words are split the same way in every script, without language rules."""

from pathlib import Path

import pytest

from contracts.ports.vector_records import NAME, fill, record
from tests.engines.lancedb.tables import opened


@pytest.mark.parametrize(
    ("stored", "found", "missed"),
    [
        ("the running of the bulls", "THE", "run"),
        ("Straße nach Köln", "strasse koln", "str"),
        ("user_9 logged in", "user", "use"),
        ("version 7 of abc7", "abc7", "abc"),
        ("हिन्दी में लिखा", "हिन्दी", "हिन"),
        ("日本語 テキスト", "日本語", "語"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "σίσ"),
        ("don't stop", "don't", "do"),
        ("x" * 5_000, "x" * 5_000, "x" * 100),
        ("thumbs 👍🏽 up", "up 👍🏽", "👍🏽"),
    ],
)
async def test_a_word_is_found_whole(tmp_path: Path, stored: str, found: str, missed: str) -> None:
    async with opened(tmp_path) as vectors:
        await fill(vectors, record("r", None, stored), record("other", None, "something else"))
        assert [hit.id for hit in await vectors.keyword(NAME, found, 5)] == ["r"]
        assert list(await vectors.keyword(NAME, missed, 5)) == []
