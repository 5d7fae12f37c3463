"""Lines of a chat that look like speakers and are none."""

import pytest

from toolsets.skills.transcript.reader import read_transcript

SETTINGS = [
    "Package: *\nPin: release a=stable\nPin-Priority: 900\n\nPackage: *\nPin: release o=Debian\nPin-Priority: -10",
    "client: rivendell.example\ntree: /\nxdev: 1\nexclude:\n    /var/cache/**",
    "bank:\n    /backup\nexclude:\n    lost+found/\nexpire-default: +15 days",
]
TERMS = [
    "amd64: all CPUs with 64 bits.\n\narm64: devices with ARM.",
    "mips: big-endian systems; mipsel: little-endian ones.",
]
SESSIONS = [
    "$ ping -c 1 www.example.org\nping: local error: message too long",
    "# dpkg -i foo.deb\ndpkg: error processing archive foo.deb\nDescription:    Debian",
]


@pytest.mark.parametrize("block", [*SETTINGS, *TERMS, *SESSIONS])
def test_settings_terms_and_sessions_in_an_answer_have_no_speakers(block: str) -> None:
    told = f"Write this:\n\n{block}\n\nThen restart it."
    turns = read_transcript(f"Customer: It fails.\n\nAgent: {told}\n\nCustomer: Thanks!").turns
    assert [(turn.role, turn.text) for turn in turns] == [
        ("customer", "It fails."),
        ("agent", told),
        ("customer", "Thanks!"),
    ]


def test_people_below_a_blank_line_are_speakers() -> None:
    text = "Customer: It fails.\nAgent: Restart it.\n\nBob: I see that too.\nAnn: So do I.\n\nCustomer: It works now."
    assert [turn.speaker for turn in read_transcript(text).turns] == ["Customer", "Agent", "Bob", "Ann", "Customer"]


SAID = ("The kettle never stops.", "Is the lid closed?", "It was open. It stops now, thanks!")
NAMES = [
    ("Olga", "Fred | Mixo Support"),
    ("Olga", "Mixo Care | Fred"),
    ("Olga Ivers / Café Rosa", "Fred / Mixo"),
    ("Olga", "Fred @ Mixo"),
    ("Olga (Café Rosa)", "Fred via Mixo Help Center"),
    ("Olga · Café Rosa", "Fred · Technik"),
    ("Olga | Customer", "Fred | Moderator | Mixo"),
    ("Olga", "Fred — Mixo Customer Success"),
    ("Olga", "2nd Level | Fred"),
    ("Olga", "Fred 🛠 Mixo"),
]
LINES = [
    "[2026-11-03 09:02:11] {0}: {1}",
    "09:02 {0}: {1}",
    "{0} (09:02): {1}",
    "{0}: {1}",
    "**{0}:** {1}",
    "{0}  9:02 AM\n{1}\n",
    "{0} — 03.11.2026 09:02\n{1}\n",
    "{0} wrote on 3 November 2026 09:02:\n{1}\n",
    "2026-11-03 09:02\t{0}\t{1}",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(("customer", "agent"), NAMES)
def test_a_name_may_have_a_company_or_a_position(customer: str, agent: str, line: str) -> None:
    said = zip((customer, agent, customer, agent), (*SAID, "You're welcome."), strict=True)
    turns = read_transcript("\n".join(line.format(*each) for each in said)).turns
    assert [(turn.role, turn.text) for turn in turns[:3]] == list(
        zip(("customer", "agent", "customer"), SAID, strict=True)
    )


@pytest.mark.parametrize(
    "told",
    [
        "Do this:\nWindows / Linux: open the settings.\nMac | iPad: tap the gear.\nWindows / Linux: restart.",
        "Fill in the form:\nCustomer / Account: 4711",
    ],
)
def test_alternatives_before_a_colon_are_no_name_with_a_company(told: str) -> None:
    turns = read_transcript(f"Customer: It fails.\nAgent: {told}\nCustomer: Thanks!").turns
    assert [turn.text for turn in turns] == ["It fails.", told, "Thanks!"]


def test_bars_between_columns_belong_to_no_name() -> None:
    text = "09:02 | Ann | It fails: E5\n09:05 | Bob | Press OK: wait.\n09:07 | Ann | works now\n09:08 | Bob | Great"
    assert [turn.speaker for turn in read_transcript(text).turns] == ["Ann", "Bob", "Ann", "Bob"]
