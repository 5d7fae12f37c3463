"""What makes a document a result, without stores."""

from toolsets.concept_rag.search.documents import best_of
from toolsets.concept_rag.search.scores import EVIDENT, WORDED, evidence


def test_one_passage_has_to_be_near_and_have_the_words() -> None:
    near, worded = EVIDENT / 2, WORDED / 2
    apart = best_of([1], [0.0], [1, 1], evidence([near, 0.0], [0.0, worded]))
    together = best_of([1, 2], [0.0, 0.0], [1, 2, 2], evidence([near, near, 0.0], [0.0, worded, 0.0]))
    assert [each >= 1 for each in (*apart, *together)] == [False, False, True]


def test_a_document_has_what_is_more_of_its_own_text_and_of_its_passages() -> None:
    assert best_of([1, 2, 3], [0.5, 0.5, 0.5], [2, 2, 1], [0.2, 0.7, 0.1]) == [0.5, 0.7, 0.5]
