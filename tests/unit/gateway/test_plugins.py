"""What is said about plugins that are not right."""

import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import anyio
import pytest
from pydantic import BaseModel

from config import sources
from gateway.composition import assemble_gateway
from gateway.errors import Refused
from gateway.plugins import collected, load, may_provide, packages, plugin_manager
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


PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_the_metadata_names_every_command_of_the_shipped_toolsets() -> None:
    """A command that is missing there would not be found without its toolset's name."""
    points = tomllib.loads(PROJECT.read_text())["project"]["entry-points"]
    toolsets = {module: name for name, module in points["entrepot.toolsets"].items()}
    declared = {(command, toolsets[module]) for command, module in points["entrepot.commands"].items()}

    async def brought() -> set[tuple[str, str]]:
        async with assemble_gateway(sources.load().settings, sorted(toolsets.values())) as gateway:
            return {
                (str(spec.command.name), each.toolset.name) for each in gateway.served for spec in each.running.commands
            }

    assert declared == anyio.run(brought)


def distribution(folder: Path, name: str, points: str) -> None:
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(points)


def test_only_toolsets_that_may_bring_a_command_are_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One distribution says which of its toolsets brings it; the other says nothing, and may bring anything."""
    announced = {
        "telling": "[entrepot.toolsets]\none = telling.one\ntwo = telling.two\n"
        "[entrepot.commands]\nsay = telling.one\nsing = telling.two\n",
        "silent": "[entrepot.toolsets]\nthree = silent\n",
    }
    for name, points in announced.items():
        distribution(tmp_path, name, points)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert may_provide("say") == ("one", "three")
    assert may_provide("sing") == ("three", "two")
    assert may_provide("shout") == ("three",)


def test_the_packages_of_adapters_are_looked_up_only_for_kinds_that_are_not_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(tmp_path, "one", "[entrepot.toolsets]\nnotes = a_toolset.plugin\n")
    distribution(tmp_path, "two", "[entrepot.backends]\nfiles = an_adapter.files:ADAPTER\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert packages(["sqlite", "kuzu"]) == {"a_toolset"}
    assert packages(["sqlite", "files"]) == {"a_toolset", "an_adapter"}
