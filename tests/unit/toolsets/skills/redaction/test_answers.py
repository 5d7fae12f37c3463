"""What somebody answers when asked for a secret."""

import pytest

from toolsets.skills.extraction.offline import redacted_transcript
from toolsets.skills.redaction import redact


@pytest.mark.parametrize(
    ("asked", "answer", "placeholder"),
    [
        ("What is the password?", "bluebell", "[password]"),
        ("Which password did you use?", "I think it's bluebell", "[password]"),
        ("I need your PIN to go on.", "4907", "[code]"),
        ("What's the login?", "kim / bluebell7", "[credentials]"),
        ("What is your date of birth?", "12.04.1981", "[date of birth]"),
    ],
)
def test_an_answer_goes_in_the_next_turn(asked: str, answer: str, placeholder: str) -> None:
    said = redacted_transcript(f"Agent: {asked}\nCustomer: {answer}").turns[-1].text
    assert placeholder in said
    assert answer.rsplit(maxsplit=1)[-1] not in said


def test_an_answer_may_come_after_a_courtesy() -> None:
    assert redact("Agent: The PIN, please.\nCustomer: sure, one moment\nCustomer: 8814").endswith("[code]")


@pytest.mark.parametrize(
    ("asked", "reply", "answer"),
    [
        ("I need your PIN to go on.", "4907. My terminal beeps, too.", "4907"),
        ("Please tell me your account number.", "88201147, but the site says unknown.", "88201147"),
        ("What is the password?", "bluebell. It worked on Monday.", "bluebell"),
        ("What is the password?", "bluebell7 - with a small b", "bluebell7"),
    ],
)
def test_an_answer_goes_from_the_beginning_of_a_longer_reply(asked: str, reply: str, answer: str) -> None:
    redacted = redact(f"Agent: {asked}\nCustomer: {reply}")
    assert answer not in redacted
    assert redacted.endswith(reply.removeprefix(answer))


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Did you reset the password?", "yesterday"),
        ("Have you changed your password?", "twice"),
        ("Where do I find the recovery key?", "Under Settings > Security."),
        ("Please enter your password on the page.", "It says that the account is locked."),
        ("What is the password policy?", "Twelve characters, one digit."),
        ("Please tell me the error code.", "The printer shows no code."),
        ("What is the password?", "Nothing. I never set one."),
        ("What is the password?", "Hmm, I forgot it"),
    ],
)
def test_a_reply_that_tells_no_secret_stays(asked: str, reply: str) -> None:
    text = f"Agent: {asked}\nCustomer: {reply}"
    assert redact(text) == text


@pytest.mark.parametrize(
    ("given", "reply"),
    [
        ("My password is Tulip77!, in case you need it.", "Please enter it under Profile > Children."),
        ("My password is Tulip77!, please have a look.", "Checking."),
        ("The password is Xa9!, if you need it.", "Open Profile > Family."),
    ],
)
def test_a_password_that_is_told_asks_for_none(given: str, reply: str) -> None:
    assert redact(f"Customer: {given}\nAgent: {reply}").endswith(f"Agent: {reply}")
