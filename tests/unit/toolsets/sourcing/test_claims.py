"""Claims belong to one holder; keys are unambiguous."""

import pytest

from tests.support.histories import Fact, facts_in, history_of
from toolsets.sourcing.aggregate import UnreadableEvent
from toolsets.sourcing.claims import Claims, digest_of


def test_a_claim_belongs_to_its_last_taker_until_it_is_given_up() -> None:
    claims = Claims("shop", "name")
    taken, given_up = claims.take(("a", None), "one"), claims.release(("a", None), "one")
    history = history_of(taken.stream, *facts_in((taken, given_up, claims.take(("a", None), "two"))))
    assert [claims.holder(history[:length]) for length in range(4)] == [None, "one", None, "two"]
    assert taken.stream == given_up.stream == claims.stream(("a", None))
    assert taken.stream.startswith("shop/claim/name/")


def test_no_two_keys_are_written_alike() -> None:
    keys = [("a", "b"), ("ab",), ("a", None), ("a", "null"), ('a","b',), ("a", "b", None), ("é",), ("e\u0301",), ()]
    assert len({digest_of(key) for key in keys}) == len(keys)


@pytest.mark.parametrize("fact", [("shop.sold", {"holder": "one"}), ("shop.name_claimed", {"owner": "one"})])
def test_an_event_that_is_no_claim_is_not_passed_over(fact: Fact) -> None:
    claims = Claims("shop", "name")
    with pytest.raises(UnreadableEvent):
        claims.holder(history_of(claims.stream(("a",)), fact))
