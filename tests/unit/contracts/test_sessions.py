"""Two replies to one call: equal apart from what engines and processors do to scores."""

import pytest

from backends.ports.values import Json
from contracts.sessions import differences


def rows(*scored: tuple[str, float]) -> Json:
    return {"results": [{"name": name, "score": score} for name, score in scored]}


@pytest.mark.parametrize(
    ("recorded", "played"),
    [
        (rows(("a", 0.5), ("b", 0.3)), rows(("a", 0.51), ("b", 0.29))),
        (rows(("a", 0.5), ("b", 0.49), ("c", 0.1)), rows(("b", 0.495), ("a", 0.49), ("c", 0.1))),
        (rows(("a", 0.5), ("b", 0.3)), rows(("a", 0.5), ("c", 0.305))),
        (rows(("a", 0.5), ("b", 0.31), ("c", 0.3)), rows(("a", 0.5), ("c", 0.31), ("d", 0.305))),
        ({"primary_concepts": ["a", "b"]}, {"primary_concepts": ["b", "a"]}),
        ({"score": "0.729"}, {"score": "0.738"}),
        ({"result": "# A\n| 1 | a | x |\n| 2 | b | x |"}, {"result": "# A\n| 1 | b | x |\n| 2 | a | x |"}),
    ],
    ids=["scores", "places", "end", "places at the end", "order of texts", "texts of scores", "rows of a table"],
)
def test_what_may_differ(recorded: Json, played: Json) -> None:
    assert differences(recorded, played) == []


@pytest.mark.parametrize(
    ("recorded", "played"),
    [
        (rows(("a", 0.5)), rows(("a", 0.55))),
        (rows(("a", 0.5), ("b", 0.3)), rows(("b", 0.5), ("a", 0.3))),
        (rows(("a", 0.5), ("b", 0.3)), rows(("c", 0.5), ("b", 0.3))),
        (rows(("a", 0.5), ("b", 0.3)), rows(("a", 0.5))),
        ({"names": ["a", "b"]}, {"names": ["b", "a"]}),
        ({"primary_concepts": ["a", "b"]}, {"primary_concepts": ["a", "c"]}),
        ({"result": "# A\n| 1 | a | x |"}, {"result": "# A\n| 1 | a | y |"}),
        ({"result": "# A\n| a | x |\n| b | x |"}, {"result": "# A\n| b | x |\n| a | x |"}),
        ({"count": 2}, {"count": 3}),
        ({"done": True}, {"done": 1}),
        ({"name": "a"}, {}),
    ],
)
def test_what_may_not(recorded: Json, played: Json) -> None:
    assert differences(recorded, played) != []
