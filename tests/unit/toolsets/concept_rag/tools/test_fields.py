"""The arguments that several tools share."""

import pytest
from pydantic import BaseModel, ValidationError

from backends.ports.text import MAX_NAME_POINTS
from backends.ports.values import Json
from toolsets.concept_rag.tools.fields import MAX_CONCEPTS, ConceptNames, Message


class Asked(BaseModel):
    concepts: ConceptNames
    message: Message = None


@pytest.mark.parametrize(
    ("sent", "names"), [("relay", ("relay",)), (["relay"], ("relay",)), (["relay", "coil"], ("relay", "coil"))]
)
def test_one_concept_is_a_list_of_one(sent: Json, names: tuple[str, ...]) -> None:
    assert Asked.model_validate({"concepts": sent}).concepts == names


@pytest.mark.parametrize(
    ("sent", "place"),
    [
        (" ", ("concepts",)),
        ([], ("concepts",)),
        ("x" * (MAX_NAME_POINTS + 1), ("concepts",)),
        (["x"] * (MAX_CONCEPTS + 1), ("concepts",)),
        (["relay", " "], ("concepts", 1)),
        (7, ("concepts",)),
    ],
)
def test_a_fault_is_reported_once_where_it_was_sent(sent: Json, place: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({"concepts": sent})
    assert [problem["loc"] for problem in refused.value.errors()] == [place]


def test_a_message_that_is_absent_is_left_out() -> None:
    assert Asked(concepts=("relay",)).model_dump() == {"concepts": ("relay",)}
    assert Asked(concepts=("relay",), message="Cut.").model_dump()["message"] == "Cut."
