"""An adapter by somebody else: a distribution of its own, beside our wheel in a fresh environment, held to the whole suite."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.e2e.probe import HERE, ROOT
from tests.services.needed import required

STRANGER = HERE / "adapter"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a fresh environment with both wheels; the libraries that they need are lent by the present one."""
    home = tmp_path_factory.mktemp("stranger") / "venv"
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "-q", "--python", sys.executable, str(home)], check=True)
    # tox has built the wheel already; one of a folder is built again, since uv only looks at the date of its pyproject.toml.
    ours = os.environ.get("TOX_PACKAGE", str(ROOT))
    install = [
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--refresh-package",
        "entrepot",
        "--refresh-package",
        "memgraph-for-entrepot",
    ]
    install += ["--python", str(home / "bin" / "python"), ours, str(STRANGER)]
    installed = subprocess.run([*uv, *install], capture_output=True, text=True, check=False)
    if installed.returncode:
        (pytest.fail if required() else pytest.skip)(f"the wheels cannot be built here: {installed.stderr[-500:]}")
    [own] = home.glob("lib/python*/site-packages")
    (own / "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return home


def contracts(environment: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the suite from an empty folder, by the command that an author of an adapter would give."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ENTREPOT_", "PYTHON"))}
    command = [str(environment / "bin" / "entrepot"), "contracts", *words]
    ran = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stdout[-3_000:] + ran.stderr[-1_000:]
    assert list(folder.iterdir()) == []
    return ran


def test_a_strangers_graph_keeps_every_promise(environment: Path, tmp_path: Path) -> None:
    ran = contracts(environment, tmp_path, "--backend", "memgraph", "--", "-q")
    assert "graph:walk" in ran.stdout
    assert not any(word in ran.stdout for word in ("FAILED", "xfailed", "skipped"))


def test_the_tool_suites_run_where_our_own_tests_are_not_installed(environment: Path, tmp_path: Path) -> None:
    ran = contracts(
        environment,
        tmp_path,
        "--profile",
        "embedded",
        "--",
        "--suite",
        "tools",
        "--transport",
        "http",
        "-k",
        "knowledge and ping",
    )
    assert "knowledge:" in ran.stdout
    assert " passed" in ran.stdout
