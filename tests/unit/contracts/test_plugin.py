"""The plugin holds an adapter to what it declares, tried on a toy engine from outside."""

import json
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def packages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


TOY = """
from dataclasses import dataclass
from pathlib import Path

import numpy
import pytest
from pydantic import BaseModel, ConfigDict

from backends.ports.adapter import Engine, Health
from backends.ports.capabilities import Capabilities
from backends.ports.embedder import EmbedderIdentity
from backends.ports.errors import InvalidInput
from backends.ports.gaps import KnownGap


class Toy(Engine):
    identity = EmbedderIdentity("toy", 2, "1")

    async def embedder(self):
        return self

    async def embed(self, texts):
        return numpy.array([[1.0, 0.0]] * len(texts), dtype=numpy.float32).reshape(len(texts), 2)

    async def health(self):
        return Health(ok=True, detail="fine", versions={"toy": "1"})

    async def close(self):
        pass


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ToyAdapter:
    name = "toy"
    capabilities = Capabilities(ports=frozenset({"embedder"}))
    settings = Settings

    async def open(self, options, directory):
        if options:
            raise InvalidInput(f"unknown options: {sorted(options)}")
        return Toy()


KNOWN_GAPS = (GAPS)


@pytest.fixture(scope="session")
def adapter_under_test():
    return ToyAdapter(), {}
"""
GAP = 'KnownGap("embedder:embed:{name}", "never", AssertionError, "it is a toy", "https://example.org/toy"),'


def _run(pytester: pytest.Pytester, gaps: str, *more: str) -> pytest.RunResult:
    pytester.makepyfile(toy=TOY.replace("(GAPS)", f"({gaps})"))
    suite = ROOT / "contracts" / "ports"
    ini = pytester.makeini("[pytest]\nanyio_mode = auto\n")
    files = [str(suite / name) for name in ("test_embedder.py", "test_events_append.py")]
    chosen = ["-k", "meaning or no_text or batch_without_events"]
    plugins = ["-p", "contracts.plugin", "-p", "toy", "-p", "no:cacheprovider"]
    return pytester.runpytest_subprocess("-c", str(ini), *plugins, *chosen, *files, *more)


def test_a_declared_gap_is_no_failure_and_ports_not_offered_are_left_out(pytester: pytest.Pytester) -> None:
    report = pytester.path / "report.json"
    result = _run(pytester, GAP.format(name="meaning"), "--report", str(report))
    assert result.ret == 0
    outcomes = json.loads(report.read_text())["promises"]
    assert outcomes["embedder:embed:meaning"] == {"toy": "gap"}
    assert outcomes["embedder:embed:none"] == {"toy": "passed"}
    assert outcomes["events:append:assert-only"] == {"toy": "unsupported"}


def test_a_broken_promise_that_is_not_declared_fails(pytester: pytest.Pytester) -> None:
    result = _run(pytester, "")
    result.assert_outcomes(failed=1, passed=1, skipped=1)
    result.stdout.fnmatch_lines(["embedder:embed*1 FAILED*"])


def test_a_declared_gap_that_has_closed_fails(pytester: pytest.Pytester) -> None:
    result = _run(pytester, GAP.format(name="meaning") + GAP.format(name="none"))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*XPASS(strict)*it is a toy*"])


def test_without_an_engine_the_port_suites_say_what_they_want(pytester: pytest.Pytester) -> None:
    suite = ROOT / "contracts" / "ports" / "test_engine.py"
    result = pytester.runpytest_subprocess("-p", "contracts.plugin", "-p", "no:cacheprovider", str(suite))
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*name an engine with --backend*"])
