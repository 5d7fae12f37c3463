"""The usual type of a document's running text."""

from dataclasses import replace

import pytest

from tests.unit.toolsets.concept_rag.ingestion.pdf.samples import line
from toolsets.concept_rag.ingestion.pdf.body import BodyStyle, body_of
from toolsets.concept_rag.ingestion.pdf.lines import PageText


def page(*sizes: float, leading: float = 1.2, mono: bool = False) -> PageText:
    """A page of lines of 40 letters, one below the other."""
    lines = [
        replace(line("x" * 40, y=100 + leading * size * place, size=size), mono=mono)
        for place, size in enumerate(sizes)
    ]
    return PageText(1, 792, lines)


def test_the_most_usual_size_counts_by_letters() -> None:
    assert body_of([page(24), page(*[11.1] * 5), page(*[8] * 3)]).size == 11
    assert body_of([page(10, 12)]).size == 12, "of two, the larger"


@pytest.mark.parametrize("leading", [1.2, 1.5])
def test_leading_is_the_usual_distance_in_multiples_of_the_size(leading: float) -> None:
    assert body_of([page(*[10] * 9, leading=leading)]).leading == pytest.approx(leading)


def test_without_text_there_are_usual_values() -> None:
    assert body_of([]) == body_of([page()]) == BodyStyle(10.0, 1.2, typewritten=False)


def test_a_book_is_typewritten_if_nearly_all_of_it_is() -> None:
    prose, code = page(10), page(*[10] * 10, mono=True)
    assert body_of([code]).typewritten
    assert body_of([code, prose]).typewritten
    assert not body_of([code, prose, prose]).typewritten
