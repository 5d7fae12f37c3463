"""Whether others claim our packages' names."""

import sys
from pathlib import Path

import pytest

from gateway.package_clash import clashes


def installed(folder: Path, record: str) -> None:
    metadata = folder / "other-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "RECORD").write_text(record, encoding="utf-8")


def test_nothing_is_wrong_here() -> None:
    assert clashes() == ()


def test_a_distribution_that_owns_one_of_our_names_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "config/__init__.py,sha256=x,1\nother/config/__init__.py,,\ngateway/a.py,,\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (sentence,) = clashes()
    assert "The distribution other installs a package named `config` and `gateway`" in sentence


def test_a_distribution_with_the_name_deeper_inside_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "other/config/__init__.py,,\nconfigure/__init__.py,,\nconfig/readme.txt,,\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert clashes() == ()


def test_a_folder_that_hides_one_of_our_packages_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "contracts", raising=False)
    (sentence,) = clashes()
    assert f"Python finds the package `contracts` in {tmp_path}" in sentence
