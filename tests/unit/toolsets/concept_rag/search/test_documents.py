"""What makes a document a result, without stores."""

import pytest

from toolsets.concept_rag.search.documents import of_two_texts
from toolsets.concept_rag.search.scores import EVIDENT, WORDED, evidence


def test_one_passage_has_to_be_near_and_have_the_words() -> None:
    near, worded = EVIDENT, WORDED
    apart = of_two_texts([1], [0.0], [1, 1], evidence([near, 0.0], [0.0, worded / 2]))
    together = of_two_texts([1], [0.0], [1, 1], evidence([near, 0.0], [worded, 0.0]))
    assert [each >= 1 for each in (*apart, *together)] == [False, True]


def test_a_document_has_what_its_own_text_has_or_two_of_its_texts_on_average() -> None:
    found = of_two_texts([1, 2, 3, 4], [0.5, 0.5, 0.5, 0.1], [2, 2, 1, 4, 4], [0.2, 0.7, 0.1, 0.7, 0.5])
    assert found == pytest.approx([0.5, 0.6, 0.5, 0.6])
