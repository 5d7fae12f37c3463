"""What makes a document a result, without stores."""

from toolsets.concept_rag.search.documents import evident_owners
from toolsets.concept_rag.search.scores import EVIDENT, WORDED


def test_one_passage_has_to_be_near_and_have_the_words() -> None:
    near, worded = EVIDENT / 2, WORDED / 2
    assert evident_owners([1, 1], [near, 0.0], [0.0, worded]) == frozenset()
    assert evident_owners([1, 2, 2], [near, near, 0.0], [0.0, worded, 0.0]) == {2}
    assert evident_owners([], [], []) == frozenset()
