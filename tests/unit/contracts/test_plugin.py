"""The plugin holds an adapter to what it declares, tried on a toy engine from outside."""

import json
from fnmatch import fnmatch
from pathlib import Path

import numpy
import pytest

import contracts

assert numpy, "imported here because it cannot be imported again in a process, as runs within this one would"

pytest_plugins = ["pytester"]

PORTS = Path(contracts.__file__).parent / "ports"


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


def _run(pytester: pytest.Pytester, gaps: str, *more: str, declared: str = "") -> pytest.RunResult:
    """Run some tests on the toy, with these gaps and with other capabilities than its own."""
    text = TOY.replace("(GAPS)", f"({gaps})").replace('frozenset({"embedder"})', f'frozenset({{"embedder"}}){declared}')
    pytester.makepyfile(toy=text)
    pytester.syspathinsert()
    ini = pytester.makeini("[pytest]\nanyio_mode = auto\n")
    files = [str(PORTS / name) for name in ("test_embedder.py", "test_events_append.py")]
    chosen = () if "--promise" in more else ("-k", "meaning or no_text or batch_without_events")
    plugins = ["-p", "contracts.plugin", "-p", "toy", "-p", "no:cacheprovider"]
    return pytester.runpytest_inprocess("-c", str(ini), *plugins, *chosen, *files, *more)


def test_a_declared_gap_is_no_failure_and_ports_not_offered_are_left_out(pytester: pytest.Pytester) -> None:
    report = pytester.path / "report.json"
    result = _run(pytester, GAP.format(name="meaning"), "--report", str(report))
    assert result.ret == 0
    outcomes = json.loads(report.read_text())["promises"]
    assert outcomes["embedder:embed:meaning"] == {"toy": "gap"}
    assert outcomes["embedder:embed:none"] == {"toy": "passed"}
    assert outcomes["events:append:assert-only"] == {"toy": "unsupported"}


def test_a_broken_promise_says_what_was_promised_where_and_how_to_run_it_alone(pytester: pytest.Pytester) -> None:
    result = _run(pytester, "", "--tb=no")
    result.assert_outcomes(failed=1, passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "embedder:embed*1 FAILED*",
            "*broken promises*",
            "embedder:embed:meaning",
            "  Embedder.embed: Texts of similar meaning are closer to each other than texts of different meaning.",
            "  *::test_texts_of_one_meaning_are_closer_than_others",
            "    assert *(*test_embedder.py:*)",
            "  run: pytest * --promise embedder:embed:meaning",
        ]
    )


def test_the_exceptions_of_a_group_are_named(pytester: pytest.Pytester) -> None:
    """The unclosed files of a test come as a group from pytest, whose own line says how many there are."""
    pytester.makepyfile(
        """
        import gc

        class Careless:
            def __del__(self):
                raise ValueError("left open")

        def test_nested():
            raise ExceptionGroup("outer", [KeyError("one"), ExceptionGroup("inner", [OSError("two\\nlines")])])

        def test_unraisable():
            Careless(), Careless()
            gc.collect()
        """
    )
    result = pytester.runpytest_inprocess("-p", "contracts.plugin", "-W", "error", "--tb=no", "-p", "no:cacheprovider")
    assert result.ret == 1
    text = result.stdout.str()
    assert "ExceptionGroup: outer (2 sub-exceptions): KeyError: 'one'; OSError: two" in text
    assert text.count("PytestUnraisableExceptionWarning: Exception ignored in: <function Careless.__del__") >= 2
    assert text.count("(from ValueError: left open)") >= 2


def test_a_single_promise_can_be_tested(pytester: pytest.Pytester) -> None:
    result = _run(pytester, "", "--promise", "embedder:embed:none")
    assert result.parseoutcomes()["passed"] == 1
    assert result.parseoutcomes().keys() == {"passed", "deselected"}


def test_a_declared_gap_that_has_closed_fails(pytester: pytest.Pytester) -> None:
    result = _run(pytester, GAP.format(name="meaning") + GAP.format(name="none"))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*XPASS(strict)*it is a toy*"])


@pytest.mark.parametrize(
    ("gap", "declared", "sentence"),
    [
        (
            "meanings",
            "",
            "*'embedder:embed:meanings' is not a promise of the manifest; is it 'embedder:embed:meaning'?*",
        ),
        ("meaning", ', durable="fsnc"', "*says durable = 'fsnc', which is not 'fsync' or 'process' or 'none'*"),
    ],
)
def test_a_false_declaration_ends_the_run_with_a_sentence(
    pytester: pytest.Pytester, gap: str, declared: str, sentence: str
) -> None:
    result = _run(pytester, GAP.format(name=gap), declared=declared)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (result.stderr if result.errlines else result.stdout).fnmatch_lines([sentence])


def test_without_an_engine_the_port_suites_say_what_they_want(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("-p", "contracts.plugin", "-p", "no:cacheprovider", PORTS / "test_engine.py")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*name an engine with --backend*"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--backend", "sqlit"), "no adapter is called 'sqlit'; there are: *sqlite*"),
        (
            ("--backend", "sqlite", "--promise", "vectors:keywrd"),
            "no promise is called 'vectors:keywrd'; is it 'vectors:keyword'?",
        ),
        (("--backend", "sqlite", "--promise", "grpah"), "no promise is called 'grpah'; is it 'graph'?"),
        (("--profile", "embeded"), "no profile is called 'embeded'; there are: embedded*"),
        (("--engine", "graph=kuzzu"), "no adapter is called 'kuzzu'; there are: *"),
    ],
)
def test_a_misspelt_name_is_one_sentence_and_the_report_has_it(
    pytester: pytest.Pytester, words: tuple[str, ...], sentence: str
) -> None:
    report = pytester.path / "report.json"
    result = pytester.runpytest_inprocess(
        "-p", "contracts.plugin", "-p", "no:cacheprovider", *words, "--report", report
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    assert [line for line in result.outlines if "Error" in line] == []
    assert fnmatch(json.loads(report.read_text())["errors"][0], sentence)


def test_the_report_is_written_when_the_run_breaks(pytester: pytest.Pytester) -> None:
    report = pytester.path / "report.json"
    pytester.makeconftest("def pytest_collection_modifyitems(): raise RuntimeError('broken conftest')")
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess("-p", "contracts.plugin", "-p", "no:cacheprovider", "--report", report)
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    [error] = json.loads(report.read_text())["errors"]
    assert "broken conftest" in error
