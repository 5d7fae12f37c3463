"""Messages of XML."""

import pytest

from toolsets.skills.transcript.reader import read_transcript
from toolsets.skills.transcript.speakers import Utterance
from toolsets.skills.transcript.xml_messages import in_xml


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE c [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><c><customer>&b;</customer><agent>&b;</agent></c>',
        "<a>" * 300_000,
        "<c><customer>It fails.</customer><agent>Restart",
    ],
)
def test_xml_with_entities_or_without_an_end_is_no_list_of_messages(text: str) -> None:
    assert {turn.role for turn in read_transcript(text).turns} <= {"other"}


ASKED, ANSWERED = "It fails.", "Restart it."
BOTH = [("ann", ASKED), ("bob", ANSWERED)]


def read(text: str) -> list[Utterance] | None:
    return in_xml(text, speakers=("from", "author"), texts=("body", "text"))


@pytest.mark.parametrize(
    "text",
    [
        f'<c><m from="ann">{ASKED}</m><m from="bob">{ANSWERED}</m></c>',
        f'<c><m from="ann" body="{ASKED}"/><m from="bob" body="{ANSWERED}"/></c>',
        f"<c><m><from>ann</from><body>{ASKED}</body></m><m><from>bob</from><body>{ANSWERED}</body></m></c>",
        f"<c><m><from>ann</from>{ASKED}</m><m><from>bob</from>Restart <b>it</b>.</m></c>",
        f'<x:c xmlns:x="u"><x:m x:From="ann">{ASKED}</x:m><x:m x:From="bob">{ANSWERED}</x:m></x:c>',
        f'<c><m author=" ann ">{ASKED}</m><m from="bob" author="x"><![CDATA[{ANSWERED}]]></m></c>',
    ],
)
def test_a_message_has_its_speaker_and_its_text_in_an_attribute_or_a_child(text: str) -> None:
    found = read(text)
    assert found is not None
    assert [(each.speaker, each.text) for each in found] == BOTH


def test_the_name_of_an_element_may_state_the_role() -> None:
    found = read(f"<c><customer>{ASKED}</customer><agent>{ANSWERED}</agent></c>")
    assert found == [Utterance("customer", ASKED), Utterance("agent", ANSWERED)]


def test_an_internal_message_is_marked() -> None:
    found = read(f'<c><m from="ann">{ASKED}</m><m from="bob" visibility="internal">{ANSWERED}</m></c>')
    assert found is not None
    assert [each.internal for each in found] == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no XML",
        f'<c><m from="ann">{ASKED}</m></c>',
        f"<c><m>{ASKED}</m><m>{ANSWERED}</m></c>",
        '<c><m from="ann">\ud800</m><m from="bob">x</m></c>',
        f'<c><m from="ann">{ASKED}</m><m from="bob">{ANSWERED}</m>',
        f'<!DOCTYPE c><c><m from="ann">{ASKED}</m><m from="bob">{ANSWERED}</m></c>',
        "<a>" * 41 + f'<m from="ann">{ASKED}</m><m from="bob">{ANSWERED}</m>' + "</a>" * 41,
    ],
)
def test_any_other_text_has_no_messages(text: str) -> None:
    assert read(text) is None
