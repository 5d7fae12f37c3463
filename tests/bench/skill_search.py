"""How well skills are found: questions of Debian's documents become skills, and each is asked for in other words.

Run `python -m tests.bench.skill_search [FILE]`. It prints hit@1 and hit@3 of `search_skills`, and of its two parts alone over the
same skills. A file's conversations are taken instead of the documents': `conversations.toml` beside this module has forty by
somebody who had not seen the toolset.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from backends.engines.minilm.adapter import ADAPTER
from tests.bench.answers import Answered, answered, written
from tests.support.raw import structured
from tests.support.servers import ours_http_from_nothing
from toolsets.lexical_scores import lexical_ranking

TOP = 3


def found_text(skill: Mapping[str, object]) -> str:
    """Return all that a skill says."""
    lists = (*cast("list[str]", skill["conditions"]), *cast("list[str]", skill["keywords"]))
    return "\n".join((str(skill["title"]), str(skill["problem"]), str(skill["resolution"]), *lists))


async def through_the_tool(questions: Sequence[Answered]) -> tuple[list[list[int]], list[str]]:
    """Return the numbers of the skills that each search finds, best first, and the texts of all skills."""
    with tempfile.TemporaryDirectory() as folder:
        async with ours_http_from_nothing(Path(folder), toolsets="skills") as server:
            caller = server.caller()
            numbers: dict[str, int] = {}
            texts: list[str] = []
            for number, question in enumerate(questions):
                reply = structured(await caller.call("create_skill", {"conversation": question.conversation}))
                if not reply.get("created"):
                    raise RuntimeError(f"{question.question}: {reply}")
                numbers[str(reply["skill_id"])] = number
                texts.append(found_text(cast("Mapping[str, object]", reply["skill"])))
            orders: list[list[int]] = []
            for question in questions:
                reply = structured(await caller.call("search_skills", {"query": question.again, "top_k": TOP}))
                matches = cast("list[Mapping[str, object]]", reply["matches"])
                orders.append([numbers[str(match["skill_id"])] for match in matches])
    return orders, texts


async def by_meaning(questions: Sequence[Answered], texts: Sequence[str]) -> list[list[int]]:
    """Rank by cosine alone."""
    engine = await ADAPTER.open({}, Path())
    embedder = await engine.embedder()
    cosines = await embedder.embed([each.again for each in questions]) @ (await embedder.embed(texts)).T
    await engine.close()
    return [best(lambda at, row=row: float(row[at]), len(texts)) for row in cosines]


def by_words(questions: Sequence[Answered], texts: Sequence[str]) -> list[list[int]]:
    """Rank by words alone."""
    ranking = lexical_ranking(texts)
    rows = [ranking.scores(question.again) for question in questions]
    return [best(lambda at, row=row: row[at], len(texts)) for row in rows]


def best(score: Callable[[int], float], count: int) -> list[int]:
    """Return the numbers of the best, best first; of those without any score none."""
    order = sorted(range(count), key=lambda at: -score(at))
    return [at for at in order if score(at) > 0][:TOP]


def print_hits(name: str, orders: Sequence[Sequence[int]]) -> None:
    """Print the shares of questions whose skill comes first, and among the first three."""
    first = sum(order[:1] == [number] for number, order in enumerate(orders)) / len(orders)
    among = sum(number in order for number, order in enumerate(orders)) / len(orders)
    print(f"{name:16} hit@1 {first:.3f}   hit@{TOP} {among:.3f}")


async def main(file: str | None = None) -> None:
    """Print a line for the tool and for each part."""
    questions = written(Path(file)) if file else answered()
    orders, texts = await through_the_tool(questions)
    print(f"{len(questions)} questions")
    print_hits("search_skills", orders)
    print_hits("meaning alone", await by_meaning(questions, texts))
    print_hits("words alone", by_words(questions, texts))
    for number, order in enumerate(orders):
        if number not in order:
            print(f"missed: {questions[number].again} ({questions[number].question})")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:2]))
