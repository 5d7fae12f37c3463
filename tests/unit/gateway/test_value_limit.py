"""Messages with too many values: only what has them is left out, whatever strings look like."""

import asyncio
import json
import random
from typing import cast

import pytest

from backends.ports.values import Json
from gateway.value_limit import MAX_VALUES, exceeds_limit, left_out, within_limit
from tests.bench.hostile import Ticker

STOP_S = 0.5
"""Far above the limit of 50 ms, which the bench holds: decoding such a message takes seconds."""
BAIT = ('"', "\\", '\\"', "[", "]", "{", "}", ",", ":", '",[{', "\\\\", "é", "\n", "😀", "a")


def message(arguments: Json, **more: Json) -> bytes:
    return json.dumps(
        {"method": "tools/call", "params": {"name": "add", "arguments": arguments}, "id": 7, **more}
    ).encode()


def arguments_of(body: bytes | None) -> dict[str, Json]:
    assert body is not None
    assert json.loads(body)["id"] == 7
    return cast("dict[str, Json]", json.loads(body)["params"]["arguments"])


def some(rng: random.Random, depth: int = 0) -> Json:
    """Return a value whose strings look like structure."""
    match rng.randrange(5 if depth < 5 else 3):
        case 0:
            return rng.choice([None, 5, -1])
        case 1 | 2:
            return "".join(rng.choices(BAIT, k=rng.randrange(6)))
        case 3:
            return [some(rng, depth + 1) for _ in range(rng.randrange(5))]
        case _:
            return {"".join(rng.choices(BAIT, k=3)): some(rng, depth + 1) for _ in range(rng.randrange(4))}


async def test_an_argument_with_too_many_values_is_left_out_and_named() -> None:
    body = message({"first": "a", "many": list(range(MAX_VALUES + 1)), "last": ["b", '"]}']})
    arguments = arguments_of(await within_limit(body))
    assert (arguments["first"], arguments["last"]) == ("a", ["b", '"]}'])
    assert [problem.sentence for problem in left_out(arguments)] == [f"many should have at most {MAX_VALUES} values"]


@pytest.mark.parametrize(
    "value", cast("list[list[Json]]", [[[]], [{"a": 1}], [{"": [{}]}], [["]"]], [['\\"[']]]), ids=str
)
async def test_values_at_any_depth_count(value: list[Json]) -> None:
    arguments = arguments_of(await within_limit(message({"many": value * MAX_VALUES})))
    assert [problem.field for problem in left_out(arguments)] == ["many"]


async def test_too_many_arguments_are_left_out_together() -> None:
    unknown: Json = {f"name {number}": number for number in range(MAX_VALUES * 2)}
    halves = cast("Json", {name: list(range(MAX_VALUES * 2 // 3)) for name in ("one", "other")})
    for arguments in (unknown, halves):
        found = left_out(arguments_of(await within_limit(message(arguments))))
        assert [problem.sentence for problem in found] == [f"the call should have at most {MAX_VALUES} values"]


async def test_what_is_within_the_bound_is_not_changed() -> None:
    for arguments in (
        {"text": ",[{" * MAX_VALUES, "escaped": '",\\"[' * MAX_VALUES},
        {"many": list(range(MAX_VALUES - 20)), "text": "[,]" * MAX_VALUES},
    ):
        body = message(cast("Json", arguments))
        assert await within_limit(body) == body
        assert left_out(arguments_of(body)) == []


async def test_strings_that_look_like_structure_do_not_mislead() -> None:
    rng = random.Random(7)
    for _ in range(20):
        beside: dict[str, Json] = {f"{number}": some(rng) for number in range(6)}
        place = rng.randrange(7)
        names = [*list(beside)[:place], "many", *list(beside)[place:]]
        many = [some(rng, 4) for _ in range(100)] * (MAX_VALUES // 50)
        sent = {name: beside.get(name, many) for name in names}
        arguments = arguments_of(await within_limit(message(cast("Json", sent))))
        assert [problem.field for problem in left_out(arguments)] == ["many"]
        assert {name: value for name, value in arguments.items() if name != "many"} == beside


@pytest.mark.parametrize(
    "body",
    [
        message({}, more=cast("Json", list(range(MAX_VALUES * 2)))),
        json.dumps([[]] * MAX_VALUES * 2).encode(),
        b"[" * MAX_VALUES * 2,
        b"]" * MAX_VALUES + b"," * MAX_VALUES * 2,
    ],
    ids=["beside params", "a batch", "open brackets", "no JSON"],
)
async def test_elsewhere_they_leave_no_message(body: bytes) -> None:
    assert await within_limit(body) is None
    assert await exceeds_limit(body)


async def test_a_caller_cannot_name_what_was_left_out() -> None:
    arguments = arguments_of(await within_limit(message({"many": [1] * MAX_VALUES * 2})))
    assert arguments["many"] != "left out"
    assert left_out({"many": "left out", "left out": None}) == []


@pytest.mark.parametrize("item", cast("list[Json]", [1, "x", [], {"a": "b"}]), ids=str)
async def test_a_million_wrong_items_do_not_stop_the_loop(item: Json) -> None:
    """As they come over the wire, up to the refusal; refused one by one they stopped it for twelve seconds."""
    body = message({"many": [item] * 1_000_000})
    ticker = Ticker()
    ticking = asyncio.create_task(ticker.run())
    await asyncio.sleep(0)
    arguments = arguments_of(await within_limit(body))
    problems = left_out(arguments)
    await asyncio.sleep(0)
    ticker.running = False
    await ticking
    assert [problem.field for problem in problems] == ["many"]
    assert ticker.longest_s < STOP_S
