"""A second process opens an engine as a server does."""

from pathlib import Path

from backends.ports.checked import CheckedEngine
from backends.registry import load_adapter
from contracts.second_process import TrialSpec, reference_to


async def test_the_engine_of_a_second_process_checks_arguments(tmp_path: Path) -> None:
    module, name = reference_to(load_adapter("sqlite"))
    spec = TrialSpec(module, name, {}, str(tmp_path), "trial", "trial/", ("graph", "events"))
    engine = await spec.open()
    try:
        assert isinstance(engine, CheckedEngine)
        await spec.write(engine, "written")
        assert await spec.read(engine) == {"graph": ["written"], "events": ["written"]}
    finally:
        await engine.close()
