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
