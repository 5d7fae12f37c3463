"""What tests of the running server share."""

import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from gateway.cli.main import main
from tests.e2e.probe import HERE, Ended, Home, furnished, http_server


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a folder configured for the demo toolset, its store up."""
    return furnished(tmp_path)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    """Return the URL of one HTTP server that many tests share."""
    with http_server(furnished(tmp_path_factory.mktemp("shared"))) as (url, _):
        yield url


@pytest.fixture
def entrepot(home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Return the command line, run in this process: most of it needs no process of its own."""
    monkeypatch.chdir(home.folder)
    monkeypatch.setenv("ENTREPOT_DATA_DIR", str(home.data))
    monkeypatch.setattr(sys, "path", [str(HERE / "toolset"), *sys.path])

    def run(*words: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["entrepot", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Ended(int(ended.value.code or 0), out, err)

    return run
