"""Names of one entity: each once without regard to case, as many as fit, folded names from a bounded cache."""

from backends.ports.text import MAX_TEXT_BYTES
from toolsets.agent_graph import aliases
from toolsets.agent_graph.aliases import MAX_SHADOW_BYTES, added_names, fitting_names


def test_a_name_is_added_once_whatever_its_case_and_composition() -> None:
    assert added_names(("Straße",), ("STRASSE", "Cafe\u0301", "CAFÉ", "Bar")) == ("Cafe\u0301", "Bar")


def test_names_are_added_while_they_fit() -> None:
    long = "n" * (MAX_TEXT_BYTES // 2)
    assert fitting_names((long,), ("a", long, "b")) == ("a",)


def test_the_cache_of_folded_names_is_bounded() -> None:
    added_names((), (f"{number:06}" + "é" * 500 for number in range(10_000)))
    assert 0 < aliases.SHADOWS.bytes <= MAX_SHADOW_BYTES
