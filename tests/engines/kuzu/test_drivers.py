"""Kuzu and Ladybug cannot be loaded into one process: whichever comes second is refused before it is imported."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.errors import InvalidInput
from backends.ports.values import Namespace
from backends.stores import OpenStores

OPENING = """
import asyncio, importlib, pathlib, sys
from backends.engines.kuzu.adapter import ADAPTER
from backends.ports.errors import StoreError

importlib.import_module(sys.argv[1])
try:
    asyncio.run(ADAPTER.open({"driver": sys.argv[2]}, pathlib.Path(sys.argv[3])))
except StoreError as problem:
    print(problem.code, problem)
"""


@pytest.mark.skipif(
    importlib.util.find_spec("kuzu") is None or importlib.util.find_spec("ladybug") is None, reason="needs both drivers"
)
@pytest.mark.parametrize(("first", "second"), [("kuzu", "ladybug"), ("ladybug", "kuzu")])
def test_a_driver_is_refused_after_another_part_of_the_process_imported_the_other(
    tmp_path: Path, first: str, second: str
) -> None:
    """Importing the second one would fail, or end the process with a segmentation fault."""
    command = [sys.executable, "-c", OPENING, first, second, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3], check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("invalid_input option driver: this process already uses")
    assert f"'{first}'" in done.stdout
    assert not [*tmp_path.iterdir()]


async def test_a_process_cannot_load_both_drivers(tmp_path: Path, driver: str, other_driver: str) -> None:
    await (await ADAPTER.open({"driver": driver}, tmp_path)).close()
    with pytest.raises(InvalidInput, match="cannot be loaded together"):
        await ADAPTER.open({"driver": other_driver}, tmp_path)


async def test_a_configuration_with_both_drivers_is_refused_at_the_second_store(
    tmp_path: Path, driver: str, other_driver: str
) -> None:
    tables = {
        "one": {"kind": "kuzu", "driver": driver},
        "two": {"kind": "kuzu", "driver": other_driver, "file": "other"},
    }
    stores = OpenStores(tables, tmp_path)
    await stores.stores(graph="one").graph(Namespace("space"))
    with pytest.raises(InvalidInput, match=r"\[stores\.two\].*choose one driver for all stores"):
        await stores.open_all()
    await stores.close()
