"""Mails between lines and without headers: two people who address and sign in turn."""

import pytest

from toolsets.skills.transcript.reader import read_transcript

SAID = (
    "the hand dryer in the gym starts by itself.",
    "Please wipe the sensor with a dry cloth.",
    "wiped it, no change at all.",
    "Then stick the cover plate over the left sensor.",
    "It is quiet now.",
)
LETTERS = (
    "Hello,\n{}\nRagnhild Moe",
    "Dear Ms Moe,\n{}\n\nKind regards,\nPaul Osei, Dry Hands",
    "Mr Osei, {}\n\nR. Moe",
    "Dear Ms Moe,\n{}\nPaul Osei",
    "{}\nR.",
)


@pytest.mark.parametrize("line", ["---", "-----", "=====", "* * *", "--- next ---"])
def test_two_people_write_in_turn(line: str) -> None:
    letters = [letter.format(said) for letter, said in zip(LETTERS, SAID, strict=True)]
    turns = read_transcript("Subject: Hand dryer\n\n" + f"\n\n{line}\n\n".join(letters)).turns
    assert [turn.role for turn in turns] == ["customer", "agent", "customer", "agent", "customer"]
    assert [turn.speaker for turn in turns[:2]] == ["Ragnhild Moe", "Paul Osei"]
    assert all(said in turn.text for said, turn in zip(SAID, turns, strict=True))


def test_the_first_sender_may_have_a_header() -> None:
    text = "To: help@dry.example\nFrom: Ragnhild Moe\nSubject: Dryer\n\n{}\n\n---\n\nHi Ragnhild,\n{}\nPaul\n\n---\n\nPaul, {}"
    turns = read_transcript(text.format(*SAID[:3])).turns
    assert [(turn.speaker, turn.text.splitlines()[0]) for turn in turns] == [
        ("Ragnhild Moe", SAID[0]), ("Paul", "Hi Ragnhild,"), ("Ragnhild Moe", SAID[2]),
    ]  # fmt: skip


OTHER = {
    "sections of a letter": "Dear Ann,\nthis is new:\n\n---\n\nA lamp.\n\n---\n\nA dryer.\n\nKind regards,\nPaul Osei",
    "templates": "Dear Ann,\nwe ship it.\nPaul\n\n---\n\nDear Bob,\nwe sent it.\nPaul\n\n---\n\nDear Cid,\nwe have it.\nPaul",
    "templates without a sender": "Dear Ann,\nwe ship it.\n\n---\n\nDear Bob,\nwe sent it.\n\n---\n\nDear Ann,\nwe have it.",
    "slides": "Sensors\n\nWipe them.\n\n---\n\nHowever, not all.\n\n---\n\nCover plates\n\nStick them.",
    "quotations": "Know it.\nPlato\n\n---\n\nPlato, he was tall.\nHypatia\n\n---\n\nI doubt.\nHypatia\n\n---\n\nWe too.\nPlato",
    "one reply": "Dear Ann,\nwipe it.\nPaul\n\n---\n\nDear Paul,\nit starts by itself.\nAnn",
}


@pytest.mark.parametrize("kind", OTHER)
def test_text_that_only_looks_similar_stays_whole(kind: str) -> None:
    assert len(read_transcript(OTHER[kind]).turns) == 1
