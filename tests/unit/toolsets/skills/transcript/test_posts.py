"""Posts of forums: a name above label lines, or in one of them, and the text below."""

import pytest

from toolsets.skills.transcript.reader import read_transcript

POSTS = (
    ("crumb_77", "May 03, 2024 10:11 am", "My bread machine leaves the dough flat since last week."),
    ("old-oven", "May 03, 2024 10:14 am", "Clean the contacts of the lid sensor and set the program to 4."),
    ("crumb_77", "May 04, 2024 9:02 am", "Did that, the dough rises again. Many thanks!"),
)
EXPECTED = [("customer", POSTS[0][2]), ("agent", POSTS[1][2]), ("customer", POSTS[2][2])]
FORMS = (
    "{0}\nPosted: Fri {1}\nJoined: 12 Mar 2021  Posts: 41\n{2}",
    "{0}\nSenior Member\nPosts: 12\nDate: {1}\n\n{2}\n--\nbread is life",
    "{0}\nMember since: May 2019\nPosted on {1}\n\n{2}\n__________\nbread\nis life",
    "Author: {0}\nDate: {1}\n\n{2}",
    "Name: {0}\nTime: {1}\nMessage: {2}",
    "Re: flat dough\nby {0} » Fri {1}\n\n{2}",
)


@pytest.mark.parametrize("form", FORMS)
def test_a_post_belongs_to_the_name_in_its_head(form: str) -> None:
    turns = read_transcript("\n\n".join(form.format(*post) for post in POSTS)).turns
    assert [(turn.role, turn.text) for turn in turns] == EXPECTED


def test_the_title_above_the_first_post_is_nobody_s_and_quotes_of_earlier_posts_are_left_out() -> None:
    quote = f"old-oven wrote:\n> {POSTS[1][2]}\n"
    posts = [FORMS[0].format(*post) for post in POSTS]
    posts[2] = posts[2].replace("Did that", f"{quote}Did that")
    turns = read_transcript("Baking board » Machines\nFlat dough\n\n" + "\n\n".join(posts)).turns
    assert [(turn.role, turn.text) for turn in turns] == [("other", "Baking board » Machines\nFlat dough"), *EXPECTED]


def test_labels_with_dates_in_a_message_are_no_heads() -> None:
    text = "Customer: The job fails.\nOld\nDate: 2024-05-03\nNew\nDate: 2024-05-04\nAgent: Run it again.\nCustomer: Thanks."
    assert [turn.speaker for turn in read_transcript(text).turns] == ["Customer", "Agent", "Customer"]


def test_who_opened_a_ticket_wrote_what_is_above_its_comments() -> None:
    said = ("The lid sticks since the update.", "Oil the hinge and close it twice.", "It opens again, thanks!")
    ticket = (
        "Ticket #77: Lid\nOpened by: Silke (Packing)\n{}\n\nComment by Jonas (Workshop), 11:20\n{}\n\n"
        "Comment by Silke (Packing), 13:30\n{}"
    )
    turns = read_transcript(ticket.format(*said)).turns
    assert [(turn.role, turn.text) for turn in turns if turn.speaker is not None] == [
        ("customer", said[0]), ("agent", said[1]), ("customer", said[2]),
    ]  # fmt: skip
