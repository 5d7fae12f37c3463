"""The driver's messages become store errors; a damaged file is left as it is."""

import hashlib
import random
from pathlib import Path

import pytest

from backends.ports.errors import Unusable
from tests.engines.kuzu.files import filled, opened


@pytest.mark.parametrize("damage", ["empty", "head", "half", "foreign", "noise"])
async def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, driver: str, damage: str) -> None:
    path = await filled(tmp_path, driver)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "empty": b"",
            "head": whole[:100],
            "half": whole[: len(whole) // 2],
            "foreign": b"SQLite format 3\0" * 999,
            "noise": whole[:100] + random.Random(1).randbytes(len(whole) - 100),
        }[damage]
    )
    before = hashlib.sha256(path.read_bytes()).digest()
    with pytest.raises(Unusable, match="run `entrepot rebuild`") as problem:
        await opened(tmp_path, driver)
    assert problem.value.replaceable[0] == path
    assert hashlib.sha256(path.read_bytes()).digest() == before
