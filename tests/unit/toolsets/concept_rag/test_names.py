"""Spellings of one concept have one normal form, and ids follow from it."""

import pytest

from toolsets.concept_rag.names import bare_name, normal_form, words_of
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


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("the monster", "monster"), (" The kernel", "kernel"), ("an R.C.A. radio", "RCA radio"), ("G.P.", "GP"),
        ("The", "The"), ("a", "a"), ("theory", "theory"), ("node.js", "node.js"), ("version 1.2.3", "version 1.2.3"),
    ],
)  # fmt: skip
def test_a_name_is_bare_without_its_article_and_the_dots_of_abbreviations(asked: str, name: str) -> None:
    assert bare_name(asked) == name


def test_a_long_name_is_cut() -> None:
    assert len(normal_form("word " * 1_000_000)) <= 200


def test_the_words_of_a_text_are_those_of_its_pieces_between_any_spaces() -> None:
    pieces = ["Users’", "the", "CPUs", "re\u0301seaux,", "C++", "‘quoted’s", "\u0301", "a\u00b4s", "x" * 100]
    for space in (" ", "\u00a0", "\u2003", "\u3000", "\n"):
        assert words_of(space.join(pieces)) == [word for piece in pieces for word in words_of(piece)]
    assert words_of("Users’ CPUs\u00a0re\u0301seaux") == ["user", "cpu", "réseaux"]
