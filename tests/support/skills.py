"""The skills tools as tests of running servers use them."""

import random
import re
from collections.abc import Sequence

from backends.ports.values import JsonObject
from tests.support.knowledge import ask, rows
from tests.support.raw import Caller

_THINGS = "printer router oven violin bicycle telescope aquarium elevator greenhouse camera projector tractor".split()
_PLACES = "kitchen cellar office harbour library hospital stadium museum farm airport bakery laboratory".split()
_TROUBLES = (
    "leaks water",
    "makes a grinding noise",
    "shows a blank screen",
    "overheats after an hour",
    "loses its settings",
    "refuses every password",
    "prints the wrong colours",
    "drops the connection",
    "smells of smoke",
    "counts the visitors twice",
)
_CURES = (
    "Replace the rubber seal",
    "Tighten the belt",
    "Update the firmware",
    "Clean the filter",
    "Reset it to its defaults",
    "Ask the vendor for a new certificate",
    "Turn the magnet around",
    "Move the antenna to the window",
    "Order another fuse",
    "Calibrate the sensor",
)
_MARK = re.compile(r"`look ([a-z0-9_]+) ([a-z0-9_]+)`")


def talk(group: str, name: str) -> str:
    """Return a conversation that is like no other one; its lesson names group and name."""
    rng = random.Random(f"{group}/{name}")
    thing, place, trouble = rng.choice(_THINGS), rng.choice(_PLACES), rng.choice(_TROUBLES)
    first, second = rng.sample(_CURES, 2)
    return (
        f"Customer: The {thing} in the {place} {trouble}, {name}.\n"
        f"Agent: {first} of the {thing}. {second} in the {place}. Run `look {_token(group)} {_token(name)}`.\n"
        "Customer: Thanks, that solved it."
    )


def _token(text: str) -> str:
    return text.replace(" ", "_")


async def create(caller: Caller, group: str, name: str) -> JsonObject:
    """Create a skill; return the reply, whatever it says."""
    return await ask(caller, "create_skill", {"conversation": talk(group, name)})


async def learned(caller: Caller, group: str, name: str) -> str:
    """Create a skill that is not there yet; return its id."""
    reply = await create(caller, group, name)
    assert reply.get("created") is True, reply
    return str(reply["skill_id"])


async def named(caller: Caller, query: str, group: str, top_k: int = 100) -> list[str]:
    """Return the names of a group's skills that a search finds, best first; none while it cannot search."""
    found = await ask(caller, "search_skills", {"query": query, "top_k": top_k})
    marks = [_MARK.search(str(row["resolution"])) for row in rows(found, "matches")] if "matches" in found else []
    return [mark[2].replace("_", " ") for mark in marks if mark is not None and mark[1] == _token(group)]


async def titles(caller: Caller, query: str) -> Sequence[JsonObject]:
    """Return what a search finds."""
    return rows(await ask(caller, "search_skills", {"query": query, "top_k": 20}), "matches")
