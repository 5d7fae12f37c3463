"""The hierarchy adds up, and names what is missing."""

from backends.ports.graph import Group
from toolsets.knowledge.hierarchy import Branch, branches

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
