"""A session of 120 calls: the help desk of a hardware shop learns from its conversations and asks what it has learned."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from backends.ports.values import Json, JsonObject
from contracts.corpus import HOSTILE_TEXTS
from contracts.sessions import Session, SessionStep, step

CALLS = 120
LEARNED_FIRST = 20

THINGS = ("drill", "sander", "mower", "compressor", "saw", "heat gun", "mixer", "pressure washer")
TROUBLES = (
    "does not start any more",
    "smells of burning after a minute",
    "is much louder than it was",
    "shows the error code E{}",
    "loses power in the middle of the work",
    "cannot be switched off",
)
STEPS = (
    "Take the battery out and clean both contacts",
    "Replace the carbon brushes on either side",
    "Let it cool for {} minutes, then press the reset button",
    "Open the lid, remove the dust and close it again",
    "Install firmware {}.2 from the service page",
    "Check whether the fuse of {} ampere is intact",
    "Tighten the clamp behind the handle",
)
QUESTIONS = (
    "My tool is dead, nothing happens when I press the switch",
    "strange smell from the motor",
    "what does the code on the display mean",
    "it stops half-way through a board",
    "too noisy for the neighbours",
    "clean contacts",
)
FEEDBACKS = ("", "Worked at once, thank you.", "This was wrong.", "4/5", "It did not help at all.", "Clear and useful.")


@dataclass
class _Shop:
    """What the desk has learned so far."""

    rng: random.Random
    ids: list[str] = field(default_factory=list[str])
    talks: list[str] = field(default_factory=list[str])

    def talk(self) -> str:
        """Return a conversation about one of the machines."""
        rng = self.rng
        thing, number = rng.choice(THINGS), rng.randrange(2, 60)
        trouble = rng.choice(TROUBLES).format(number)
        said = ". ".join(text.format(number) for text in rng.sample(STEPS, rng.randrange(1, 4)))
        model = f"{thing} {rng.choice('ABC')}{rng.randrange(100, 999)}"
        end = rng.choice(("That was it, thanks!", "It works again.", "Thank you, solved."))
        return f"Customer: My {model} {trouble}. I am at ann{number}@example.com.\nAgent: {said}.\nCustomer: {end}"

    def learn(self, call: SessionStep, reply: JsonObject) -> None:
        """Remember what a call has made."""
        if call.tool == "create_skill" and reply.get("created"):
            self.ids.append(str(reply["skill_id"]))
            self.talks.append(str(call.arguments["conversation"]))


def script(rng: random.Random) -> Generator[SessionStep, JsonObject, None]:
    """Yield the calls; what they teach is used in later ones."""
    shop = _Shop(rng)
    for number in range(CALLS):
        kind = _create if number < LEARNED_FIRST else rng.choices(_KINDS, _SHARES)[0]
        call = kind(shop, number)
        shop.learn(call, (yield call))


def _create(shop: _Shop, number: int) -> SessionStep:
    arguments: dict[str, Json] = {"conversation": shop.talk()}
    if number % 3 == 0:
        arguments["resolution_confirmed"] = True
    if number % 5 == 0:
        arguments["metadata"] = {"product_area": "workshop", "issue_type": "repair"}
    return step("create_skill", arguments)


def _again(shop: _Shop, number: int) -> SessionStep:
    return step("create_skill", {"conversation": shop.rng.choice(shop.talks), "resolution_confirmed": number % 2 == 0})


def _update(shop: _Shop, number: int) -> SessionStep:
    arguments = {
        "skill_id": shop.rng.choice(shop.ids),
        "conversation": shop.talk(),
        "feedback": shop.rng.choice(FEEDBACKS),
    }
    return step("update_skill", arguments)


def _search(shop: _Shop, number: int) -> SessionStep:
    rng = shop.rng
    question = rng.choice(QUESTIONS) if number % 4 else rng.choice(HOSTILE_TEXTS)[:500].strip() or "x"
    # All there are: which of two equally good ones is the last may differ from engine to engine.
    return step("search_skills", {"query": question, "top_k": 100, "min_score": rng.choice((0.0, 0.2, 0.35))})


def _mistake(shop: _Shop, number: int) -> SessionStep:
    mistakes: Sequence[tuple[str, dict[str, Json]]] = (
        ("search_skills", {"query": "  "}),
        ("search_skills", {"query": "saw", "top_k": 0}),
        ("create_skill", {"conversation": "Customer: Good morning!"}),
        ("create_skill", {"conversation": 5}),
        ("update_skill", {"skill_id": "nobody", "conversation": "Customer: It hums.\nAgent: Oil it."}),
    )
    return step(*shop.rng.choice(mistakes))


_KINDS = (_create, _again, _update, _search, _mistake)
_SHARES = (2, 1, 3, 4, 1)
SESSION = Session("skills", script, CALLS)
