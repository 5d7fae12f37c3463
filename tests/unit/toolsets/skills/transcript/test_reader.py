"""Conversations in the forms in which people keep them become turns with roles."""

import json
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.durations import is_linear
from toolsets.skills.transcript import MAX_TRANSCRIPT_BYTES, Transcript, TranscriptTooLong
from toolsets.skills.transcript.reader import LINES_FIRST, LINES_LAST, read_transcript

ASKED, ANSWERED, CONFIRMED = "I can't print since the update.", "Please restart the spooler.", "That worked, thanks!"
EXPECTED = [("customer", ASKED), ("agent", ANSWERED), ("customer", CONFIRMED)]
FORMS = {
    "roles": "Customer: {0}\nAgent: {1}\nCustomer: {2}",
    "roles on lines of their own": "Customer:\n{0}\n\nSupport agent:\n{1}\n\nCustomer:\n{2}",
    "roles with names": "Customer (Ann): {0}\nBob (Acme Support): {1}\nCustomer (Ann): {2}",
    "names": "Ann: {0}\nBob: {1}\nAnn: {2}",
    "times in brackets": "[12:03] Ann: {0}\n[12:04] Bob: {1}\n[12:09] Ann: {2}",
    "dates in brackets": "[02/01/2024, 12:03:55] Ann Lee: {0}\n[02/01/2024, 12:04:10] Bob: {1}\n"
    "[02/01/2024, 12:09:00] Ann Lee: {2}",
    "IRC": "12:03:55 <ann> {0}\n12:03:58 -!- carl has joined #help\n12:04:10 <@bob> {1}\n12:09:00 <ann> {2}",
    "nicks without times": "<ann> {0}\n<bob> {1}\n<ann> {2}",
    "date, dash, name": "2024-01-02 12:03 - Ann: {0}\n2024-01-02 12:04 - Bob: {1}\n2024-01-02 12:09 - Ann: {2}",
    "WhatsApp": "1/2/24, 12:01 PM - Messages and calls are end-to-end encrypted. No one can read them.\n"
    "1/2/24, 12:03 PM - Ann: {0}\n1/2/24, 12:04 PM - Bob: {1}\n1/2/24, 12:08 PM - Ann: <Media omitted>\n"
    "1/2/24, 12:09 PM - Ann: {2}",
    "Slack": "Ann Lee  12:03 PM\n{0}\nBob Ray  12:04 PM\n{1}\nAnn Lee  12:09 PM\n{2}",
    "Teams": "[1/2/2024 12:03 PM] Ann Lee\n{0}\n\n[1/2/2024 12:04 PM] Bob Ray\n{1}\n\n[1/2/2024 12:09 PM] Ann Lee\n{2}",
    "bold roles": "**Customer:** {0}\n\n**Agent:** {1}\n\n**Customer**: {2}",
    "headings": "### Customer\n{0}\n\n### Agent\n{1}\n\n### Customer\n{2}",
    "bold names with times": "**Ann** (12:03): {0}\n**Bob** (12:04): {1}\n**Ann** (12:09): {2}",
    "names and times in bold": "**Ann (12:03):** {0}\n\n**Bob (12:04):** {1}\n\n**Ann (12:09):** {2}",
    "some roles with times": "**Reporter:** {0}\n\n**Support (12:04):** {1}\n\n**Reporter (next day):** {2}",
    "some plain roles with times": "Reporter: {0}\nSupport (12:04): {1}\nReporter (next day): {2}",
    "Windows line ends": "Customer: {0}\r\nAgent: {1}\r\nCustomer: {2}\r\n",
    "top-posted e-mail": "From: Ann Lee <ann@example.com>\nTo: Help <help@example.com>\nSubject: Re: [Ticket"
    " #12] Printing\n\n"
    "{2}\n\n"
    "On Mon, Jan 1, 2024 at 10:00 AM Example Support <help@example.com>\nwrote:\n> {1}\n>\n> Best regards,\n>"
    " Bob\n>\n"
    "> On Sun, Dec 31, 2023, Ann Lee wrote:\n>> {0}\n>> --\n>> Ann Lee\n",
    "bottom-posted e-mail": "Ann Lee wrote:\n> Bob Ray wrote:\n>> Ann Lee wrote:\n>>> {0}\n>> {1}\n> {2}",
    "Outlook": "{2}\n\nFrom: Support Desk\nSent: Monday, January 1, 2024 10:00 AM\nTo: Ann\nSubject: RE:"
    " Printing\n\n{1}\n\n"
    "-----Original Message-----\nFrom: Ann\nSent: Sunday, December 31, 2023 9:00 AM\nSubject: Printing\n\n{0}",
    "Teams with days": "[Monday 09:02] Okafor, Chidi\n{0}\n\n[Monday 09:03] Ray, Bob (Acme)\n{1}\n\n"
    "[Monday 09:09] Okafor, Chidi\n{2}",
    "tabs": "10:01\tAnn Lee\t{0}\n10:02\tBob\t{1}\n10:03\tAnn Lee\t{2}",
    "tabs without times": "Customer\t{0}\nAgent\t{1}\nCustomer\t{2}",
    "tabs with a head": "time\tspeaker\ttext\n10:01\tAnn\t{0}\n10:02\tBob\t{1}\n10:03\tAnn\t{2}",
    "CSV": 'Time,Speaker,Text\n10:01,Ann,"{0}"\n10:02,Bob,"{1}"\n10:03,Ann,"{2}"\n',
    "CSV with semicolons": 'author;message\r\nAnn;"{0}"\r\nBob;"{1}"\r\nAnn;"{2}"\r\n',
    "bullets": "- Customer: {0}\n- Agent: {1}\n- Customer: {2}",
    "bullets with names": "* Ann: {0}\n* Bob: {1}\n* Ann: {2}",
    "HTML": "<p><b>Customer:</b> {0}</p><p><b>Agent:</b> {1}</p><p><b>Customer:</b> {2}</p>",
    "HTML page": "<!DOCTYPE html>\n<html><body><div><strong>Ann</strong>: {0}<br></div>\n<div><strong>Bob</strong>: {1}"
    "<br></div>\n<div><strong>Ann</strong>: {2}</div></body></html>",
    "HTML names above paragraphs": "<html><body><b>ann</b><p>{0}</p><b>bob</b>\n<p>{1}</p><b>ann</b><p>{2}</p></body></html>",
    "HTML cells": "<table><tr><td>Customer:</td><td>{0}</td></tr><tr><td>Agent:</td><td>{1}</td></tr>"
    "<tr><td>Customer:</td><td>{2}</td></tr></table>",
    "HTML definitions": "<div><dl><dt>Customer:</dt><dd>{0}</dd><dt>Agent:</dt><dd>{1}</dd>"
    "<dt>Customer:</dt><dd>{2}</dd></dl></div>",
    "Zulip": "**@Ann S.** (Tue 14:02): {0}\n\n**@Bob (support)** (Tue 14:06): {1}\n\n**@Ann S.** (Tue 14:40): {2}",
    "names with @ and times": "@ann (Tue 14:02): {0}\n@bob (Tue 14:06): {1}\n@ann (Wed 09:40): {2}",
    "messages with dates": "From: Bob\nDate: Tue, 2 Jan 2024 12:04:00 +0000\n\n{1}\n\nFrom: Ann\nDate: Tue, 2"
    " Jan 2024 12:03:00 +0000\n\n"
    "{0}\n\n"
    "From: Ann\nDate: Tue, 2 Jan 2024 12:09:00 +0000\n\n{2}",
}


def turns(text: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read_transcript(text).turns]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_each_form_yields_the_same_turns(form: str) -> None:
    assert turns(form.format(ASKED, ANSWERED, CONFIRMED)) == EXPECTED


def test_a_list_of_messages_is_read() -> None:
    messages = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWERED}]},
        {"role": "user", "content": CONFIRMED},
    ]
    assert turns(json.dumps(messages)) == turns(json.dumps({"messages": messages}, indent=1)) == EXPECTED


def test_sections_of_a_report_are_question_and_answer() -> None:
    text = "Problem: The VPN drops every hour.\nCause: The rekey times out.\nSolution: Raise the lifetime to 8 hours."
    assert turns(text) == [
        ("customer", "The VPN drops every hour."),
        ("agent", "The rekey times out.\n\nRaise the lifetime to 8 hours."),
    ]
    assert turns("Q: How do I install it?\nA: Use apt.") == [
        ("customer", "How do I install it?"),
        ("agent", "Use apt."),
    ]


def test_text_without_speakers_is_one_turn() -> None:
    text = "I have a problem: it crashes.\nIt says: out of memory.\nNote: only on Mondays."
    assert turns(text) == [("other", text)]


def test_fields_and_remarks_are_no_speakers() -> None:
    (first, _) = turns(
        "Customer: It fails.\nError: 0x80070005\nVersion: 2.1\nhttps://example.com\nStep 1: x\nAgent: Update it."
    )
    assert first == ("customer", "It fails.\nError: 0x80070005\nVersion: 2.1\nhttps://example.com\nStep 1: x")


def test_a_pasted_log_has_no_speakers() -> None:
    log = "2024-01-02 12:03:55 nginx: timed out\n2024-01-02 12:03:56 nginx: again"
    assert turns(f"Customer: It says\n{log}\nAgent: Update nginx.")[0] == ("customer", f"It says\n{log}")


def test_whoever_offers_help_answers_even_when_speaking_first() -> None:
    text = "Bob: Thanks for contacting us, how can I help?\nAnn: My invoice is wrong.\nBob: I'll check.\nAnn: ok"
    assert [role for role, _ in turns(text)] == ["agent", "customer", "agent", "customer"]


def test_a_second_helper_answers_too() -> None:
    text = (
        "ann: How do I undo a commit?\nbob: You can use git revert.\ncarl: Or try git reset.\n"
        "ann: That worked!\nbob: Glad it helped."
    )
    assert [role for role, _ in turns(text)] == ["customer", "agent", "agent", "customer", "agent"]


def test_customer_service_is_not_the_customer() -> None:
    assert [role for role, _ in turns("Customer service: Hello.\nCustomer: Hi, it broke.")] == ["agent", "customer"]


def test_answers_between_quoted_lines_keep_their_place() -> None:
    text = "Ann Lee wrote:\n> My disk is full.\nRun apt clean.\n> And the logs?\nRun journalctl --vacuum-size=100M."
    assert turns(text) == [
        ("customer", "My disk is full."),
        ("agent", "Run apt clean."),
        ("customer", "And the logs?"),
        ("agent", "Run journalctl --vacuum-size=100M."),
    ]


def test_a_text_that_is_quoted_again_is_returned_once() -> None:
    text = (
        "From: Bob\nSent: today\nSubject: x\n\nUpdate it.\n\n"
        "From: Ann\nSent: today\n\nIt fails.\n\nFrom: Ann\nSent: today\n\nIt fails."
    )
    assert [text for _, text in turns(text)] == ["It fails.", "Update it."]


def test_a_quote_of_a_part_of_an_earlier_message_is_no_message() -> None:
    told = "the desktop client hangs at 99 percent."
    text = (
        f"From: Maria <m@a.example>\nTo: help\nSubject: Sync\n\nHello,\n\n{told}\n\n"
        "From: Tom <t@b.example>\nTo: Maria\nSubject: Re: Sync\n\nRename the file.\n\n"
        f"On Mon, 3 Mar 2025, Maria wrote:\n> {told}"
    )
    assert [turn for turn in turns(text) if told in turn[1]] == [("customer", f"Hello,\n\n{told}")]


def test_the_subject_loses_what_programs_put_before_it() -> None:
    thread = read_transcript("From: Ann\nSubject: Re: FW: [Ticket #123] Cannot sync calendar\n\nHelp!")
    assert thread.subject == "Cannot sync calendar"
    assert read_transcript("Subject: Cannot sync\nCustomer: Help!\nAgent: Update it.").subject == "Cannot sync"


@pytest.mark.parametrize("label", ["Summary", "Short description", "**Summary**", "Ticket", "Headline"])
def test_a_ticket_names_its_subject_in_several_ways(label: str) -> None:
    text = f"Ticket: 4711\n{label}: The hall lamp flickers\nPriority: P2\n\nCustomer: Help!\nAgent: Turn the bulb."
    assert read_transcript(text).subject == "The hall lamp flickers"


def test_a_summary_below_a_message_is_no_subject() -> None:
    said = read_transcript("Customer: Help!\nAgent: Turn the bulb.\nSummary: the bulb was loose and flickered")
    assert said.subject is None
    assert "the bulb was loose" in said.text


def test_successive_messages_of_one_speaker_are_one_turn() -> None:
    assert turns("[12:03] Ann: Hi\n[12:03] Ann: it fails\n[12:04] Bob: Please update it")[0] == (
        "customer",
        "Hi\n\nit fails",
    )


def test_an_empty_message_is_no_turn() -> None:
    assert read_transcript("") == read_transcript(" \n\n") == Transcript(())


def test_too_long_a_transcript_is_refused() -> None:
    with pytest.raises(TranscriptTooLong):
        read_transcript("ä" * (MAX_TRANSCRIPT_BYTES // 2 + 1))


@given(
    st.lists(
        st.sampled_from(
            ["Ann:", "> ", "On x wrote:", "[12:03]", "\n", "From: a", "Subject: b", "**A:**", "<b>", " x", "{", "--"]
        )
    )
)
def test_no_text_breaks_it_and_no_turn_is_blank(pieces: list[str]) -> None:
    assert all(turn.text.strip() for turn in read_transcript("".join(pieces)).turns)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "\n",
        "Ann: x\n",
        "> > x\n",
        "On x wrote:\n",
        "[12:03] Ann\n",
        "From: a\nTo: b\n\n",
        "From: a\n",
        "Sent: a\n",
        "*",
        "a ```b\n",
        "**A:** b\n",
        "1. ",
        '{"',
    ],
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    assert is_linear(read_transcript, piece)


def test_in_a_thread_a_sender_alone_begins_a_message() -> None:
    thread = (
        "Subject: VPN drops\nFrom: Ann <ann@x.example>\n\nThe VPN drops.\n\n"
        "From: Support <support@x.example>\n\nTurn off power saving.\nFrom: here on it stays up.\n\n"
        "From: Ann <ann@x.example>\n\nThat worked, thanks!"
    )
    assert [turn.speaker for turn in read_transcript(thread).turns] == ["Ann", "Support", "Ann"]


def _long_chat(said: str) -> str:
    return "Customer: The bell is mute.\n" + said + "\nAgent: Turn the wheel.\nCustomer: That solved it!"


def test_of_a_long_conversation_the_beginning_and_the_end_are_read() -> None:
    text = _long_chat("Agent: It rains.\nCustomer: It snows.\n" * 20_000)
    turns = read_transcript(text).turns
    assert turns[0].text == "The bell is mute."
    assert [turn.text for turn in turns[-2:]] == ["Turn the wheel.", "That solved it!"]
    assert 50_000 > sum(len(turn.text) for turn in turns) > 15_000
    assert {turn.text for turn in turns[1:-2]} == {"It rains.", "It snows."}


def test_nobody_is_taken_for_the_speaker_of_the_middle_of_a_long_turn() -> None:
    turns = read_transcript(_long_chat("Agent: See the log.\n" + "It goes on.\n" * 40_000)).turns
    assert [(turn.role, turn.text[:9]) for turn in turns] == [
        ("customer", "The bell "),
        ("agent", "See the l"),
        ("other", "It goes o"),
        ("agent", "Turn the "),
        ("customer", "That solv"),
    ]


def test_of_many_messages_in_json_the_first_and_the_last_ones_are_read() -> None:
    middle = [{"role": "assistant", "content": f"Line {n}. " + "x" * 900} for n in range(900)]
    said = [{"role": "user", "content": "It is mute."}, *middle, {"role": "user", "content": "That solved it!"}]
    turns = read_transcript(json.dumps(said)).turns
    assert (turns[0].text, turns[-1].text) == ("It is mute.", "That solved it!")
    assert "Line 899." in turns[1].text
    assert "Line 400." not in turns[1].text
    assert sum(len(turn.text) for turn in turns) <= 55_500


def test_one_long_message_without_a_blank_is_read_in_part() -> None:
    [turn] = read_transcript(json.dumps([{"role": "user", "content": "a" * 500_000 + "b" * 500_000}])).turns
    assert (turn.text.count("a"), turn.text.count("b")) == (15_000, 40_000)


def as_chat(said: Sequence[Mapping[str, str]]) -> str:
    return "\n".join(f"{each['role']}: {each['content']}" for each in said)


@pytest.mark.parametrize("form", [json.dumps, as_chat])
def test_of_very_many_short_messages_the_first_and_the_last_ones_are_read(
    form: Callable[[Sequence[Mapping[str, str]]], str],
) -> None:
    said = [{"role": ("user", "agent")[n % 2], "content": f"x{n}"} for n in range(9_000)]
    turns = read_transcript(form(said)).turns
    assert (turns[0].text, turns[-1].text) == ("x0", "x8999")
    assert len(turns) <= LINES_FIRST + LINES_LAST + 1
    texts = {turn.text for turn in turns}
    assert {f"x{LINES_FIRST - 1}", f"x{9_000 - LINES_LAST + 1}"} <= texts
    assert "x2500" not in texts


@pytest.mark.parametrize(
    "said",
    ["there is no disk space left", "I have ten percent left", "The printer has left the network", "we all joined"],
)
def test_a_sentence_that_ends_in_left_or_joined_is_said_by_somebody(said: str) -> None:
    transcript = read_transcript(f"12:00 <kim> hello\n12:01 <bob> hi\n12:02 <kim> {said}\n12:03 <bob> ok")
    assert [turn.text for turn in transcript.turns] == ["hello", "hi", said, "ok"]


@pytest.mark.parametrize(
    "event",
    [
        "*** ann has joined #debian",
        "12:01 -!- pat left",
        "12:01 kim2 left the channel",
        "Kim Hall joined the chat",
        "[12:01] Kim Hall (Support) has left",
        "--> ann (ann@host) has joined #debian",
    ],
)
def test_who_comes_and_goes_is_said_by_nobody(event: str) -> None:
    transcript = read_transcript(f"12:00 <kim> hello\n12:01 <bob> hi\n{event}\n12:03 <kim> ok")
    assert [turn.text for turn in transcript.turns] == ["hello", "hi", "ok"]


def test_a_field_of_the_customer_is_no_speaker() -> None:
    transcript = read_transcript("Customer number: C-440918\nCustomer: It fails.\nAgent: Restart it.")
    assert [turn.role for turn in transcript.turns] == ["other", "customer", "agent"]


QUOTED_BELOW = """From: Ann <ann@x.example>
To: Help

The bell is mute.

From: Help <help@x.example>
To: Ann

Turn the wheel.

{attribution}
The bell is mute. Shall I ring it?
"""


def test_a_mail_quoted_without_marks_is_its_authors() -> None:
    text = QUOTED_BELOW.format(attribution="On Mon, Jan 1, 2024 at 10:00 AM Ann <ann@x.example> wrote:")
    assert [turn for turn in turns(text) if turn[0] == "agent"] == [("agent", "Turn the wheel.")]


def test_words_that_somebody_wrote_are_no_quoted_mail() -> None:
    text = QUOTED_BELOW.format(attribution="My colleague wrote:")
    assert turns(text)[-1] == ("agent", "Turn the wheel.\n\nThe bell is mute. Shall I ring it?")


def test_json_lines_are_messages() -> None:
    said = [("customer", ASKED), ("agent", ANSWERED), ("customer", CONFIRMED)]
    text = "\n".join(json.dumps({"role": role, "content": content}) for role, content in said)
    assert turns(text) == EXPECTED
    assert turns(text + "\nno JSON")[0][0] == "other"


def test_a_question_and_its_answer_may_be_on_one_line() -> None:
    assert turns(f"Q: {ASKED} A: {ANSWERED}") == EXPECTED[:2]


def test_a_list_and_tags_within_a_turn_are_its_text() -> None:
    answered = "Do this:\n- Settings: open <b>them</b>.\n- Wait\tthen press it."
    assert turns(f"Customer: {ASKED}\nAgent: {answered}") == [EXPECTED[0], ("agent", answered)]


def test_a_sentence_before_a_table_is_no_head() -> None:
    assert turns('The text, the name\n1,"x')[0][0] == "other"
