"""Texts whose speakers were not found are recognised by what is left at the beginning of their lines."""

import pytest

from toolsets.skills.transcript.reader import read_transcript
from toolsets.skills.transcript.unread import has_unread_speakers

LINES = (
    ("Lena", "My pressure cooker stops with E4."),
    ("Tom", "Does the lid click?"),
    ("Lena", "no"),
    ("Tom", "Rinse the sealing ring."),
)
NUMBERED = tuple((number, name, text) for number, (name, text) in enumerate(LINES))
UNREAD = {
    "times without names": "\n".join(f"({number}) 10:1{number} {text}" for number, _, text in NUMBERED),
    "names between bars": "\n".join(f"|{name}|{text}|" for name, text in LINES),
    "names between braces": "\n".join(f"{{{name}}} {text}" for name, text in LINES),
    "one line": " ".join(f"10:1{number} {name} {text}" for number, name, text in NUMBERED),
    "marks of a program": "\n".join(f"t=00:0{number}:10 ch={name} {text}" for number, name, text in NUMBERED),
    "labels without names": "\n".join(f"Sent: 10:1{number}\n{text}" for number, _, text in NUMBERED),
}
LOG = "\n".join(f"10:1{number} kernel oops" for number in range(6))
READ = {
    "labels of both roles and a log": f"Customer: It fails.\n{LOG}\nAgent: Restart it.\nCustomer: Thanks.",
    "names and a log": f"Ann: It fails.\n{LOG}\nBob: Please restart it.\nAnn: Thanks.",
    "a text with one time": "The backup fails at 10:11. Restart it.\nThen wait.\nIt ends at 11:00.",
    "a log between fences": f"Why does it fail?\n```\n{LOG}\n```\nRestart it.",
    "a table of options": "| Option | Meaning |\n| -a | all |\n| -b | both |\nUse -a.",
}


@pytest.mark.parametrize("form", UNREAD)
def test_marks_of_speakers_that_are_left_show_that_a_text_was_not_read(form: str) -> None:
    assert has_unread_speakers(read_transcript(UNREAD[form]).turns)


@pytest.mark.parametrize("form", READ)
def test_a_text_that_was_read_has_no_such_marks(form: str) -> None:
    assert not has_unread_speakers(read_transcript(READ[form]).turns)
