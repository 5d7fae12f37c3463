"""What toolsets declare to the gateway."""

import random
from typing import cast

import click
import pytest
from pydantic import BaseModel

from backends.ports.adapter import Stores
from backends.ports.values import Micros
from toolsets.spec import READ_ONLY, CallContext, ReadOnlyFlag, Services, ToolError


class Own(BaseModel):
    size: int = 3


class Other(BaseModel): ...


def test_settings_are_those_of_the_toolset_itself() -> None:
    services = Services(cast("Stores", None), lambda: Micros(0), random.Random(), Own())
    assert services.settings_as(Own).size == 3
    with pytest.raises(TypeError, match="the settings are a Own, not a Other"):
        services.settings_as(Other)


def test_an_error_has_its_code_message_and_details() -> None:
    error = ToolError("not_found", "There is none", resource_id="x")
    assert (error.code, error.message, error.details) == ("not_found", "There is none", {"resource_id": "x"})
    assert ToolError("not_found").message == ""


def test_a_tool_is_named_as_the_caller_knows_it() -> None:
    context = CallContext("search", served_names={"search": "knowledge_search"})
    assert (context.served_name("search"), context.served_name("ping")) == ("knowledge_search", "ping")


@pytest.mark.parametrize(("words", "read_only"), [(["--dry-run"], True), ([], False)])
def test_a_flag_that_makes_stores_read_only_is_noted_when_the_line_is_parsed(
    words: list[str], *, read_only: bool
) -> None:
    command = click.Command("prune", params=[ReadOnlyFlag(["--dry-run"], is_flag=True)])
    with command.make_context("prune", words) as ctx:
        assert ctx.params == {"dry_run": read_only}
        assert ctx.meta.get(READ_ONLY, False) is read_only
