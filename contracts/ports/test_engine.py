"""An adapter opens its engine, hands out what it offers, is honest about the rest, and closes cleanly."""

from collections.abc import Awaitable, Callable, Mapping

import pytest

from backends.ports.adapter import Engine
from backends.ports.capabilities import Capabilities, PortName
from backends.ports.errors import InvalidInput, Unsupported
from backends.ports.ids import namespace
from contracts.fixtures import EngineFactory, UnderTest
from contracts.promises import promise


def _ports(engine: Engine) -> Mapping[PortName, Callable[[], Awaitable[object]]]:
    place = namespace("t_ports")
    return {
        "graph": lambda: engine.graph(place),
        "vectors": lambda: engine.vectors(place),
        "events": engine.events,
        "embedder": engine.embedder,
        "language": engine.language,
    }


@promise("engine:ports:unsupported")
async def test_a_port_that_is_not_offered_is_unsupported(engine_under_test: Engine, capabilities: Capabilities) -> None:
    """The engine raises the error itself, and returns the ports that it does offer."""
    for port, ask in _ports(engine_under_test).items():
        if port in capabilities.ports:
            assert await ask() is not None
        else:
            with pytest.raises(Unsupported):
                await ask()


@promise("engine:ports:conditional-writes")
async def test_ports_say_whether_they_refuse_older_revisions(
    engine_under_test: Engine, capabilities: Capabilities
) -> None:
    """If an engine does not compare revisions, its writer must be the only one."""
    place = namespace("t_ports")
    for port, ask in (("graph", engine_under_test.graph), ("vectors", engine_under_test.vectors)):
        if port in capabilities.ports:
            assert (await ask(place)).conditional_writes == capabilities.conditional_writes


@promise("engine:health")
async def test_an_open_engine_reports_good_health(engine_under_test: Engine) -> None:
    """The report is a sentence for the operator, with the versions in use."""
    health = await engine_under_test.health()
    assert health.ok
    assert health.detail
    assert health.versions


@promise("engine:close")
async def test_closing_may_be_repeated_and_health_then_raises_nothing(engine_factory: EngineFactory) -> None:
    """A caller may close an engine without knowing whether it is closed already."""
    engine = await engine_factory.open()
    for ask in _ports(engine).values():
        try:
            await ask()
        except Unsupported:
            continue
    await engine.close()
    await engine.close()
    assert (await engine.health()).detail


@promise("engine:open:options")
async def test_an_option_that_does_not_exist_is_refused(engine_factory: EngineFactory) -> None:
    """A misspelt option is never ignored."""
    engine_factory.options = {**engine_factory.options, "no_such_option": 1}
    with pytest.raises(InvalidInput, match="no_such_option"):
        await engine_factory.open()


@promise("engine:name")
async def test_an_adapter_has_a_name_and_a_settings_model(adapter_under_test: UnderTest) -> None:
    """The name is the `kind` of the profile, and the settings accept the options that opened the engine."""
    adapter, options = adapter_under_test
    assert adapter.name
    assert adapter.capabilities.ports
    assert adapter.settings.model_validate(options)
