"""A copy for verification lies apart, has the name of its original, and is removed afterwards."""

import shutil
from pathlib import Path

import pytest

from backends.kit.scratch_copy import DamageFound, scratch_copy
from backends.ports.errors import Unavailable


async def test_what_is_done_to_the_copy_leaves_the_original_alone(tmp_path: Path) -> None:
    original = tmp_path / "store.db"
    original.write_text("facts")
    async with scratch_copy(original, shutil.copyfile) as copy:
        assert copy.name == "store.db"
        assert copy.read_text() == "facts"
        copy.write_text("other")
    assert original.read_text() == "facts"
    assert not copy.parent.exists()


async def test_a_store_that_cannot_be_copied_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"missing\.db cannot be copied for verification: No such file"):
        async with scratch_copy(tmp_path / "missing.db", shutil.copyfile):
            raise AssertionError("there is nothing to verify")


async def test_the_copy_is_removed_after_an_error(tmp_path: Path) -> None:
    places: list[Path] = []

    async def verify() -> None:
        async with scratch_copy(tmp_path / "folder", lambda _, copy: copy.mkdir()) as copy:
            places.append(copy)
            raise DamageFound("a row is lost")

    with pytest.raises(DamageFound, match="a row is lost"):
        await verify()
    assert not places[0].exists()
