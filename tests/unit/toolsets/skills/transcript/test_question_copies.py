"""Copies of pages of Stack Exchange."""

import pytest

from tests.support.durations import is_linear
from toolsets.skills.transcript.question_copies import read_question_copy
from toolsets.skills.transcript.reader import read_transcript

QUESTION = "When I run ps aux | grep nginx I always get the grep line too."
ANSWER = "Put one letter in brackets: ps aux | grep '[n]ginx'."
OTHER = "Use pgrep, always."

COPY = f"""How do I stop grep from matching itself?

Asked 9 years ago
Modified 2 years ago
Viewed 12k times
15

{QUESTION}

bash grep ps
Share
Improve this question
Follow
asked Mar 3, 2017 at 9:14
linda's user avatar
linda
1,23411 gold badge2020 silver badges
1
Which ps is it? – joe
Commented Mar 3, 2017 at 9:15
Add a comment  |\x20
2 Answers
Sorted by:

Highest score (default)
22

{ANSWER}

Share
Improve this answer
Follow
edited Mar 5, 2018 at 9:20
answered Mar 3, 2017 at 9:20
joe's user avatar
joe
5,67833 gold badges
2
That works, thank you! –\x20
linda
Commented Mar 3, 2017 at 9:30
An old trick. – bob Mar 4, 2017 at 10:00
3

{OTHER}

Share
answered Mar 4, 2017 at 9:20
mia's user avatar
mia
99
"""


def test_the_question_its_best_answer_and_its_comments_are_read() -> None:
    transcript = read_transcript(COPY)
    assert [(turn.role, turn.speaker, turn.text) for turn in transcript.turns[1:]] == [
        ("customer", "linda", QUESTION),
        ("agent", "joe", f"Which ps is it?\n\n{ANSWER}"),
        ("customer", "linda", "That works, thank you!"),
        ("other", "bob", "An old trick."),
        ("other", "mia", OTHER),
    ]
    assert transcript.turns[0].text == "# How do I stop grep from matching itself?"


def test_a_question_by_a_deleted_account_has_an_unknown_author() -> None:
    text = COPY.replace("linda's user avatar\nlinda\n", "").replace("linda", "user5")
    assert [turn.role for turn in read_transcript(text).turns][:3] == ["other", "customer", "agent"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ann: It fails.\nasked Mar 3, 2017 at 9:14\nBo: Restart it.",
        "answered Mar 3, 2017 at 9:14\njoe\nasked Mar 4, 2017 at 9:14\nann",
        "asked Mar 3, 2017 at 9:14\nann\nanswered in full\njoe",
    ],
)
def test_any_other_text_is_no_copy(text: str) -> None:
    assert read_question_copy(text.split("\n")) is None


@pytest.mark.parametrize(
    "piece", ["a – b\n", "Commented Mar 3, 2017 at 9:15\n", "answered Mar 3, 2017 at 9:20\n", "1 - "]
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    before = "a\n\nasked Mar 3, 2017 at 9:14\nlinda\nanswered Mar 3, 2017 at 9:20\njoe\n"
    assert is_linear(lambda text: read_question_copy(text.split("\n")), piece, before=before)
