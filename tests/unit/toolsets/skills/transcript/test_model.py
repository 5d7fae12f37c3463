"""A transcript as it is read."""

from toolsets.skills.transcript.model import Transcript, Turn
from toolsets.skills.transcript.reader import read_transcript


def test_a_transcript_is_printed_with_roles() -> None:
    assert (
        read_transcript("[12:03] Ann: It fails?\n[12:04] Bob: Update it").text
        == "Customer: It fails?\n\nAgent: Update it"
    )


def test_the_turns_of_a_role_keep_their_order() -> None:
    asked, answered, thanked = Turn("customer", "a"), Turn("agent", "b", "Bob"), Turn("customer", "c")
    said = Transcript((asked, answered, thanked))
    assert said.by("customer") == (asked, thanked)
    assert said.by("agent") == (answered,)
    assert said.by("other") == ()
    assert Transcript(()).text == ""
