"""Generated pages are those that the present code generates."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def generated(listing: str) -> str:
    spec = spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.page(listing))


def test_the_reference_is_what_the_server_publishes() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "gateway.cli.main", "tools", "--json"], capture_output=True, text=True, check=True
    )
    page = DOCS / "tools" / "reference.md"
    assert page.read_text(encoding="utf-8") == generated(listed.stdout), "run: nox -s docs"
