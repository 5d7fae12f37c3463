"""Support conversations about Debian's packages in the skills tools: how they get there, and the calls that are measured."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from tests.bench.debian import Thing
from tests.bench.questions import Question
from tests.bench.seed_data import CONTEXT, all_of, followed, open_stores, steps
from toolsets.clock import system_now
from toolsets.skills.extraction import ExtractedSkill
from toolsets.skills.extraction.offline import extract
from toolsets.skills.projections import passage_of
from toolsets.skills.runtime import Skills
from toolsets.skills.settings import SkillsSettings
from toolsets.skills.skill import Lesson, teach
from toolsets.skills.streams import CONVERSATIONS
from toolsets.spec import Services

LONG = 10_000
"""Bytes of a long conversation."""


def skill(thing: Thing) -> ExtractedSkill:
    """Return what a conversation about a package teaches."""
    needs = [name for _, name in thing.links][:5]
    steps_taken = (
        f"1. Run `apt install {thing.name}`.",
        f"2. Check that {', '.join(needs) or 'nothing else'} came along.",
        "3. Open a new session, so that the changes have effect.",
        f"4. If it does not start, look for messages of {thing.name} in the journal.",
    )
    return ExtractedSkill(
        title=f"{thing.name}: {thing.text}"[:100],
        problem=f"I am looking for {thing.text}, and do not know which package has it and how it is installed.",
        resolution="\n".join(steps_taken),
        conditions=(f"{thing.name} is not installed",),
        keywords=(thing.name, thing.kind),
        product_area="packages",
        issue_type="installation",
        confidence=0.5,
    )


async def fill_skills(directory: Path, things: Sequence[Thing]) -> Mapping[str, str]:
    """Store a skill of each thing; return the ids by name."""
    ids: dict[str, str] = {}
    async with open_stores(directory) as stores:
        skills = Skills(Services(stores, system_now, random.SystemRandom(), SkillsSettings()))
        await skills.sourced.ready()
        for some in steps(things):
            lessons = [
                Lesson(skills.new_id(), skill(thing), (thing.name,), confirmed=False, duplicate_of=None)
                for thing in some
            ]
            ids.update({thing.name: lesson.skill_id for thing, lesson in zip(some, lessons, strict=True)})
            decide = all_of([lambda histories, lesson=lesson: teach(histories, lesson) for lesson in lessons])
            await skills.write(decide, CONTEXT, streams=[CONVERSATIONS.stream(lesson.key) for lesson in lessons])
        await followed(skills.sourced)
    return ids


def learned_text(arguments: Mapping[str, object]) -> str:
    """Return the text that the creation of a skill embeds."""
    return passage_of(extract(str(arguments["conversation"]), metadata={}))


class SkillsQuestions:
    """Endless arguments for each measured row of the skills tools."""

    def __init__(self, things: Sequence[Thing], ids: Mapping[str, str]) -> None:
        self._random = random.Random(7)
        self._things = things
        self._ids = ids
        # Another number in each run: data that stay for the next run have the names of the last one.
        self._numbers = count(time.time_ns() // 1_000)

    def rows(self) -> Mapping[str, Iterator[Question]]:
        """Return the rows in the order in which they are printed."""
        return {
            "search_skills": self._searches("search_skills"),
            "/search": self._searches("/search"),
            "create_skill, 10 kB": self._creations("create_skill"),
            "/create, 10 kB": self._creations("/create"),
            "update_skill": self._updates(),
        }

    def new_text(self) -> str:
        """Return a question that no cache has seen."""
        one, other = self._random.sample(self._things, 2)
        return f"Which package has {one.text[:60]} and {other.text[:60]}? {next(self._numbers)}"

    def _searches(self, tool: str) -> Iterator[Question]:
        while True:
            yield tool, {"query": self.new_text()}

    def _creations(self, tool: str) -> Iterator[Question]:
        while True:
            yield tool, {"conversation": self._conversation(LONG)}

    def _updates(self) -> Iterator[Question]:
        while True:
            skill_id = self._ids[self._random.choice(self._things).name]
            yield (
                "update_skill",
                {"skill_id": skill_id, "conversation": self._conversation(1_000), "feedback": "It works."},
            )

    def _conversation(self, size: int) -> str:
        """Return a conversation of about that many bytes that no other one is like."""
        turns = [f"Customer: {self.new_text()}"]
        length = 0
        while length < size:
            thing = self._random.choice(self._things)
            turns.append(
                f"Agent: Please run `apt install {thing.name}` and check whether {thing.text} shows up in the menu.\n"
                f"Then restart the session and open {thing.name} again.\n"
                f"Customer: I did that, but {thing.name} still says error {next(self._numbers)}."
            )
            length += len(turns[-1])
        last = self._random.choice(self._things)
        turns.append(f"Agent: Install {last.name} and run `{last.name} --check`.\nCustomer: That solved it, thank you!")
        return "\n".join(turns)
