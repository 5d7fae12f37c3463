"""Exports of chats, tickets and mails, a small conversation in each format."""

import pytest

from toolsets.skills.transcript.headings import Heading, heading, join_headings
from toolsets.skills.transcript.reader import read_transcript

ASKED, ANSWERED, CONFIRMED = (
    "Our label printer cuts labels in half.",
    "Set the height to 50 mm.",
    "That worked, thanks!",
)
EXPECTED = [("customer", ASKED), ("agent", ANSWERED), ("customer", CONFIRMED)]
FORMS = {
    "Slack, lower case": "jenny  9:02 AM\n{0}\nraj [IT]  9:05 AM\n{1}\njenny  9:31 AM\n{2}",
    "Slack, copied": "jenny\n  9:02 AM\n{0}\nraj\n  9:05 AM\n{1}\njenny\n  9:31 AM\n{2}",
    "Slack, copied with an app": "Jenny Ko\n9:02 AM\n{0}\nDesk APP  9:05 AM\n{1}\nJenny Ko\n9:31 AM\n{2}",
    "Discord": "mia — Today at 3:12 PM\n{0}\ntom — Today at 3:14 PM\n{1}\nmia — Yesterday at 3:20 PM\n{2}",
    "GitHub": "**alice** commented on Mar 3, 2026\n\n{0}\n\n**bob** commented on Mar 4, 2026\n\n{1}\n\n"
    "**alice** commented last week\n\n{2}",
    "GitHub, counts and badges": "**alice** opened this issue on Mar 3, 2026 · 6 comments · Fixed by #7\n\n{0}\n\n"
    "**bob** (member) commented on Mar 4, 2026\n\n{1}\n\n**alice** (author) commented on Mar 5, 2026 · 1 reaction\n\n{2}",
    "GitHub, relative": "alice opened this issue 3 days ago\n{0}\nbob commented 2 days ago\n{1}\nalice commented yesterday\n{2}",
    "Freshdesk": "Anna reported (Tue, 3 Mar 2026 at 9:12 AM)\n{0}\n\nPaul replied (Tue, 3 Mar 2026 at 10:40 AM)\n{1}\n\n"
    "Anna replied (Tue, 3 Mar 2026 at 11:02 AM)\n{2}",
    "Freshdesk, relative": "Anna reported via email 3 days ago (Mon, 2 Mar 2026 at 8:01 AM)\n{0}\n\n"
    "Paul (Care) replied 2 days ago (Tue, 3 Mar 2026 at 9:12 AM)\n{1}\n\n"
    "Anna replied 2 days ago (Tue, 3 Mar 2026 at 6:02 PM)\n{2}",
    "WhatsApp": "04.03.26, 18:02 - +49 151 2345678: {0}\n04.03.26, 18:10 - Lind Heating 🏠: {1}\n"
    "04.03.26, 18:22 - +49 151 2345678: {2}",
    "Jira": "Anna Berg added a comment - 03/Mar/26 9:12 AM\n{0}\n\nPaul Ott added a comment - 03/Mar/26 10:40 AM\n{1}\n\n"
    "Anna Berg added a comment - 03/Mar/26 11:02 AM\n{2}",
    "Zendesk": "Olga P.  Mar 03, 2026 09:12\n{0}\n\nMarc (Agent)  Mar 03, 2026 09:40\n{1}\n\nOlga P.  Mar 03, 2026 11:02\n{2}",
    "time before the name": "2026-03-02 09:14 UTC · Ann Lee\n{0}\n2026-03-02 09:20 UTC · Bo Ray\n{1}\n"
    "2026-03-02 09:30 UTC · Ann Lee\n{2}",
    "German headings": "Max Huber schrieb am 05.05.2026 um 10:11 Uhr:\n{0}\n\nSupport antwortete am 05.05.2026 um 11:00 Uhr:\n"
    "{1}\n\nMax Huber schrieb am 05.05.2026 um 12:00 Uhr:\n{2}",
    "GitLab": "Ann Lee (@ann) commented 3 days ago\n{0}\n\nBo Ott @bo · 2 days ago\n{1}\n\nAnn Lee @ann · 1 day ago\n{2}",
    "Teams, copied": "Lee, Ann\n3/3 9:12 AM\n{0}\nOtt, Bo\n3/3 9:15 AM\n{1}\nLee, Ann\n3/3 9:40 AM\n{2}",
    "senders with times": "From: Ann (9:12)\n{0}\n\nFrom: Bo (9:30)\n{1}\n\nFrom: Ann (9:40)\n{2}",
    "mails, Dutch": "{2}\n\nOp di 3 mrt 2026 om 09:12 schreef Support <s@b.example>:\n> {1}\n>\n"
    "> Op ma 2 mrt 2026 om 09:00 schreef Ann <a@b.example>:\n>> {0}",
    "comments by": "Comment by Ann on 3 March 2026\n{0}\nComment by Bob on 4 March 2026\n{1}\n"
    "Comment by Ann on 5 March 2026\n{2}",
    "Markdown table": "# Ticket 7\n\n| Who | Message |\n|---|---|\n| Customer | {0} |\n| Agent | {1} |\n| Customer | {2} |",
    "Markdown table, names": "| Time | Name | Text |\n|:--|:-:|--:|\n| 9:02 | Ann | {0} |\n| 9:05 | Bob | {1} |\n"
    "| 9:09 | Ann | {2} |",
    "Markdown table, other heads": "| Party | Line |\n|-|-|\n| Customer | {0} |\n| Agent | {1} |\n| Customer | {2} |",
    "XML, attributes": '<?xml version="1.0"?>\n<c><message from="customer">{0}</message>\n'
    '<message from="agent">{1}</message><message from="customer">{2}</message></c>',
    "XML, children": "<chat><msg><sender>Ann</sender><body>{0}</body></msg><msg><sender>Bob</sender><body>{1}</body></msg>"
    "<msg><sender>Ann</sender><body>{2}</body></msg></chat>",
    "XML, elements": "<dialog>\n <customer>{0}</customer>\n <agent>{1}</agent>\n <customer>{2}</customer>\n</dialog>",
    "Chinese": "客户：{0}\n客服：{1}\n客户：{2}",
    "Chinese with a name": "客户张三：{0}\n客服小王：{1}\n客户张三：{2}",
    "Japanese": "お客様：{0}\nサポート：{1}\nお客様：{2}",
    "full-width colons": "Customer：{0}\nAgent：{1}\nCustomer：{2}",
    "roles in brackets": "[Customer] {0}\n[Agent] {1}\n[Customer] {2}",
    "mails, oldest on top": "Von: Max Huber <max@a.example>\nAn: Support\n\n{0}\n\nAm 05.05.2026 um 10:11 schrieb Support"
    " <s@b.example>:\n> {1}\n\nAm 05.05.2026 um 11:40 schrieb Max Huber:\n> {2}",
    "mails, newest on top": "{2}\n\nAm 05.05.2026 um 10:11 schrieb Support <s@b.example>:\n> {1}\n>\n"
    "> Am 04.05.2026 um 09:00 schrieb Max Huber:\n>> {0}",
    "mails, newest on top without levels": "{2}\n\nAm 05.05.2026 um 10:11 schrieb Support <s@b.example>:\n> {1}\n\n"
    "Am 04.05.2026 um 09:00 schrieb Max Huber:\n> {0}",
    "Outlook, German": "Von: Max Huber\nGesendet: Dienstag, 5. Mai 2026 11:40\nAn: Support\n\n{2}\n\nVon: Support\n"
    "Gesendet: Dienstag, 5. Mai 2026 10:11\nAn: Max Huber\n\n{1}\n\nVon: Max Huber\nGesendet: Montag, 4. Mai 2026 09:00\n"
    "An: Support\n\n{0}",
}


def turns(text: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in read_transcript(text).turns]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_each_format_yields_the_same_turns(form: str) -> None:
    assert turns(form.format(ASKED, ANSWERED, CONFIRMED)) == EXPECTED


@pytest.mark.parametrize(
    "line",
    [
        "I restarted it at 9:02",
        "lunch at 12:30",
        "Try again in 5 minutes",
        "Works since yesterday",
        "Version 3.4",
        "Run SELECT 1;.",
        "It fails every day at 12:00",
        "2026-03-02 09:14:03",
    ],
)
def test_a_sentence_with_a_time_is_no_heading(line: str) -> None:
    assert heading(line) is None


def test_a_heading_has_the_whole_name() -> None:
    assert heading("Ann Lee <ann@example.com> wrote on Tue, 3 Mar 2026 09:12:33 +0100:") == Heading(
        "Ann Lee", said=True
    )
    assert heading("Ann (Agent) - 3/3/26, 9:12 PM") == Heading("Ann (Agent)", said=False)
    assert heading("### **Ann Lee** · 3h ago") == Heading("Ann Lee", said=False)


def test_fields_above_a_ticket_state_the_roles_of_its_names() -> None:
    text = f"Agent: Olga P.\nCustomer: Marc Ott\n\nOlga P.  9:12\n{ANSWERED}\n\nMarc Ott  9:40\n{ASKED}"
    assert turns(text)[1:] == [("agent", ANSWERED), ("customer", ASKED)]


def test_a_label_with_a_letter_is_a_speaker_and_one_with_a_field_is_not() -> None:
    text = f"Agent A: I pass you on.\nCustomer: {ASKED}\ncustomer ref: 123\nAgent B: {ANSWERED}"
    assert turns(text) == [
        ("agent", "I pass you on."),
        ("customer", f"{ASKED}\ncustomer ref: 123"),
        ("agent", ANSWERED),
    ]


def test_a_cell_may_contain_bars_and_breaks() -> None:
    text = "| Who | What |\n|---|---|\n| Customer | It fails. |\n| Agent | Run `ls | wc`.<br>Then wait \\| stop. |"
    assert turns(text)[1] == ("agent", "Run `ls | wc`.\nThen wait | stop.")


@pytest.mark.parametrize(
    "notice",
    [
        "This e-mail is confidential and intended only for the addressee. If you are not the recipient, delete it.",
        "This message and any attachments\nmay contain privileged information.",
        "CONFIDENTIALITY NOTICE: The contents are intended for the named recipient.",
        "Please consider the environment before printing this e-mail.",
        "Diese E-Mail ist vertraulich und nur für den Empfänger bestimmt.",
        "Ce message est confidentiel.",
    ],
)
@pytest.mark.parametrize(
    "form",
    ["Customer: {0}\n\n{1}\nAgent: {2}", "From: Ann\nTo: Bob\n\n{0}\nThanks,\nAnn\n{1}\n\nFrom: Bob\nTo: Ann\n\n{2}"],
)
def test_a_notice_of_a_mail_server_is_left_out(notice: str, form: str) -> None:
    assert turns(form.format(ASKED, notice, ANSWERED)) == EXPECTED[:2]


def test_a_remark_about_a_message_is_no_notice() -> None:
    text = "Customer: This message appears each time: Access denied. This e-mail never arrives.\nAgent: Restart it."
    assert turns(text)[0][1].endswith("never arrives.")


def test_what_nobody_sees_is_left_out() -> None:
    text = "Customer: The \x1b[31mscreen\x1b[0m \u202eturns\u202c bl\u200back.\nAgent: Restart\x07 it."
    assert turns(text) == [("customer", "The screen turns black."), ("agent", "Restart it.")]


@pytest.mark.parametrize(
    "line",
    [
        "Thread: {0}",
        "**Title: {0}**",
        "**Thread:** {0}",
        "### Topic: {0}",
        "__Subject: {0}__",
        "- **Title**: {0}",
        "`Title: {0}`",
        'Title: "{0}"',
        "Ticket subject: {0}",
        "Discussion: {0}",
        "Asunto: {0}",
        "Posted in: Printers > Thermal\nThread: {0}",
        "Product: Labelix 4\nSummary: {0}",
    ],
)
def test_a_label_above_the_messages_names_the_subject(line: str) -> None:
    title = "Label printer cuts labels in half"
    said = read_transcript(f"{line.format(title)}\n\nCustomer: {ASKED}\nAgent: {ANSWERED}\nCustomer: {CONFIRMED}")
    assert said.subject == title
    assert [(turn.role, turn.text) for turn in said.turns if turn.role != "other"] == EXPECTED


@pytest.mark.parametrize("line", ["Thread: 4711", "Discussion: open", "Agent: Thread: wait for the other one to end."])
def test_a_label_with_a_number_or_below_a_speaker_names_no_subject(line: str) -> None:
    assert read_transcript(f"{line}\nCustomer: {ASKED}\nAgent: {ANSWERED}").subject is None


def test_a_line_like_the_subject_in_a_message_is_kept() -> None:
    text = f"Title: Labels are cut\n\nCustomer: {ASKED}\nAgent: Fill in the form.\nTitle: Cut\nThen send it."
    assert turns(text)[1] == ("agent", "Fill in the form.\nTitle: Cut\nThen send it.")


def test_a_status_before_a_time_is_no_part_of_a_message() -> None:
    lines = ["Dana Fox", "  9:14 AM", "It hangs.", "Sam Lee", ":spiral_calendar_pad:  9:16 AM", "Push again."]
    assert join_headings(lines) == ["Dana Fox  9:14 AM", "It hangs.", "Sam Lee  9:16 AM", "Push again."]
