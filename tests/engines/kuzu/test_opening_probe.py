"""A file of the other driver, and one over which the driver ends its process, is refused."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from backends.ports.errors import Unusable
from tests.engines.kuzu.files import filled, opened

MAGIC = {"kuzu": b"KUZU", "ladybug": b"LBUG"}
PAGE = 4_096


async def test_a_file_of_the_other_driver_is_refused_in_one_sentence(
    tmp_path: Path, driver: str, other_driver: str
) -> None:
    path = await filled(tmp_path, driver)
    path.write_bytes(MAGIC[other_driver] + path.read_bytes()[4:])
    with pytest.raises(Unusable, match=f'was written by {other_driver}.* set driver = "{other_driver}"'):
        await opened(tmp_path, driver)


def opened_elsewhere(directory: Path, driver: str) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-m", "tests.engines.kuzu.opener", str(directory), driver]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


async def test_no_damaged_page_ends_the_process_that_opens_the_file(tmp_path: Path, driver: str) -> None:
    """Every opening ends in words: it works, or the file is said to be damaged and left as it is."""
    path = await filled(tmp_path, driver)
    whole = path.read_bytes()
    pages = len(whole) // PAGE
    refused = 0
    for page in (2, 3, 6, pages // 2, pages - 3, pages - 2):
        damaged = bytearray(whole)
        damaged[page * PAGE : (page + 1) * PAGE] = random.Random(page).randbytes(PAGE)
        path.write_bytes(damaged)
        done = opened_elsewhere(tmp_path, driver)
        assert done.returncode == 0, (page, done.returncode, done.stderr[-500:])
        if done.stdout != "opened\n":
            assert done.stdout.startswith("unusable: "), (page, done.stdout)
            assert "is damaged" in done.stdout
            assert path.read_bytes() == damaged
            refused += 1
    if not refused:
        pytest.fail("none of the pages mattered, so this test shows nothing")
