"""The arguments and rows that several tools share."""

import pytest
from pydantic import BaseModel, ValidationError

from backends.ports.graph import Node
from backends.ports.values import Json, NodeId, Revision
from toolsets.memory.tools.fields import ListReply, Share, cut_message, shown_fields


class Shared(BaseModel):
    share: Share


@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_a_share_is_from_0_to_1(value: float) -> None:
    assert Shared.model_validate({"share": value}).share == value


def test_a_share_of_negative_zero_loses_its_sign() -> None:
    assert str(Shared.model_validate({"share": -0.0}).share) == "0.0"


@pytest.mark.parametrize(("value", "is_worded"), [(1.01, True), (-1, True), ("half", False), (None, False)])
def test_a_number_beyond_is_refused_in_the_documented_words(value: Json, *, is_worded: bool) -> None:
    with pytest.raises(ValidationError) as refused:
        Shared.model_validate({"share": value})
    assert ("must be between 0.0 and 1.0" in str(refused.value)) is is_worded


def test_only_a_list_that_was_cut_has_a_message() -> None:
    assert cut_message(3, 3) is None
    message = cut_message(2, 3)
    assert message is not None
    assert message.startswith("3 entities found")
    assert ListReply().model_dump() == {}
    assert ListReply(message=message).model_dump() == {"message": message}


def test_an_entity_is_shown_with_its_observations() -> None:
    node = Node(
        NodeId("n"),
        "entity",
        {"name": "Alice", "type": "person", "created_at": 1},
        Revision(1),
        {"observations": ["sings"]},
    )
    assert shown_fields(node) == {"name": "Alice", "type": "person", "observations": ("sings",)}
