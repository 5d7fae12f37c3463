"""Mails as servers store them."""

import base64

import pytest

from tests.support.durations import is_linear
from toolsets.skills.transcript.mail_sources import decoded
from toolsets.skills.transcript.reader import read_transcript

HEADS = """Return-Path: <linda@moss.example>
Received: from mx.acme.example (mx.acme.example [203.0.113.9]) by imap.acme.example;
 Tue, 3 Mar 2026 16:10:00 +0000
From: =?utf-8?q?Linda_M=C3=B6ss?= <linda@moss.example>
To: help@acme.example
Subject: Re: Scanner does not =?utf-8?b?c2VuZA==?=
Date: Tue, 3 Mar 2026 16:10:00 +0000
MIME-Version: 1.0
"""
QUOTED_PRINTABLE = """It sends again, thank you=21

On Tue, 3 Mar 2026 at 14:02, Helpdesk <help@acme.example> wrote:
> Please open the web page of the scanner, go to Network > SMB, and tick =
SMBv3.
>
> On Tue, 3 Mar 2026 at 09:40, Linda M=C3=B6ss <linda@moss.example> wrote:
>> Our Canon scanner says "Connection failed" when it sends a scan.
"""
PLAIN = """It sends again, thank you!

On Tue, 3 Mar 2026 at 14:02, Helpdesk <help@acme.example> wrote:
> Please open the web page of the scanner, go to Network > SMB, and tick SMBv3.
>
> On Tue, 3 Mar 2026 at 09:40, Linda Möss <linda@moss.example> wrote:
>> Our Canon scanner says "Connection failed" when it sends a scan.
"""
HTML = (
    "<html><body><p>It sends again, thank you!</p><div>On Tue, 3 Mar 2026 at 14:02, Helpdesk &lt;help@acme.example&gt; wrote:"
    "</div><blockquote><p>Please open the web page of the scanner, go to Network &gt; SMB, and tick SMBv3.</p>"
    "<div>On Tue, 3 Mar 2026 at 09:40, Linda M&ouml;ss &lt;linda@moss.example&gt; wrote:</div>"
    '<blockquote>Our Canon scanner says "Connection failed" when it sends a scan.</blockquote></blockquote></body></html>'
)
CODED = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: "
BASE64 = base64.encodebytes(PLAIN.encode()).decode()
ALTERNATIVES = (
    f'Content-Type: multipart/alternative; boundary="b1"\n\n--b1\n{CODED}quoted-printable\n\n{QUOTED_PRINTABLE}\n'
    f"--b1\nContent-Type: text/html; charset=utf-8\n\n{HTML}\n--b1--\n"
)
ATTACHED = (
    "--b0\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nsecret log\n--b0\n"
    "Content-Type: message/rfc822\n\nFrom: x@y.example\nSubject: other\n\nAnother matter.\n--b0--\n"
)
MAILS = {
    "alternatives": HEADS + ALTERNATIVES,
    "quoted-printable": f"{HEADS}{CODED}quoted-printable\n\n{QUOTED_PRINTABLE}",
    "base64": f"{HEADS}{CODED}base64\n\n{BASE64}",
    "HTML only": f"{HEADS}Content-Type: text/html; charset=utf-8\n\n{HTML}",
    "with attachments": f'{HEADS}Content-Type: multipart/mixed; boundary="b0"\n\n--b0\n{ALTERNATIVES}{ATTACHED}',
    "CRLF": (HEADS + ALTERNATIVES).replace("\n", "\r\n"),
    "unknown charset": f"{HEADS}{CODED}quoted-printable\n\n{QUOTED_PRINTABLE}".replace(
        "charset=utf-8", "charset=x-none"
    ),
    "charset without a decoder for texts": f"{HEADS}{CODED}base64\n\n{BASE64}".replace(
        "charset=utf-8", "charset=undefined"
    ),
    "empty first part": (
        f'{HEADS}Content-Type: multipart/mixed; boundary="b0"\n\n--b0\nContent-Type: text/plain\n\n \n'
        f"--b0\n{CODED}base64\n\n{BASE64}\n--b0--\n"
    ),
}


@pytest.mark.parametrize("mail", MAILS.values(), ids=MAILS.keys())
def test_the_plain_text_of_a_mail_is_read(mail: str) -> None:
    transcript = read_transcript(mail)
    assert transcript.subject == "Scanner does not send"
    assert [(turn.role, turn.text) for turn in transcript.turns] == [
        ("customer", 'Our Canon scanner says "Connection failed" when it sends a scan.'),
        ("agent", "Please open the web page of the scanner, go to Network > SMB, and tick SMBv3."),
        ("customer", "It sends again, thank you!"),
    ]


def test_an_archive_of_mails_in_parts_is_read_in_order() -> None:
    def mail(name: str, hour: int, said: str) -> str:
        return (
            f"From {name}@x.example Tue Mar  3 {hour}:00:00 2026\nFrom: {name} <{name}@x.example>\n"
            f"Date: Tue, 3 Mar 2026 {hour}:00:00 +0000\nSubject: Scanner\n{CODED}base64\n\n"
            f"{base64.encodebytes(said.encode()).decode()}\n"
        )

    text = mail("Ann", 10, "The scanner fails.") + mail("Bo", 11, "Tick SMBv3.") + mail("Ann", 12, "It sends, thanks!")
    assert [turn.text for turn in read_transcript(text).turns] == [
        "The scanner fails.",
        "Tick SMBv3.",
        "It sends, thanks!",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "From: Ann <a@x.example>\nDate: 3 May 2026\n\nIt has Content-Type: multipart/mixed in it.",
        "Customer: The header says Content-Type: text/html\n\nfrom: x",
        "From: Ann\nContent-Type: text/plain\n\nIt fails with =3D.",
        "Note: MIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\nAAAA",
        "",
    ],
)
def test_any_other_text_stays(text: str) -> None:
    assert decoded(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "--b\n",
        "--b\nContent-Type: text/plain\n\na\n",
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\n',
        "From a@x.example Mon Mar  2 09:14:33 2026\nFrom: a\nContent-Type: text/html\n\n",
        "a =?utf-8?q?a?= ",
        "a",
    ],
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    before = 'From: Ann\nContent-Type: multipart/mixed; boundary="b"\n\n'
    assert is_linear(decoded, piece, before=before)
    assert is_linear(decoded, piece, before="From: Ann\nContent-Type: text/html\nSubject: ")
