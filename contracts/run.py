"""Running the suite of the installed package, from any directory."""

import argparse
import tempfile
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from config.sources import profiles
from contracts.failures import COMMAND
from contracts.servers import Combination

SUITES = ("ports", "tools")

_INI = """\
[pytest]
addopts = --tb=no -r N --strict-markers --import-mode=importlib
xfail_strict = true
anyio_mode = auto
"""


def main(arguments: Sequence[str]) -> int:
    """Run the port suites on engines and the tool suites on a profile.

    Returns pytest's exit code, or that of a usage error if the run cannot start, for example for an unknown adapter.

    `arguments` are options of pytest with the plugin's own: `--backend NAME` tries that engine's ports
    only, `--profile NAME` the tools and every engine of that profile (`embedded` by default); `--suite ports` or
    `--suite tools` runs only one of the two.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--profile", default="embedded")
    parser.add_argument("--backend", action="append", default=[])
    parser.add_argument("--suite", choices=SUITES, action="append", default=[])
    chosen, rest = parser.parse_known_args(list(arguments))
    profile, backends = str(chosen.profile), [str(name) for name in chosen.backend]
    suites: Sequence[str] = ["ports"] if backends else chosen.suite or SUITES
    # An unknown profile has no engines; the plugin refuses it.
    kinds = backends or (Combination(profile).kinds() if profile in profiles() else ())
    named = [word for name in kinds for word in ("--backend", name)]
    with tempfile.TemporaryDirectory() as scratch, as_file(files("contracts")) as package:
        ini = Path(scratch) / "pytest.ini"
        ini.write_text(_INI, encoding="utf-8")
        # The plugin of Hypothesis, if that is installed, would import all of it at the end.
        plugins = ["-p", "contracts.plugin", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
        own = [*plugins, "-c", str(ini), "--rootdir", str(package)]
        places = [str(package / suite) for suite in suites]
        words = [*own, "--profile", profile, *named, *rest, *places]
        code = pytest.main(words, plugins=[_Command(command_of(arguments))])
        return int(code)


class _Command:
    """Tells the plugin how the run was started."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def pytest_configure(self, config: pytest.Config) -> None:
        """Store the command for the end of the run."""
        config.stash[COMMAND] = self._words


def command_of(arguments: Sequence[str]) -> Sequence[str]:
    """Return the command line with these arguments, its options first and then `--`, without a choice of promises or a report."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--profile")
    parser.add_argument("--promise", action="append")
    parser.add_argument("--report")
    known, rest = parser.parse_known_args(list(arguments))
    # The command itself takes one --backend; more of them are options of the suite.
    first = rest.index("--backend") if "--backend" in rest else None
    backend = rest[first : first + 2] if first is not None else []
    more = rest if first is None else [*rest[:first], *rest[first + 2 :]]
    profile = ["--profile", str(known.profile)] if known.profile is not None else []
    return ["entrepot", "contracts", *profile, *backend, "--", *more]
