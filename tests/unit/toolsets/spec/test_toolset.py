"""What a toolset gets from the gateway."""

import random
from typing import cast

import pytest
from pydantic import BaseModel

from backends.ports.adapter import Stores
from backends.ports.values import Micros
from toolsets.spec import Services


class Own(BaseModel):
    size: int = 3


class Other(BaseModel): ...


def test_settings_are_those_of_the_toolset_itself() -> None:
    services = Services(cast("Stores", None), lambda: Micros(0), random.Random(), Own())
    assert services.settings_as(Own).size == 3
    with pytest.raises(TypeError, match="the settings are a Own, not a Other"):
        services.settings_as(Other)
