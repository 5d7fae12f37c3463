"""What a customer says is wrong, and what is only said before it."""

import pytest

from toolsets.skills.extraction import NothingToLearn
from toolsets.skills.extraction.offline import extract

_THE_REST = "Agent: Please open the side panel and press the grey button.\nCustomer: Great, that helped!\n"


def _problem(*turns: str) -> str:
    said = "".join(f"{('Customer', 'Agent')[at % 2]}: {text}\n" for at, text in enumerate(turns))
    return extract(said + _THE_REST, metadata={}).problem


@pytest.mark.parametrize(
    ("opening", "reply"),
    [
        ("hi, is this the Hearthly support?", "yes it is :) what's up?"),
        ("Hello, am I talking to a human?", "You are. How can I help you?"),
        ("Can you help me with my account?", "Of course. What can I do for you?"),
        ("Are you open today?", "Until six. What is it about?"),
        ("Excuse me, do you speak English?", "Yes, of course."),
        ("Is somebody still there?", "Sure, go ahead."),
        ("I have a question about my contract.", "Hello Ann! What's the matter?"),
    ],
)
def test_a_question_about_the_helper_is_no_problem(opening: str, reply: str) -> None:
    assert _problem(opening, reply, "The kettle whistles at night.") == "The kettle whistles at night."


def test_the_problem_may_come_after_several_preliminaries() -> None:
    told = ("Are you a bot?", "No :)", "And are you open on Sundays?", "Yes. May I have your name?", "Ann Bell")
    assert _problem(*told, "Thanks. How can I help?", "The kettle whistles.") == "The kettle whistles."


def test_what_was_announced_names_what_the_problem_refers_to() -> None:
    told = ("It's about the Nimbus kettle.", "What's wrong with it?", "It switches off before the water boils.")
    assert _problem(*told) == "The Nimbus kettle: it switches off before the water boils."


@pytest.mark.parametrize(
    ("problem", "reply", "after"),
    [
        ("Can I return an opened game?", "Hi! Yes, within 14 days: open Orders and choose Return.", "ok thanks"),
        ("Is the shop in Leeds open on Sundays?", "It is open from 11 to 5.", "great"),
        ("Does the Vento 2 support 5 GHz?", "Which revision do you have?", "It is revision B and two years old."),
        ("My fridge beeps every minute.", "Sorry to hear that. What can I do for you?", "I want it to stop."),
        ("How do I cancel my plan?", "Hello, I'm Eva. How can I help you?", "I want to cancel my plan at once."),
        ("Can you reset my greeting?", "Sure. Dial 123, press 4 and record it.", "It is done now, thank you"),
    ],
)
def test_a_question_about_the_matter_is_the_problem(problem: str, reply: str, after: str) -> None:
    assert _problem(problem, reply, after) == problem


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ("Morning all ☕\nThe pods are stuck.", "The pods are stuck."),
        ("Evening Paolo. The lamp is dead.", "The lamp is dead."),
        ("Morning sun makes the screen unreadable.", "Morning sun makes the screen unreadable."),
        ("I hope this finds you well. The meter shows nothing.", "The meter shows nothing."),
        ("Long time lurker, first post here. Clear skies! The mount drifts.", "The mount drifts."),
        ("So my boiler is cold.", "My boiler is cold."),
        ("The gate stays open.\nAny ideas?\nDario", "The gate stays open."),
        ("The gate stays open.\n\n- Dario Conti", "The gate stays open."),
        ("The gate does not open with this app:\nGatekeeper", "The gate does not open with this app. Gatekeeper."),
    ],
)
def test_greetings_and_names_are_no_part_of_the_problem(told: str, problem: str) -> None:
    assert extract(f"Customer: {told}\nAgent: Please restart it.", metadata={}).problem == problem


@pytest.mark.parametrize(
    ("asked", "mood"),
    [
        ("Hi, I'm Tom. How are you today?", "meh, could be better"),
        ("Hello! How's your week so far?", "pretty stressed tbh, and you?"),
        ("Hi, you are chatting with Ann. How was your day?", "ok thanks. bit annoyed tbh"),
        ("Hi! Hope you're having a good day?", "a bit tired but ok"),
        ("Hello, how's it going?", "My day was awful."),
    ],
)
def test_how_a_customer_is_is_no_problem(asked: str, mood: str) -> None:
    """A mood answers a question about it, and names no thing."""
    told = "The oven door does not shut."
    assert _problem("hello", asked, mood, "Sorry! What happened?", told) == told
    assert _problem("hello", asked, f"{mood.rstrip('.')}. {told}") == told


@pytest.mark.parametrize("answer", ["not great, my kettle leaks", "The kettle leaks.", "kettle leaks"])
def test_a_reply_to_a_greeting_may_tell_the_problem(answer: str) -> None:
    assert "kettle leaks" in _problem("hi", "Hi! How are you?", answer).lower()


@pytest.mark.parametrize("greeting", ["hello, is somebody online?", "anyone from support here?", "hello?? anyone?"])
@pytest.mark.parametrize(
    "told",
    [
        "Our backup job has stopped writing logs.",
        "The left lamp is super dim since last week.",
        "The chat bridge stopped posting cards.",
    ],
)
def test_a_fault_told_after_a_greeting_is_no_success(greeting: str, told: str) -> None:
    """Something that stopped is a success only after a helper has answered."""
    assert _problem(greeting, "Yes, how can I help?", told) == told
    assert _problem(f"{greeting} {told}") == told


def test_somebody_may_have_done_something() -> None:
    assert _problem("Someone moved the shelf here. It squeaks.") == "Someone moved the shelf here. It squeaks."


@pytest.mark.parametrize(
    "kind",
    [
        "hope your having a good evening",
        "Trust everythings well over their!",
        "Thanks for takin the time to chat with me",
        "Happy tuesday to you all",
        "I hope youre keeping warm in this snow",
    ],
)
def test_a_wish_or_thanks_are_no_problem_however_they_are_spelt(kind: str) -> None:
    told = "The Dripper 2 leaks at the valve."
    assert _problem(kind, "Hello, how may I help?", told) == told
    assert _problem(f"{kind}. {told}") == told
    assert _problem(f"Hi, {kind}, my Dripper 2 leaks.") == "My Dripper 2 leaks."


@pytest.mark.parametrize(
    "told",
    [
        "I hope I can get the deleted photos back.",
        "Thanks to the update the sound stutters.",
        "Hope the next version has a dark mode again.",
    ],
)
def test_a_hope_that_names_the_matter_is_the_problem(told: str) -> None:
    assert told in _problem(f"{told} It is the Dripper 2.")


@pytest.mark.parametrize("asked", ["Nice! What's the matter with it?", "Nice, which size is it?"])
def test_a_fault_told_after_the_thing_was_named_is_the_problem(asked: str) -> None:
    named, told = "I bought a Luma strip last week.", "Half of it stays dark."
    assert _problem(named, asked, told) == f"{named} {told}"
    assert _problem(named, "Please switch it on.", told) == named
    assert _problem(named, "Is it the long one?", "yes, it says 5 m") == named


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("My password is Tulip!Engine99 if that helps.", ""),
        ("I cannot log in, and my password is Tulip!Engine99.", "I cannot log in."),
        ("My login is k.holm, password Tulip!Engine99, in case you need it.", ""),
        ("You can log in as k.holm with the password Tulip!Engine99 if that helps.", ""),
        ("The password Tulip!Engine99 is refused.", "The password [password] is refused."),
        (
            "The password Tulip!Engine99 is refused if you log in twice.",
            "The password [password] is refused if you log in twice.",
        ),
    ],
)
def test_what_only_gives_a_secret_is_left_out(given: str, left: str) -> None:
    assert _problem(f"The page reloads. {given}") == f"The page reloads. {left}".strip()


@pytest.mark.parametrize(
    ("field", "named"),
    [
        ("Product: Dockling 14", " Product: Dockling 14."),
        ("Model: hub", ""),
        ("Product: n/a", ""),
        ("Priority: High", ""),
    ],
)
def test_the_product_of_a_ticket_is_in_its_problem(field: str, named: str) -> None:
    talk = f"Ticket #48213\nSummary: Screen of the laptop flickers\n{field}\n\nCustomer: The hub is hot.\nAgent: Please restart."
    found = extract(talk, metadata={})
    assert found.problem == f"The hub is hot.{named}"
    assert found.title == "Screen of the laptop flickers"


@pytest.mark.parametrize("greeting", ["heyy", "Heyyy,", "hiiii", "Helloooo", "hiya"])
def test_a_drawn_out_greeting_is_no_part_of_the_problem(greeting: str) -> None:
    text = f"Customer: {greeting} my smart lock wont lock anymore\nAgent: Charge it.\nCustomer: Works, thanks!"
    assert extract(text, metadata={}).problem == "My smart lock wont lock anymore."


@pytest.mark.parametrize("praise", ["It works, thanks!", "That did it. Thank you very much!", "Great, that solved it."])
def test_praise_is_no_problem(praise: str) -> None:
    chat = f"Customer: {praise}\nAgent: Hold the clock button for five seconds.\nCustomer: The oven beeps."
    with pytest.raises(NothingToLearn, match="names no problem"):
        extract(chat, metadata={})


@pytest.mark.parametrize(
    "problem",
    [
        "Thanks for the quick delivery, but the lamp flickers.",
        "It works, but only for an hour.",
        "The scanner worked until yesterday.",
        "How do I make it work again?",
    ],
)
def test_a_problem_with_a_word_of_praise_is_one(problem: str) -> None:
    skill = extract(
        f"Customer: {problem}\nAgent: Hold the clock button for five seconds.\nCustomer: It works!", metadata={}
    )
    assert skill.resolution == "Hold the clock button for five seconds."
