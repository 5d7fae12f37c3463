"""Posts below or behind a name without a time: only names that recur over texts of people who talk count."""

import pytest

from toolsets.skills.transcript.reader import read_transcript

SAID = (
    "My dehumidifier beeps all night, I emptied the tank twice.",
    "I had that too. Clean the float with warm water.",
    "Cleaned it, it still beeps.",
    "Then I would press the filter button for ten seconds.",
    "Silence at last, thanks!",
)
ROLES = ["customer", "agent"] * 2 + ["customer"]
ASKER, HELPER = "moss_42", "drywall"
TITLE = "Beeping dehumidifier"
FORMS = {
    "bold names": ("**{0}**\n{1}", "**{0}**\n{1}"),
    "bold names and ranks": ("**{0}** - Original poster\n{1}", "**{0}** - Member\n{1}"),
    "bold handles and an owner": ("**@{0}**\n{1}", "**@{0}** (owner)\n{1}"),
    "handles and a maintainer": ("@{0}\n{1}", "@{0} (maintainer)\n{1}"),
    "names and a colon": ("{0}:\n{1}", "{0} (owner):\n{1}"),
    "bare names": ("{0}\n{1}", "{0}\n{1}"),
    "weekdays behind the names": ("{0} (Tue): {1}", "{0} (Wed): {1}"),
    "names and times of day": ("{0} 21:14 {1}", "{0} 21:20 {1}"),
    "labels in italics": ("*{0}:* {1}", "*{0}:* {1}"),
    "mails below lines": ("--\nFrom: {0}\n{1}", "--\nFrom: {0}\n{1}"),
    "mails below words between lines": ("--- reply ---\nFrom: {0}\n{1}", "--- reply ---\nFrom: {0}\n{1}"),
}


def _thread(form: str) -> str:
    asked, helped = FORMS[form]
    return "\n\n".join(
        (asked if at % 2 == 0 else helped).format(ASKER if at % 2 == 0 else HELPER, text)
        for at, text in enumerate(SAID)
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_text_belongs_to_the_name_above_it_or_before_it(form: str) -> None:
    turns = read_transcript(f"{TITLE}\n\n{_thread(form)}").turns
    assert [(turn.role, turn.text) for turn in turns if turn.speaker is not None] == list(zip(ROLES, SAID, strict=True))


def test_numbered_comments_belong_to_the_names_behind_the_numbers() -> None:
    heads = (
        "Description, Ines T., 2025-03-01",
        "Comment 1, Odd H. (dev)",
        "Comment 2, Ines T.",
        "Comment 3, Odd H. (dev)",
    )
    text = "\n\n".join(f"{head}\n{said}" for head, said in zip((*heads, "Comment 4, Ines T."), SAID, strict=True))
    turns = read_transcript(f"Bug 811 - Dehumidifier beeps\nProduct: Dry Two\n\n{text}").turns
    assert [(turn.speaker, turn.text) for turn in turns if turn.speaker is not None] == [
        ("Odd H." if at % 2 else "Ines T.", said) for at, said in enumerate(SAID)
    ]


def test_who_opened_an_issue_wrote_what_is_above_its_comments() -> None:
    text = f'Issue 5: "Beeps"\nOpened by {ASKER}\n\n{SAID[0]}\n\n{HELPER} (owner):\n{SAID[1]}\n\n{ASKER}:\n{SAID[2]}'
    turns = read_transcript(f"{text}\n\nstale[bot]:\nNo activity for 60 days.\n\n{ASKER}:\n{SAID[4]}").turns
    assert [turn.speaker for turn in turns if turn.speaker is not None] == [ASKER, HELPER, ASKER, "stale[bot]", ASKER]


def test_who_opened_an_issue_with_a_handle_writes_its_comments_as_well() -> None:
    heads = (f"**@{ASKER}** opened", f"**@{HELPER}** (owner)", f"**@{ASKER}**")
    text = "\n\n".join(("**Beeping** · Issue #5", *map("{}\n{}".format, heads, SAID)))
    assert [turn.speaker for turn in read_transcript(text).turns] == [None, ASKER, HELPER, ASKER]


def test_paragraphs_belong_to_the_name_above_them() -> None:
    text = _thread("bare names").replace("Clean the float", "\n\nClean the float")
    assert len([turn for turn in read_transcript(text).turns if turn.speaker]) == len(SAID)


def test_the_headers_of_the_first_mail_are_left_out() -> None:
    first = "From: Ulla Brandt\nTo: help@dry.example\nSubject: Beeping\n\n{}"
    text = f"{first}\n\n--\nFrom: Dry Support\n{{}}\n\n--\nFrom: Ulla Brandt\n{{}}"
    turns = read_transcript(text.format(*SAID[:3])).turns
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("Ulla Brandt", SAID[0]), ("Dry Support", SAID[1]), ("Ulla Brandt", SAID[2]),
    ]  # fmt: skip


def test_a_first_mail_without_a_sender_belongs_to_the_name_that_signs_it() -> None:
    text = (
        f"Hello, {SAID[0]} Ulla\n\n--- reply ---\nFrom: Dry Support\n{SAID[1]}\n\n--- reply ---\nFrom: Ulla\n{SAID[2]}"
    )
    assert [turn.speaker for turn in read_transcript(text).turns] == ["Ulla", "Dry Support", "Ulla"]


OTHER = {
    "bold headings that recur": (
        "**Windows**\nOpen your settings.\n\n**Linux**\nEdit your file.\n\n"
        "**Windows**\nRestart it.\n\n**Linux**\nRestart it."
    ),
    "questions below headings": (
        "**Billing**\nHow do I pay? By card.\n\n"
        "**Account**\nHow do I log in? With a code.\n\n**Privacy**\nDo you sell my data? No."
    ),
    "a changelog": "3.1\n\nAdded\n- export\n\nFixed\n- import\n\n3.0\n\nAdded\n- import\n\nFixed\n- a crash that I reported",
    "a changelog in lower case": "added\n- export\n\nfixed\n- import\n\nadded\n- import\n\nfixed\n- a crash",
    "captions with colons": "Bug fixes:\nI mended it.\n\nNotes on 3:\nWe test it.\n\nBug fixes:\nNone.\n\nNotes on 3:\nWe wait.",
    "captions in bold": "**Bug fixes**\nI did it.\n\n**News**\nWe test it.\n\n**Bug fixes**\nNone.\n\n**News**\nWe wait.",
    "files and indented changes": "a_2.c\n  I mended it.\n\nb_2.c\n  We test it.\n\na_2.c\n  None.\n\nb_2.c\n  We wait.",
    "pros and cons": "Pros\nI like it.\n\nCons\nI paid a lot.\n\nPros\nI can return it.\n\nCons\nI have to pay.",
    "bold pros and cons": (
        "**Pros**\nI like it.\n\n**Cons**\nI paid a lot.\n\n**Pros**\nI can return it.\n\n**Cons**\nI have to pay."
    ),
    "interfaces": "eth0\n  inet 10.0.0.1\n\nwlan0\n  inet 10.0.0.2\n\neth0\n  mtu 1500\n\nwlan0\n  mtu 1400",
    "a log": "sshd 10:11 accepted key\ncron 10:12 started job\nsshd 10:13 closed session\ncron 10:14 ended job",
    "a timetable": "Berlin 10:11 platform 3\nHalle 11:20 platform 1\nBerlin 12:11 platform 3\nHalle 13:20 platform 2",
    "opening hours": "Kitchen (Mon): 9 to 12\nOffice (Mon): 8 to 4\nKitchen (Tue): closed\nOffice (Tue): 8 to 4",
    "fields in italics": "*Model:* D2\n*Fault:* beeps\n*Model:* D3\n*Fault:* is silent",
    "sections of a mail": "Hello,\n\nmy lamp beeps.\n\n--\nUlla\nDry Ltd\n\n--\nFrom: our office in Bonn\nWe ship it.",
    "signatures": "\n\n".join(
        f"Hello,\n\nmy lamp beeps and I emptied it.\n\n{name}\n{office}, I answer on Mondays"
        for name, office in (("ulla_b", "Dry Ltd"), ("odd_h", "Support")) * 2
    ),
    "code": f"Here is what I saved:\n```\n{_thread('bold names')}\n```\nWhat now?",
    "paragraphs": (
        "I bought it in May. My friend did, too.\n\nThen it beeped.\n\n"
        "I asked them at 10:15 and we waited.\n\nThanks for reading."
    ),
    "numbered remarks": "Comment 1, on the float: I think it is dirty.\n\nComment 2, on the tank: I would empty it.",
    "an itemized order": "2 bolts\nfor the tank\n\n4 nuts\nfor the lid\n\n2 bolts\nI need them, too.\n\n4 nuts\nfor my lamp",
}


@pytest.mark.parametrize("kind", OTHER)
def test_text_that_only_looks_similar_stays_whole(kind: str) -> None:
    turns = read_transcript(OTHER[kind]).turns
    assert len({turn.speaker for turn in turns if turn.speaker is not None}) < 2
    assert len(turns) == 1
