"""Exports begin with the oldest message or with the newest one."""

import pytest

from toolsets.skills.transcript.reader import read_transcript

BEEPS, HOLD, WORKS = "The oven beeps all the time.", "Hold the clock button for five seconds.", "It works, thanks!"
IN_ORDER = [("customer", BEEPS), ("agent", HOLD), ("customer", WORKS)]
DATED = {
    "brackets": ("[2026-03-03 09:14:00] Ann: ", "[2026-03-03 13:16:00] Bo: ", "[2026-03-03 14:31:00] Ann: "),
    "twelve hours": ("[3/3/2026, 9:14:00 AM] Ann: ", "[3/3/2026, 1:16:00 PM] Bo: ", "[3/3/2026, 2:31:00 PM] Ann: "),
    "ISO": ("2026-03-03T09:14:00.123Z Ann: ", "2026-03-03T13:16:00.9Z Bo: ", "2026-03-03T14:31:00Z Ann: "),
    "over midnight": ("[2026-02-28 23:50] Ann: ", "[2026-02-28 23:50] Bo: ", "[2026-03-01 00:10] Ann: "),
    "headings": ("Ann — 3 Mar 2026 at 9:14 AM\n", "Bo — 3 Mar 2026 at 1:16 PM\n", "Ann — 3 Mar 2026 at 2:31 PM\n"),
    "verbs": (
        "Ann wrote on 3 Mar 2026, 9:14 AM:\n",
        "Bo wrote on 3 Mar 2026, 1:16 PM:\n",
        "Ann wrote on 3 Mar 2026, 2:31 PM:\n",
    ),
    "entries": (
        "Comment (Ann, 2026-03-03 09:14):\n",
        "Comment (Bo, 2026-03-03 13:16):\n",
        "Comment (Ann, 2026-03-03 14:31):\n",
    ),
    "labels": ("Customer (3 Mar 2026 09:14): ", "Agent (3 Mar 2026 13:16): ", "Customer (3 Mar 2026 14:31): "),
    "rows": ("2026-03-03 09:14 | Ann | ", "2026-03-03 13:16 | Bo | ", "2026-03-03 14:31 | Ann | "),
    "posts": (
        "Author: Ann\nPosted: 3 Mar 2026 09:14\n",
        "Author: Bo\nPosted: 3 Mar 2026 13:16\n",
        "Author: Ann\nPosted: 3 Mar 2026 14:31\n",
    ),
}


def pairs(text: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read_transcript(text).turns]


@pytest.mark.parametrize("heads", DATED.values(), ids=DATED.keys())
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_messages_that_are_exported_newest_first_are_read_oldest_first(
    heads: tuple[str, str, str], between: str
) -> None:
    said = [f"{head}{text}" for head, text in zip(heads, (BEEPS, HOLD, WORKS), strict=True)]
    assert pairs(between.join(said)) == IN_ORDER
    assert pairs(between.join(said[::-1])) == IN_ORDER


@pytest.mark.parametrize("mark", [",", " | "])
def test_the_rows_of_a_table_with_a_column_of_times_may_be_newest_first(mark: str) -> None:
    times = ("2026-03-03 09:14", "2026-03-03 13:16", "2026-03-03 14:31")
    rows = [
        mark.join(row)
        for row in zip(times, ("Ann", "Bo", "Ann"), (f'"{each}"' for each in (BEEPS, HOLD, WORKS)), strict=True)
    ]
    head = [mark.join(("timestamp", "author", "message")), *(["---|---|---"] if "|" in mark else [])]
    for said in (rows, rows[::-1]):
        assert [(role, text.strip('"')) for role, text in pairs("\n".join([*head, *said]))] == IN_ORDER


def test_a_text_above_messages_that_are_newest_first_stays_above_them() -> None:
    said = [f"{head}{text}" for head, text in zip(DATED["brackets"], (BEEPS, HOLD, WORKS), strict=True)]
    assert pairs("\n".join(["Chat about the oven.", *said[::-1]])) == [("other", "Chat about the oven."), *IN_ORDER]


@pytest.mark.parametrize(
    "heads",
    [
        ("[23:50] Ann: ", "[23:58] Bo: ", "[00:10] Ann: "),
        ("[2026-03-03 09:14] Ann: ", "[2026-03-02 13:16] Bo: ", "[2026-03-04 14:31] Ann: "),
        ("[2026-03-03 09:14] Ann: ", "[2026-03-03 09:14] Bo: ", "[2026-03-03 09:14] Ann: "),
        ("Ann: ", "[2026-03-03 13:16] Bo: ", "[2026-03-02 14:31] Ann: "),
        ("[04/03/2026, 09:14] Ann: ", "[03/04/2026, 13:16] Bo: ", "[02/05/2026, 14:31] Ann: "),
    ],
    ids=["no date", "no order", "one minute", "not all", "unknown order of day and month"],
)
def test_other_messages_keep_their_order(heads: tuple[str, str, str]) -> None:
    said = [f"{head}{text}" for head, text in zip(heads, (BEEPS, HOLD, WORKS), strict=True)]
    texts = pairs("\n".join(said))
    assert texts[0][1].endswith(BEEPS)
    assert texts[-1][1].endswith(WORKS)
