"""What people with names say tells who of them answers, whoever speaks first."""

import pytest

from toolsets.skills.transcript.reader import read_transcript

OFFERS = [
    "Hi, how can I help you today?",
    "Lena here from Sweepo customer care: what can I do for you today?",
    "Good morning! What seems to be the trouble?",
    "You've reached Lumen Bikes.",
    "Hello, need a hand?",
    "Thanks for holding.",
    "Guten Tag, wie kann ich Ihnen helfen?",
]
PROBLEMS = [
    "Hi Ruth. My pillow keeps losing its colour.",
    "Hello, how are you. The gate opens halfway.",
    "I sent the same order twice by mistake.",
]
ANSWERS = [
    "Then open the app, go to Maps and switch on Save.",
    "Hold the reset button for ten seconds.",
    "It is the firmware: install 2.4.",
]
REPLIES = ["That solved it, thanks a lot", "It opens now.", "Works, thank you"]


def roles_of(text: str) -> dict[str | None, str]:
    return {turn.speaker: turn.role for turn in read_transcript(text).turns}


@pytest.mark.parametrize("asked", ["", "Ruth: Does it start from the dock?\nIgor: yes\n"])
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("offer", OFFERS)
def test_who_opens_with_an_offer_of_help_answers(offer: str, problem: str, asked: str) -> None:
    for answer in ANSWERS:
        for reply in REPLIES:
            text = f"Ruth: {offer}\nIgor: {problem}\n{asked}Ruth: {answer}\nIgor: {reply}"
            assert roles_of(text) == {"Ruth": "agent", "Igor": "customer"}


@pytest.mark.parametrize("asked", ["", "Ruth: Does it start from the dock?\nIgor: yes\n"])
@pytest.mark.parametrize("problem", [*PROBLEMS, "Can you help me? The lamp is dark. What happened?"])
def test_who_opens_with_a_problem_asks(problem: str, asked: str) -> None:
    for answer in ANSWERS:
        for reply in REPLIES:
            text = f"Igor: {problem}\n{asked}Ruth: {answer}\nIgor: {reply}"
            assert roles_of(text) == {"Ruth": "agent", "Igor": "customer"}


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        # A greeting is no problem.
        ("Abe: Hello\nLu: Hello. The lamp is dark\nAbe: Is it blinking?\nLu: no\nAbe: Replace the bulb.", {"Abe"}),
        # The question after an instruction is about the instruction.
        ("Kim: The tabs are gone.\nMax: Open General.\nKim: Where is General?\nMax: At the top.\nKim: ok", {"Max"}),
        # Customers name their companies too.
        ("Jo: Hi, Jo from Kestrel here. The form stays grey.\nSam: Renew the licence.\nJo: It is green now.", {"Sam"}),
        (
            "Kim: The tabs are gone.\nMax: Open General.\nZoe: Or press F3.\nKim: F3 worked, thanks both!",
            {"Max", "Zoe"},
        ),
        ("Mo: Welcome mails are lost. What happened?\nBea: Verify the domain again.\nMo: they are sent now", {"Bea"}),
        ("Ted: the site rejects a card\nUna: Enter the old postcode.\nTed: paid\nUna: You're welcome!", {"Una"}),
    ],
)
def test_who_answers(text: str, agents: set[str]) -> None:
    assert {name for name, role in roles_of(text).items() if role == "agent"} == agents
