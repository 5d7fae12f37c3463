"""A server whose skills are read by a language model over HTTP that is right, cut off, refusing, overloaded and hanging."""

import json
from pathlib import Path

from tests.support.chat import Asked, Reply, chat, fails, says
from tests.support.knowledge import ask
from tests.support.raw import HttpCaller
from tests.support.servers import ours_http

LESSONS = {
    "printer": ("The printer prints blank pages", "Pull the orange tape off the cartridge"),
    "router": ("The router loses its settings", "Update the firmware of the router"),
    "camera": ("The camera shows a black screen", "Take the cap off the lens"),
    "oven": ("The oven smells of smoke", "Clean the grease filter"),
    "lift": ("The lift stops between two floors", "Replace the limit switch"),
    "phone": ("The phone drops every call", "Move the antenna to the window"),
}
TOLD_ONCE = "hunter2zebra"


def talk(thing: str) -> str:
    """Return a conversation with a lesson and a secret."""
    problem, step = LESSONS[thing]
    return f"Customer: {problem}. My password is {TOLD_ONCE}.\nAgent: {step}, please.\nCustomer: That solved it, thank you."


def read_well(asked: Asked) -> Reply:
    """Answer as a model that has read the conversation does; its titles are recognised by a word that the rules never add."""
    problem, step = next(lesson for lesson in LESSONS.values() if lesson[0] in asked.prompt)
    told = {
        "resolved": True,
        "title": f"{problem}: solved",
        "problem": f"{problem}.",
        "steps": [f"{step}."],
        "conditions": [],
        "keywords": problem.lower().split()[1:2],
        "product_area": "hardware",
        "issue_type": "bug",
    }
    return says(json.dumps(told))


async def title_of(caller: HttpCaller, thing: str) -> str:
    """Learn a skill; return its title."""
    reply = await ask(caller, "create_skill", {"conversation": talk(thing)})
    assert reply.get("created") is True, reply
    return str(reply["title"])


async def test_a_model_is_believed_when_it_is_right_and_done_without_when_not(tmp_path: Path) -> None:
    configured = tmp_path / "entrepot.toml"
    with chat(read_well) as endpoint:
        configured.write_text(
            f"""
[stores.chat]
kind = "openai_compatible"
base_url = "{endpoint.base_url}"
model = "m"

[toolsets.skills]
language = "chat"
language_timeout_s = 2.0
"""
        )
        async with ours_http(tmp_path / "data", "--config", str(configured), toolsets="skills") as server:
            caller = server.caller()
            assert await title_of(caller, "printer") == "The printer prints blank pages: solved"
            for thing, reply in (
                ("router", says('{"resolved": true, "title": "The rou', finish="length")),
                ("camera", says(None, refusal="I refuse.")),
                ("oven", fails(429, "too many requests")),
            ):
                endpoint.answering = lambda _, reply=reply: reply
                assert await title_of(caller, thing) == LESSONS[thing][0]

            def late(asked: Asked) -> Reply:
                endpoint.ended.wait(30)
                return read_well(asked)

            endpoint.answering = late
            assert await title_of(caller, "lift") == LESSONS["lift"][0]
            assert (await caller.get("/health"))[0] == 200, "skills are learned without the model"
            assert endpoint.asked
            assert all(TOLD_ONCE not in asked.prompt for asked in endpoint.asked), "secrets stay here"
            endpoint.ended.set()
    assert TOLD_ONCE.encode() not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
