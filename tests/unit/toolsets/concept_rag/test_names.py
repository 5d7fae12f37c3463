"""Spellings of one concept have one normal form, and ids follow from it."""

import pytest

from toolsets.concept_rag.names import normal_form
from toolsets.concept_rag.words import singulars


@pytest.mark.parametrize(
    ("spelling", "form"),
    [
        ("Neural Networks", "neural network"),
        ("neural-network", "neural network"),
        ("Developer's Reference", "developer reference"),
        ("GNNs", "gnn"),
        ("GNN", "gnn"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("ﬁle systems", "file system"),
        ("  Data\tStructures ", "data structure"),
        ("macOS", "macos"),
        ("!?", ""),
        ("", ""),
    ],
)
def test_spellings_of_a_concept_are_one(spelling: str, form: str) -> None:
    assert normal_form(spelling) == form
    assert normal_form(form) == form


@pytest.mark.parametrize(
    ("plural", "base"),
    [
        ("packages", "package"), ("analyses", "analysis"), ("vertices", "vertex"), ("transactions", "transaction"),
        ("axes", "axis"), ("data", "data"), ("physics", "physics"), ("news", "news"), ("class", "class"), ("bus", "bus"),
        ("hypervisors", "hypervisor"), ("microservices", "microservice"), ("redis", "redis"), ("dns", "dns"), ("gas", "gas"),
    ],
)  # fmt: skip
def test_plurals_become_singular_and_what_only_looks_plural_stays(plural: str, base: str) -> None:
    assert singulars([plural]) == [base]


def test_a_long_name_is_cut() -> None:
    assert len(normal_form("word " * 1_000_000)) <= 200
