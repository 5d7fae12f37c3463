"""The pytest plugin of the contract suite; load it with `-p contracts.plugin`."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import cast

import pytest

from backends.ports.adapter import Adapter, AdapterOverFiles, capabilities_with
from backends.ports.capabilities import Capabilities, PortName
from backends.ports.errors import InvalidInput
from backends.ports.values import Json
from backends.registry import load_adapter
from config.sources import profiles
from contracts.adapter_check import MISUSED, PORTS, Misuse, check_adapter
from contracts.promises import PROMISE, area_of, group_of, is_under, manifest
from contracts.servers import Combination, options_of, value_of

pytest_plugins = ["contracts.fixtures", "contracts.report"]

TRANSPORTS = ("stdio", "http")
COLUMN = "contracts.column"
MISUSE = pytest.StashKey[str]()
"""Why the run did not start."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the contract suite."""
    group = parser.getgroup("contracts", "contract suite")
    group.addoption("--backend", action="append", default=[], metavar="NAME", help="engine to test; repeatable")
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
        "--transport",
        action="append",
        default=[],
        choices=TRANSPORTS,
        help="transport of the tool suites; both by default",
    )
    group.addoption(
        "--promise",
        action="append",
        default=[],
        metavar="ID",
        help="test only this promise, or those of an area or a group: vectors, vectors:keyword; repeatable",
    )
    group.addoption(
        "--column", default=None, metavar="NAME", help="the name of the engine or the profile in the report"
    )
    group.addoption("--report", type=Path, default=None, metavar="FILE", help="write the outcome per promise as JSON")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks."""
    config.addinivalue_line("markers", "promise(*ids): the promises of the manifest that a test proves")
    config.addinivalue_line("markers", "needs(*ports): ports that a test uses without a fixture")
    config.addinivalue_line("markers", "over_files: for adapters that name their engine's files")
    config.addinivalue_line("markers", "claims(field, *values): for adapters whose capabilities have one of the values")


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Check the names on the command line before collection. Raises `UsageError` with one sentence."""
    config = session.config
    try:
        _check_names(config)
        for name in _several(config, "backend"):
            check_adapter(_loaded(name), options_under(config, name), chosen_as=name)
    except Misuse as misuse:
        config.stash[MISUSE] = str(misuse)
        raise pytest.UsageError(str(misuse)) from misuse


def _check_names(config: pytest.Config) -> None:
    chosen = combination(config)
    if chosen.profile not in profiles():
        raise Misuse(f"no profile is called {chosen.profile!r}; there are: {', '.join(profiles())}")
    for kind in chosen.engines.values():
        _loaded(kind)
    for wanted in _several(config, "promise"):
        found = [entry for promise_id, entry in manifest().items() if is_under(promise_id, wanted)]
        if not found:
            known = {
                name for promise_id in manifest() for name in (promise_id, group_of(promise_id), area_of(promise_id))
            }
            similar = get_close_matches(wanted, sorted(known), n=1)
            raise Misuse(f"no promise is called {wanted!r}{f'; is it {similar[0]!r}?' if similar else ''}")
        if all(entry.proved_by == "e2e" for entry in found):
            raise Misuse(f"{wanted!r} is proved by the end-to-end tests of the project, not by this suite")


def _loaded(name: str) -> Adapter:
    try:
        return load_adapter(name)
    except InvalidInput as error:
        raise Misuse(str(error)) from error


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: "pytest.FixtureDef[object]", request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Check an adapter that a fixture brings before anything is tried on it."""
    made = yield
    if fixturedef.argname == "adapter_under_test":
        try:
            adapter, options = cast("tuple[Adapter, Mapping[str, Json]]", made)
            check_adapter(adapter, options)
        except Misuse as misuse:
            request.config.stash[MISUSE] = str(misuse)
            pytest.exit(str(misuse), returncode=MISUSED)
    return made


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each port test once per engine named on the command line, and each tool test once per transport."""
    if "transport" in metafunc.fixturenames:
        metafunc.parametrize(
            "transport", _several(metafunc.config, "transport") or TRANSPORTS, indirect=True, scope="session"
        )
    if "backend_name" not in metafunc.fixturenames:
        return
    names = _several(metafunc.config, "backend")
    if not names:
        raise pytest.UsageError("name an engine with --backend, or override the fixture `adapter_under_test`")
    metafunc.parametrize("backend_name", names, indirect=True, scope="session")


@dataclass(frozen=True, slots=True)
class NotOffered:
    """A test that was left out because its engine lacks what it tests."""

    promises: tuple[str, ...]
    column: str


NOT_OFFERED = pytest.StashKey[list[NotOffered]]()


@dataclass(frozen=True, slots=True)
class EngineUnderTest:
    """What an engine declares: the versions it runs, and its known gaps by promise."""

    versions: Mapping[str, str]
    gaps: Mapping[str, str]


ENGINES_UNDER_TEST = pytest.StashKey[dict[str, EngineUnderTest]]()
"""The tested engines, by column."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Record the promises of each test, and leave out tests of other promises and of what an engine does not offer."""
    left_out = [item for item in items if not _is_wanted(item, _several(config, "promise"))]
    noted = config.stash.setdefault(NOT_OFFERED, [])
    adapters: dict[str, tuple[Adapter, Capabilities]] = {}
    for name in _several(config, "backend"):
        adapters[name] = (load_adapter(name), capabilities_with(load_adapter(name), options_under(config, name)))
    for item in items:
        promises = promises_of(item)
        item.user_properties.extend((PROMISE, promise_id) for promise_id in promises)
        backend, transport = _parameter(item, "backend_name"), _parameter(item, "transport")
        if backend is None and not _tries_an_engine(item):
            profile = column_of(config, "+".join((combination(config).profile, *combination(config).engines.values())))
            item.user_properties.append((COLUMN, f"{profile}/{transport}" if transport else profile))
        if backend is None or item in left_out:
            continue
        item.user_properties.append((COLUMN, column_of(config, backend)))
        if why_not_offered(item, *adapters[backend]):
            left_out.append(item)
            noted.append(NotOffered(promises, column_of(config, backend)))
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _is_wanted(item: pytest.Item, wanted: Sequence[str]) -> bool:
    """Return whether a test proves one of the promises that `--promise` names, if it names any."""
    return not wanted or any(is_under(promise_id, each) for promise_id in promises_of(item) for each in wanted)


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
    """Return the name of an engine or a profile in the report."""
    chosen: str | None = config.getoption("column")
    return chosen or name


def promises_of(item: pytest.Item) -> tuple[str, ...]:
    """Return the promises that a test names, in order."""
    return tuple(str(name) for mark in item.iter_markers("promise") for name in mark.args)


def ports_of(item: pytest.Item) -> frozenset[PortName]:
    """Return the ports that a test requests by fixture or by the mark `needs`."""
    if not isinstance(item, pytest.Function):
        return frozenset()
    needed = {name for mark in item.iter_markers("needs") for name in mark.args}
    return frozenset(port for port in PORTS if port in item.fixturenames or port in needed)


def why_not_offered(item: pytest.Item, adapter: Adapter, capabilities: Capabilities) -> str | None:
    """Return why an adapter does not offer what a test is about; None if it does."""
    if absent := ports_of(item) - adapter.capabilities.ports:
        return f"the engine offers no {' and no '.join(sorted(absent))}"
    if item.get_closest_marker("over_files") is not None and not isinstance(adapter, AdapterOverFiles):
        return "the adapter names no files"
    for mark in item.iter_markers("claims"):
        field, values = str(mark.args[0]), mark.args[1:]
        value: object = getattr(capabilities, field)
        if value not in values:
            return f"the adapter says {field} = {value}"
    return None


def options_under(config: pytest.Config, name: str) -> Mapping[str, Json]:
    """Return the options of an engine: those of the environment, overridden by `--store-option`s."""
    return {**options_of(name), **store_options(config)}


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
