"""Secrets that are said again."""

from toolsets.skills.redaction import redact
from toolsets.skills.redaction.repetitions import MOST


def test_a_password_goes_wherever_it_is_said_again() -> None:
    text = "I typed kestrel three times.\nMy password is Kestrel.\nIs Kestrel wrong? KESTREL is not accepted either."
    assert "kestrel" not in redact(text).casefold()


def test_a_secret_named_at_the_end_goes_at_the_beginning_of_a_long_text() -> None:
    text = "Again: q8r7t6y5u4.\n" + "It rains.\n" * 4_000 + "the token is q8r7t6y5u4"
    assert "q8r7t6y5u4" not in redact(text)


def test_a_longer_word_that_contains_a_secret_stays() -> None:
    assert redact("my password is river. The riverbank page fails.") == (
        "my password is [password]. The riverbank page fails."
    )


def test_a_default_password_that_is_a_word_of_every_step_stays_in_the_steps() -> None:
    assert redact("The password is admin. Open the admin page.").endswith("Open the admin page.")


def test_a_word_that_is_said_all_the_time_is_no_secret() -> None:
    text = "The password is tulip.\n" + "The tulip service restarts.\n" * 20
    assert redact(text).count("The tulip service") == 20


def test_many_secrets_take_no_longer_than_the_first_ones() -> None:
    text = "\n".join(f"token: q8r7t6y5u{number}x" for number in range(MOST + 100))
    assert redact(text).count("[token]") == MOST + 100
