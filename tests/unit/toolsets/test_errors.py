"""What stores raise in a call becomes the error of its tool; anything else passes."""

import pytest

from backends.ports.errors import Unavailable
from toolsets.errors import UnreadableEvent, failure, store_errors
from toolsets.spec import ToolError


def worded(error: Exception) -> ToolError:
    return failure("database_error", "Writing", error)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (Unavailable("bolt://host:7687 does not answer"), "Writing failed (unavailable); the server's log says more"),
        (UnreadableEvent("a.b is not known"), "Writing failed; the server's log says more"),
    ],
)
def test_an_error_of_a_store_is_worded_without_the_stores_own_text(error: Exception, sentence: str) -> None:
    with pytest.raises(ToolError) as caught, store_errors(worded):
        raise error
    assert (caught.value.code, caught.value.message) == ("database_error", sentence)
    assert caught.value.__cause__ is error


def test_other_errors_pass_unchanged() -> None:
    with pytest.raises(LookupError), store_errors(worded):
        raise LookupError("nothing")
