"""Internal notes are left out of a conversation, however they are written."""

import json

import pytest

from toolsets.skills.transcript.notices import without_internal_notes
from toolsets.skills.transcript.reader import read_transcript


@pytest.mark.parametrize(
    "note",
    [
        "> **Note (internal):** she is the mayor",
        "> **Private note (Mara):** she is\n> the mayor.",
        "> Internal note: careful\n>\n> she is the mayor",
        "### Internal note\n\nShe is the mayor.",
        "- *Note (staff only):* she is the mayor",
        "**[INTERNAL]** she is the mayor",
        "> [!NOTE] Internal: she is the mayor",
        "[Internal note: she is\nthe mayor]",
        "{Private comment by Mara - she is the mayor}",
        "<!-- internal note: she is the mayor -->",
        "Interne Notiz: she is the mayor",
        "Not for the customer: she is the mayor",
        "INTERNAL ONLY - she is the mayor",
        "Note, internal: she is the mayor",
        "Note to colleagues: she is the mayor",
        "Private note added by Ann: she is the mayor",
        "__Internal note:__ she is the mayor",
        "> _Internal_\n> she is the mayor",
        "Internal: she is the mayor",
        "(Internal: she is the mayor)",
        "> **Internal comment — not visible to customer**\n>\n> she is the mayor",
        "Agent-only note: she is the mayor",
        "Mara [private note]: she is the mayor",
        "<internal>she is the mayor</internal>",
    ],
)
def test_an_internal_note_is_left_out(note: str) -> None:
    kept = without_internal_notes(f"Open the valve.\n\n{note}\n\nThen close it.")
    assert "mayor" not in kept
    assert "Open the valve." in kept
    assert "Then close it." in kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Open it. (Internal note: call (her) back) Then close it.", "Open it.  Then close it."),
        ("Open it. Internal note: call her back.", "Open it. "),
        ("```\nInternal note: call her back\n```\nClose it.", "```\n\n```\nClose it."),
    ],
)
def test_an_internal_note_ends_with_its_bracket_or_its_paragraph(text: str, kept: str) -> None:
    assert without_internal_notes(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Internal storage: tap it and choose Clear cache.",
        "Click Add internal note. Internal notes are not visible to customers.",
        "Raise the limit to 20 (internal only, not for relays).",
        "[internal]\nport = 5000",
        "Private messages: turn them off.",
        "Internal: use the first port. External: use the second port.",
        "> private:\n>   int x;",
        "Note for support: I have tried that.",
        "Use the second address (internal): 10.0.0.1",
        "Name the ports (internal: eth0, external: eth1).",
    ],
)
def test_other_sentences_with_these_words_are_kept(text: str) -> None:
    assert without_internal_notes(text) == text


_ASKED = {"role": "customer", "content": "It rains."}
_ANSWER = {"role": "agent", "content": "Close it."}


@pytest.mark.parametrize(
    "mark", [{"internal": True}, {"public": False}, {"visibility": "private"}, {"type": "internal_note"}]
)
def test_a_message_that_an_export_marks_as_internal_is_left_out(mark: dict[str, object]) -> None:
    said = read_transcript(json.dumps([_ASKED, _ANSWER, {"role": "agent", "content": "She is the mayor."} | mark]))
    assert [turn.text for turn in said.turns] == ["It rains.", "Close it."]


@pytest.mark.parametrize(
    "text",
    [
        "role,visibility,text\ncustomer,public,It rains.\nagent,public,Close it.\nagent,internal,She is the mayor.",
        "<c><m from='customer'>It rains.</m><m from='agent'>Close it.</m><m from='agent' type='internal'>Mayor.</m></c>",
        "Customer: It rains.\nAgent: Close it.\nAgent (internal): She is the mayor.",
        "Customer: It rains.\nAgent: Close it.\nInternal note: She is the mayor.",
    ],
)
def test_internal_messages_are_left_out_of_tables_xml_and_chats(text: str) -> None:
    assert [turn.text for turn in read_transcript(text).turns] == ["It rains.", "Close it."]


def test_a_helper_with_internal_messages_only_is_not_heard() -> None:
    said = read_transcript(json.dumps([_ASKED, _ANSWER | {"internal": True}]))
    assert [turn.text for turn in said.turns] == ["It rains."]


def test_a_mark_of_all_messages_is_one_of_the_conversation() -> None:
    said = read_transcript(json.dumps([_ASKED | {"visibility": "private"}, _ANSWER | {"visibility": "private"}]))
    assert [turn.text for turn in said.turns] == ["It rains.", "Close it."]


def test_a_helper_may_be_of_an_internal_department() -> None:
    said = read_transcript("Ann: It rains.\nHelpdesk (internal): Close it.\nAnn: Thanks, it is dry now.")
    assert said.turns[1].text == "Close it."


@pytest.mark.parametrize(
    "note",
    [
        "{panel:title=Internal note}\nShe is the mayor.\n{panel}",
        "{panel:bgColor=#eee|title=Internal comment|borderStyle=dashed}She is the mayor.{panel}",
        "<details><summary>Internal note</summary>\nShe is the mayor.\n</details>",
        "[internal]She is the mayor.[/internal]",
        "::: internal\nShe is the mayor.\n:::",
    ],
)
def test_a_note_in_a_panel_is_left_out(note: str) -> None:
    said = read_transcript(f"Customer: It rains.\n\n{note}\n\nAgent: Close it.\nCustomer: Thanks!")
    assert [turn.text for turn in said.turns] == ["It rains.", "Close it.", "Thanks!"]
