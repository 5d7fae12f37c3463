"""Which toolsets are served, and with which stores."""

import logging
import re
from collections.abc import Iterable
from contextlib import nullcontext
from importlib.metadata import EntryPoint

import pytest
from pydantic import BaseModel, ConfigDict

from backends.ports.capabilities import PortName
from config.settings import Settings
from gateway import assignment
from gateway.assignment import assignments
from gateway.errors import Refused
from toolsets.spec import RunningToolset, Toolset


class Own(BaseModel):
    model_config = ConfigDict(extra="forbid")

    depth: int = 3


def toolset(name: str, *ports: PortName, optional: frozenset[PortName] = frozenset()) -> Toolset:
    return Toolset(name, name, "", Own, frozenset(ports), lambda _: nullcontext(RunningToolset()), optional)


NOTES = toolset("notes", "events", optional=frozenset({"language"}))
MAPS = toolset("maps", "graph", "events")
# Known where a table names it.
PLANS = toolset("plans", "graph", "events")
STORES = {"log": {"kind": "sqlite"}, "main": {"kind": "sqlite"}, "llm": {"kind": "openai_compatible"}}


@pytest.fixture(autouse=True)
def two_toolsets(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {each.name: each for each in (NOTES, MAPS, PLANS)}
    points = {name: EntryPoint(name, f"theirs.{name}", "entrepot.toolsets") for name in ("notes", "maps")}

    def loaded(names: Iterable[str]) -> tuple[Toolset, ...]:
        return tuple(known[name] for name in sorted(names))

    monkeypatch.setattr(assignment, "installed", lambda: points)
    monkeypatch.setattr(assignment, "load", loaded)


def settings(**tables: object) -> Settings:
    return Settings.model_validate({"stores": STORES, **tables})


def stores_of(found: Settings) -> dict[str, dict[str, str]]:
    return {each.toolset.name: dict(each.stores) for each in assignments(found)}


def test_a_toolset_takes_the_default_stores_for_what_its_table_does_not_name() -> None:
    found = settings(
        defaults={"graph": "main", "events": "log", "vectors": "main"}, toolsets={"maps": {"events": "main"}}
    )
    assert stores_of(found) == {"maps": {"graph": "main", "events": "main"}, "notes": {"events": "log"}}


def test_a_language_model_goes_to_the_toolsets_that_use_one() -> None:
    found = settings(defaults={"graph": "main", "events": "log", "language": "llm"})
    assert stores_of(found)["notes"]["language"] == "llm"
    assert "language" not in stores_of(found)["maps"]


def test_a_port_that_a_toolset_does_not_use_is_refused() -> None:
    with pytest.raises(Refused, match=r"\[toolsets.maps\] names a store for vectors, which the toolset does not use"):
        assignments(settings(toolsets={"maps": {"graph": "main", "events": "log", "vectors": "main"}}))


def test_a_configured_toolset_without_a_store_is_refused_and_an_unconfigured_one_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "entrepot"):
        assert stores_of(settings(defaults={"events": "log"})) == {"notes": {"events": "log"}}
    assert "maps is installed but not configured, and it is not served" in caplog.text
    assert "notes is installed but not configured; it is served with the default stores" in caplog.text
    with pytest.raises(Refused, match=r"\[toolsets.maps\] or \[defaults\] must name a store for: graph"):
        assignments(settings(defaults={"events": "log"}, toolsets={"maps": {}}))


def test_a_disabled_toolset_is_left_out_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    assert stores_of(settings(toolsets={"maps": {"enabled": False}, "notes": {"enabled": False}})) == {}
    assert not caplog.text


def test_a_disabled_toolset_that_is_not_installed_is_named(caplog: pytest.LogCaptureFixture) -> None:
    defaults = {"graph": "main", "events": "log"}
    with pytest.raises(Refused, match=r"\[toolsets\.mpas\] disables a toolset .* not installed; did you mean maps\?$"):
        assignments(settings(defaults=defaults, toolsets={"mpas": {"enabled": False}}))
    assert {*stores_of(settings(defaults=defaults, toolsets={"gone": {"enabled": False}}))} == {"maps", "notes"}
    assert "[toolsets.gone] disables a toolset that is not installed." in caplog.text


def test_only_the_toolsets_that_are_asked_for_are_assigned() -> None:
    everything = settings(defaults={"graph": "main", "events": "log"}, toolsets={"notes": {"enabled": False}})
    assert [each.toolset.name for each in assignments(everything, ["maps"])] == ["maps"]
    with pytest.raises(Refused, match=r"No toolset called notes is enabled\. Enabled are: maps"):
        assignments(everything, ["maps", "notes"])
    with pytest.raises(Refused, match=r"No toolset called mpas is enabled; did you mean maps\? Enabled are: maps"):
        assignments(everything, ["mpas"])


def test_a_wrong_setting_of_a_toolset_is_named_with_what_may_be_meant() -> None:
    stores = {"graph": "main", "events": "log"}
    with pytest.raises(Refused, match=r"toolsets.maps.dept is not a setting; did you mean depth\?$"):
        assignments(settings(toolsets={"maps": {**stores, "dept": 4}}))
    with pytest.raises(Refused, match=r"^toolsets\.maps\.depth should be an integer\.$"):
        assignments(settings(toolsets={"maps": {**stores, "depth": "x"}}))


DRIVERS = {"k": {"kind": "kuzu"}, "l": {"kind": "kuzu", "driver": "ladybug"}, "log": {"kind": "sqlite"}}


@pytest.mark.parametrize("only", [None, ["maps"], ["notes"]])
def test_stores_that_one_process_cannot_open_are_refused_whatever_is_to_be_served(only: list[str] | None) -> None:
    """A command that serves one toolset refuses as well: the next one would not find the same."""
    found = settings(
        stores=DRIVERS,
        defaults={"graph": "k", "events": "log"},
        toolsets={"maps": {"graph": "l"}, "plans": {}},
    )
    with pytest.raises(Refused, match=r"\[stores\.k\] .*kuzu .*\[stores\.l\] .*ladybug.*choose one driver"):
        assignments(found, only)


def test_a_store_that_no_toolset_uses_may_have_another_driver() -> None:
    """Both stay in the file during a move; neither does a default count that every toolset overrides."""
    tables = {"maps": {"graph": "l"}, "plans": {"graph": "l"}}
    found = settings(stores=DRIVERS, defaults={"graph": "k", "events": "log"}, toolsets=tables)
    assert {each.stores.get("graph") for each in assignments(found)} == {"l", None}
    off = {"maps": {"graph": "l"}, "plans": {"enabled": False}}
    assert assignments(settings(stores=DRIVERS, defaults={"graph": "k", "events": "log"}, toolsets=off), ["maps"])


@pytest.mark.parametrize(
    ("kind", "told"), [("sqlte", "; did you mean sqlite? There are: "), ("oracle", ". There are: ")]
)
def test_a_store_in_use_whose_kind_no_adapter_has_is_refused_with_a_suggestion(kind: str, told: str) -> None:
    stores = {**STORES, "log": {"kind": kind}}
    found = Settings.model_validate({"stores": stores, "defaults": {"graph": "main", "events": "log"}})
    with pytest.raises(Refused, match=re.escape(f"[stores.log]: no adapter is called '{kind}'{told}")):
        assignments(found)
    assert assignments(Settings.model_validate({"stores": stores, "defaults": {"graph": "main", "events": "main"}}))
