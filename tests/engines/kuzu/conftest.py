"""Selects the driver under test; a process can load only one of the two."""

import importlib.util
import os

import pytest

DRIVERS = ("kuzu", "ladybug")


@pytest.fixture
def driver() -> str:
    name = os.environ.get("ENTREPOT_TEST_KUZU_DRIVER", "kuzu")
    assert name in DRIVERS
    if importlib.util.find_spec(name) is None:
        pytest.skip(f'the driver is missing: pip install "entrepot[{name}]"')
    return name


@pytest.fixture
def other_driver(driver: str) -> str:
    return next(name for name in DRIVERS if name != driver)
