"""The hierarchy adds up, names what is missing, and is kept only while it is true."""

from collections.abc import Sequence

from backends.ports.graph import Group
from backends.ports.values import Micros
from toolsets.knowledge.hierarchy import Branch, branches
from toolsets.sourcing.reads import CountCache

GROUPS = (
    Group(("B", "t", "s"), 2),
    Group(("B", "t", None), 3),
    Group(("B", None, None), 1),
    Group(("Uncategorized", None, None), 4),
    Group((None, None, None), 5),
)


def test_children_add_up_and_missing_levels_have_names() -> None:
    assert branches(GROUPS) == (
        Branch(
            "B",
            6,
            (Branch("General", 1, (Branch("General", 1),)), Branch("t", 5, (Branch("General", 3), Branch("s", 2)))),
        ),
        Branch("Uncategorized", 9, (Branch("General", 9, (Branch("General", 9),)),)),
    )


class Counting:
    """Counts how often it was counted."""

    def __init__(self) -> None:
        self.times = 0
        self.is_settled = True
        self.time = Micros(0)
        self.cache: CountCache[Sequence[Group]] = CountCache(lambda: self.time)

    async def settled(self) -> bool:
        return self.is_settled

    async def count(self) -> Sequence[Group]:
        self.times += 1
        return GROUPS

    async def ask(self, key: tuple[str, int] | None) -> None:
        await self.cache.get(key, settled=self.settled, count=self.count)


async def test_it_is_counted_once_while_nothing_changes() -> None:
    counting = Counting()
    for _ in range(3):
        await counting.ask(("store", 7))
    assert counting.times == 1


async def test_it_is_counted_again_after_a_write_a_lost_store_or_five_minutes() -> None:
    counting = Counting()
    await counting.ask(("store", 7))
    await counting.ask(("store", 8))
    await counting.ask(("other", 8))
    counting.time = Micros(300_000_000)
    await counting.ask(("other", 8))
    assert counting.times == 4


async def test_a_lagging_answer_is_not_kept() -> None:
    counting = Counting()
    counting.is_settled = False
    await counting.ask(("store", 7))
    await counting.ask(("store", 7))
    await counting.ask(None)
    assert counting.times == 3
