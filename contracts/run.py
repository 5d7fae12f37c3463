"""Running the suite of the installed package, from any directory."""

import argparse
import tempfile
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from contracts.servers import Combination

SUITES = ("ports", "tools")

_INI = """\
[pytest]
addopts = -ra --strict-markers --import-mode=importlib
xfail_strict = true
anyio_mode = auto
"""


def main(arguments: Sequence[str]) -> int:
    """Run the port suites on engines and the tool suites on a profile; return pytest's exit code.

    `arguments` are options of pytest with the plugin's own: `--backend NAME` tries that engine's ports
    only, `--profile NAME` the tools and every engine of that profile (`embedded` unless named), of which
    `--suite ports` or `--suite tools` leaves one.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--profile", default="embedded")
    parser.add_argument("--backend", action="append", default=[])
    parser.add_argument("--suite", choices=SUITES, action="append", default=[])
    chosen, rest = parser.parse_known_args(list(arguments))
    profile, backends = str(chosen.profile), [str(name) for name in chosen.backend]
    suites: Sequence[str] = ["ports"] if backends else chosen.suite or SUITES
    named = [word for name in backends or Combination(profile).kinds() for word in ("--backend", name)]
    with tempfile.TemporaryDirectory() as scratch, as_file(files("contracts")) as package:
        ini = Path(scratch) / "pytest.ini"
        ini.write_text(_INI, encoding="utf-8")
        own = ["-p", "contracts.plugin", "-p", "no:cacheprovider", "-c", str(ini), "--rootdir", str(package)]
        places = [str(package / suite) for suite in suites]
        return int(pytest.main([*own, "--profile", profile, *named, *rest, *places]))
