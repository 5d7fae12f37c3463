"""Running the suite of the installed package, from any directory."""

import argparse
import tempfile
import tomllib
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

_INI = """\
[pytest]
addopts = -ra --strict-markers --import-mode=importlib
xfail_strict = true
anyio_mode = auto
"""


class _Store(BaseModel):
    model_config = ConfigDict(extra="ignore")

    kind: str


class _Profile(BaseModel):
    model_config = ConfigDict(extra="ignore")

    stores: dict[str, _Store]


def main(arguments: Sequence[str]) -> int:
    """Run the port suites on engines and the tool suites on a profile; return pytest's exit code.

    `arguments` are options of pytest with the plugin's own: `--backend NAME` tries that engine's ports
    only, `--profile NAME` the tools and every engine of that profile (`embedded` unless named).
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--profile", default="embedded")
    parser.add_argument("--backend", action="append", default=[])
    chosen, rest = parser.parse_known_args(list(arguments))
    profile, backends = str(chosen.profile), [str(name) for name in chosen.backend]
    suites = ["ports"] if backends else ["ports", "tools"]
    named = [word for name in backends or kinds_of(profile) for word in ("--backend", name)]
    with tempfile.TemporaryDirectory() as scratch, as_file(files("contracts")) as package:
        ini = Path(scratch) / "pytest.ini"
        ini.write_text(_INI, encoding="utf-8")
        own = ["-p", "contracts.plugin", "-p", "no:cacheprovider", "-c", str(ini), "--rootdir", str(package)]
        places = [str(package / suite) for suite in suites]
        return int(pytest.main([*own, "--profile", profile, *named, *rest, *places]))


def kinds_of(profile: str) -> list[str]:
    """Return the engines that a shipped profile uses, sorted. Raises `FileNotFoundError` for an unknown profile."""
    text = (files("config") / "profiles" / f"{profile}.toml").read_text(encoding="utf-8")
    return sorted({store.kind for store in _Profile.model_validate(tomllib.loads(text)).stores.values()})
