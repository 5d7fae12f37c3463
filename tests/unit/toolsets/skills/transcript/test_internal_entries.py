"""Entries of a ticket that the customer does not see are left out, wherever they stand and however they are labelled."""

from itertools import product

import pytest

from toolsets.skills.transcript.chat_lines import GAP
from toolsets.skills.transcript.internal_entries import without_internal_entries
from toolsets.skills.transcript.reader import read_transcript

SAID = ("The juicer stops.", "Does the light blink?", "Yes.", "Clean the contacts.", "It runs again, thanks!")
ROLES = ("customer", "agent", "customer", "agent", "customer")
HIDDEN = "She is behind with payments."
HEADINGS = [
    "Internal note (Fred, {0}): ",
    "Note (Fred, internal, {0}): ",
    "Internal (Fred, {0}): ",
    "Private comment · Fred · {0}\n",
    "Staff only (Fred, {0}): ",
    "[{0}] [INTERNAL] Fred: ",
    "Internal comment added by Fred on {0}\n",
    "Fred Berg left a private note - {0}\n",
    "**Internal note** — Fred, 2nd level, {0}\n",
    "### Internal note (Fred, {0})\n\n",
    "Fred (internal) {0}:\n",
    "Fred  {0} (not visible to the customer)\n",
    "Agent note, hidden from the requester (Fred, {0}): ",
    "Interne Notiz (Fred, {0}): ",
    "Internal note\nFred (Mixo)\n{0}\n",
    "Fred (Mixo) added a private note 3 days ago ({0})\n",
    "Fred Berg added a comment - {0} - Restricted to Service Desk Team\n",
    "Fred hat eine interne Notiz hinzugefügt ({0})\n",
    "Visibility: Internal\nFred, {0}\n",
    "{0} | Fred | Internal | ",
]
FORMS = ["{0} ({1}): {2}\n\n", "{0}  {1}\n{2}\n\n", "[{1}] {0}: {2}\n\n", "{0}: {2}\n\n"]


@pytest.mark.parametrize("author", ["Fred", "Mona Ruiz"])
@pytest.mark.parametrize("heading", HEADINGS)
def test_an_internal_entry_is_left_out(heading: str, author: str) -> None:
    names = ("Olga Ivers", author) * 3
    for form, position in product(FORMS, [1, 2, 5]):
        entries = [form.format(name, "2026-03-04 09:12", text) for name, text in zip(names, SAID, strict=False)]
        entries.insert(position, f"{heading.format('2026-03-04 09:11')}{HIDDEN}\nModel: X5\n\n{HIDDEN}\n\n")
        said = read_transcript("".join(entries))
        assert [(turn.role, turn.text) for turn in said.turns] == list(zip(ROLES, SAID, strict=True)), entries


def test_an_internal_entry_without_another_one_below_it_ends_with_its_paragraph() -> None:
    lines = ["It fails.", "", "Internal note (Fred, 9:05):", HIDDEN, "", "Restart it."]
    assert without_internal_entries(lines) == [*lines[:2], GAP, *lines[4:]]


@pytest.mark.parametrize(
    "line",
    [
        "Internal storage (Phone, 128 GB): tap it.",
        "Private DNS (Android 9): switch it off.",
        "2026-03-04 09:12 internal: error 5",
        "The private note (2026-03-04 09:12) is gone.",
        "Support reply (Fred, 2026-03-04 09:12): Restart it.",
        "[2026-03-04 09:12] Internal IT: Restart the router.",
        "Visibility: Private",
        "Type: internal",
    ],
)
def test_other_lines_with_these_words_are_kept(line: str) -> None:
    lines = ["Agent: Do this:", line, "Then save."]
    assert without_internal_entries(lines) == lines
