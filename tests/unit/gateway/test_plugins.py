"""What is said about plugins that are not right."""

from contextlib import nullcontext
from types import ModuleType

import pytest
from pydantic import BaseModel

from gateway.errors import Refused
from gateway.plugins import collected, load, plugin_manager
from toolsets.spec import RunningToolset, Toolset, hookimpl


def toolset(name: str) -> Toolset:
    return Toolset(name, name, "", BaseModel, frozenset(), lambda _: nullcontext(RunningToolset()))


def plugin(name: str, hook: str = "entrepot_toolset", answer: object = None) -> ModuleType:
    module = ModuleType(name)

    @hookimpl
    def implementation() -> object:
        return toolset(name) if answer is None else answer

    setattr(module, hook, implementation)
    return module


def test_toolsets_come_sorted_by_name() -> None:
    manager = plugin_manager()
    for name in ("b", "a", "c"):
        manager.register(plugin(name), name=name)
    assert [each.name for each in collected(manager)] == ["a", "b", "c"]


def test_a_misspelt_hook_is_an_error_that_names_it() -> None:
    manager = plugin_manager()
    manager.register(plugin("a", "entrepot_tolset"), name="a")
    with pytest.raises(Refused, match="entrepot_tolset"):
        collected(manager)


def test_a_plugin_without_a_hook_is_an_error() -> None:
    manager = plugin_manager()
    manager.register(ModuleType("a"), name="a")
    with pytest.raises(Refused, match="plugin a must implement the hook entrepot_toolset"):
        collected(manager)


@pytest.mark.parametrize("answer", ["text", toolset("other")])
def test_a_plugin_must_bring_the_toolset_of_its_name(answer: object) -> None:
    manager = plugin_manager()
    manager.register(plugin("a", answer=answer), name="a")
    with pytest.raises(Refused, match="plugin a "):
        collected(manager)


def test_a_toolset_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(Refused, match="toolset nothing is configured but not installed"):
        load(["nothing"])
    with pytest.raises(Refused, match=r"toolset knowlege is configured but not installed; did you mean knowledge\?"):
        load(["knowlege"])
