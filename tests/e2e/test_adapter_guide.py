"""The guide for authors of adapters: what it shows keeps the promises as it stands there."""

import os
import re

from tests.e2e.probe import ROOT, Home
from tests.support.processes import PACKAGES
from tests.support.skeletons import installed, own_tests

GUIDE = (ROOT / "docs" / "adapters" / "writing.md").read_text(encoding="utf-8")


def test_the_guides_adapter_keeps_every_promise_but_the_gap_it_declares(home: Home) -> None:
    """Installed in a folder of its own, as a distribution would be."""
    (adapter,) = [block for block in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL) if "Wordbag" in block]
    site = home.folder / "site"
    metadata = site / "wordbag-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "wordbag.py").write_text(adapter, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: wordbag\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[entrepot.backends]\nwordbag = wordbag:ADAPTER\n", encoding="utf-8")
    path = os.pathsep.join([str(PACKAGES), str(site)])
    ran = home.run("contracts", "--backend", "wordbag", "--", "-q", PYTHONPATH=path)
    assert ran.returncode == 0, ran.stdout
    assert "1 xfailed" in ran.stdout
    assert "FAILED" not in ran.stdout


def test_the_package_that_the_guide_begins_with_names_what_is_missing(home: Home) -> None:
    [begin] = re.findall(r"^entrepot (new adapter .*)$", GUIDE, re.MULTILINE)
    made = home.run(*begin.split())
    assert made.returncode == 0, made.stderr
    name = begin.split()[2]
    path = installed(home.folder / name, home.folder / "made")
    passed = own_tests(home.folder / name, path)
    assert passed.returncode == 0, passed.stdout[-3_000:]
    ran = home.run("contracts", "--backend", name, "--", "-q", PYTHONPATH=path)
    assert ran.returncode == 1
    assert "\nvectors:upsert:unchanged\n" in ran.stdout
    assert re.search(r"[1-9]\d* failed, [1-9]\d* passed", ran.stdout)
