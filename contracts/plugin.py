"""The pytest plugin of the contract suite; load it with `-p contracts.plugin`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from backends.ports.adapter import Adapter, AdapterOverFiles
from backends.ports.capabilities import PortName
from backends.ports.values import Json
from backends.registry import load_adapter
from contracts.servers import Combination, value_of

pytest_plugins = ["contracts.fixtures", "contracts.report"]

PORTS: tuple[PortName, ...] = ("graph", "vectors", "events", "embedder", "language")
DOORS = ("stdio", "http")
COLUMN = "contracts.column"
PROMISE = "contracts.promise"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the contract suite."""
    group = parser.getgroup("contracts", "contract suite")
    group.addoption("--backend", action="append", default=[], metavar="NAME", help="engine to try; repeatable")
    group.addoption(
        "--store-option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the engine's store, as in a profile's [stores.*] table (JSON, else text); repeatable",
    )
    group.addoption("--profile", default="embedded", help="profile that the tool suites are served with")
    group.addoption(
        "--engine",
        action="append",
        default=[],
        metavar="PORT=KIND",
        help="use another engine than the profile's for a port",
    )
    group.addoption(
        "--door", action="append", default=[], choices=DOORS, help="how the tools are reached; both unless named"
    )
    group.addoption("--column", default=None, metavar="NAME", help="what the report calls the engine or the profile")
    group.addoption("--report", type=Path, default=None, metavar="FILE", help="write the outcome per promise as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marks known."""
    config.addinivalue_line("markers", "promise(*ids): the promises of the manifest that a test proves")
    config.addinivalue_line("markers", "needs(*ports): ports that a test uses without asking for them by fixture")
    config.addinivalue_line("markers", "over_files: for adapters that name the files of their engine")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each port test once per engine named on the command line, and each tool test once per door."""
    if "door_kind" in metafunc.fixturenames:
        metafunc.parametrize("door_kind", _several(metafunc.config, "door") or DOORS, indirect=True, scope="session")
    if "backend_name" not in metafunc.fixturenames:
        return
    names = _several(metafunc.config, "backend")
    if not names:
        raise pytest.UsageError("name an engine with --backend, or override the fixture `adapter_under_test`")
    metafunc.parametrize("backend_name", names, indirect=True, scope="session")


@dataclass(frozen=True, slots=True)
class NotOffered:
    """A test that was left out because its engine lacks what it is about."""

    promises: tuple[str, ...]
    column: str


NOT_OFFERED = pytest.StashKey[list[NotOffered]]()


@dataclass(frozen=True, slots=True)
class Tried:
    """What an engine says of itself: the versions it runs, and its known gaps by promise."""

    versions: Mapping[str, str]
    gaps: Mapping[str, str]


TRIED = pytest.StashKey[dict[str, Tried]]()
"""The engines tried, by column."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note which promises each test proves, and leave out the tests of what an engine does not offer."""
    left_out: list[pytest.Item] = []
    noted = config.stash.setdefault(NOT_OFFERED, [])
    for item in items:
        promises = promises_of(item)
        item.user_properties.extend((PROMISE, promise_id) for promise_id in promises)
        backend, door = _parameter(item, "backend_name"), _parameter(item, "door_kind")
        if backend is None and not _tries_an_engine(item):
            profile = column_of(config, "+".join((combination(config).profile, *combination(config).engines.values())))
            item.user_properties.append((COLUMN, f"{profile}/{door}" if door else profile))
        if backend is None:
            continue
        item.user_properties.append((COLUMN, column_of(config, backend)))
        if _is_beyond(item, load_adapter(backend)):
            left_out.append(item)
            noted.append(NotOffered(promises, column_of(config, backend)))
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def combination(config: pytest.Config) -> Combination:
    """Return the engines that the tools are served on. Raises `UsageError` for an `--engine` without "="."""
    engines: dict[str, str] = {}
    for text in _several(config, "engine"):
        port, equals, kind = text.partition("=")
        if not equals or port not in PORTS:
            raise pytest.UsageError(f"--engine wants PORT=KIND, a port being one of {', '.join(PORTS)}: {text!r}")
        engines[port] = kind
    return Combination(str(config.getoption("profile")), engines)


def column_of(config: pytest.Config, name: str) -> str:
    """Return what the report calls an engine or a profile."""
    chosen: str | None = config.getoption("column")
    return chosen or name


def promises_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the promises that a test names, in order."""
    return tuple(str(name) for mark in item.iter_markers("promise") for name in mark.args)


def ports_of(item: pytest.Item) -> frozenset[PortName]:
    """Return the ports that a test asks for by fixture, or by the mark `needs`."""
    if not isinstance(item, pytest.Function):
        return frozenset()
    needed = {name for mark in item.iter_markers("needs") for name in mark.args}
    return frozenset(port for port in PORTS if port in item.fixturenames or port in needed)


def _is_beyond(item: pytest.Item, adapter: Adapter) -> bool:
    """Say whether a test is about what an adapter does not offer."""
    of_files = item.get_closest_marker("over_files") is not None
    return not ports_of(item) <= adapter.capabilities.ports or (of_files and not isinstance(adapter, AdapterOverFiles))


def store_options(config: pytest.Config) -> Mapping[str, Json]:
    """Return the `--store-option`s. Raises `UsageError` for one without "="."""
    options: dict[str, Json] = {}
    for text in _several(config, "store_option"):
        key, equals, value = text.partition("=")
        if not equals:
            raise pytest.UsageError(f"--store-option wants KEY=VALUE: {text!r}")
        options[key] = value_of(value)
    return options


def _tries_an_engine(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "adapter_under_test" in item.fixturenames


def _parameter(item: pytest.Item, name: str) -> str | None:
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return None
    value = item.callspec.params.get(name)
    return value if isinstance(value, str) else None


def _several(config: pytest.Config, option: str) -> list[str]:
    values: list[str] | None = config.getoption(option)
    return values or []
