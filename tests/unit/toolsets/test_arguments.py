"""Arguments are read strictly: what is wrong is refused and named, nothing is coerced or clamped."""

import math
import threading
import time
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, Field, JsonValue, TypeAdapter

from backends.ports.text import MAX_TEXT_BYTES
from backends.ports.values import Json
from tests.support.calls import counted_calls
from tests.support.envelope import PlainEnvelope
from toolsets.arguments import (
    INTEGRAL,
    NOT_BLANK,
    UNSIGNED_ZERO,
    Arguments,
    BadArguments,
    Filled,
    UpToBytes,
    parse,
    tool_call,
)
from toolsets.spec import CallContext, Problem, Reply


class Sample(Arguments):
    name: Annotated[Filled, Field(max_length=5)]
    count: Annotated[int, Field(ge=1, le=9), INTEGRAL] = 3
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    loud: bool = False


def refused(arguments: dict[str, Json]) -> Problem:
    with pytest.raises(BadArguments) as caught:
        parse(Sample, arguments)
    return caught.value.problems[0]


def test_optional_arguments_that_are_null_count_as_not_sent() -> None:
    parsed = parse(Sample, {"name": "a", "count": None, "share": None, "loud": None})
    assert (parsed.count, parsed.share, parsed.loud) == (3, None, False)
    assert parsed.model_fields_set == {"name"}


class WithOptional(Arguments):
    kind: Literal["a", "b"] = "a"
    area: Annotated[str, Field(max_length=5), NOT_BLANK] | None = None
    database: Annotated[Filled, Field(description="Which one.")] = "main"
    words: Annotated[tuple[Filled, ...], Field(strict=False)] = ()


def test_an_optional_text_that_is_empty_counts_as_not_sent() -> None:
    parsed = parse(WithOptional, {"kind": "", "area": "", "database": ""})
    assert (parsed.kind, parsed.area, parsed.database) == ("a", None, "main")
    assert parsed.model_fields_set == set()


@pytest.mark.parametrize(
    "arguments", [{"kind": " "}, {"area": " "}, {"database": "\t"}, {"words": ""}, {"words": [""]}, {"other": ""}]
)
def test_other_blank_values_are_refused(arguments: dict[str, Json]) -> None:
    with pytest.raises(BadArguments):
        parse(WithOptional, arguments)
    assert refused({"name": ""}).field == "name"


def test_a_required_argument_that_is_null_is_refused() -> None:
    assert refused({"name": None}).kind == "breach"


def test_a_missing_argument_is_distinguished_from_a_wrong_one() -> None:
    problem = refused({"count": 77, "other": 1})
    assert (problem.kind, problem.field) == ("missing", "name")


def test_a_number_without_a_fraction_is_an_integer_however_it_is_written() -> None:
    assert parse(Sample, {"name": "a", "count": 5.0}).count == 5


def test_a_negative_zero_loses_its_sign() -> None:
    read = TypeAdapter(Annotated[float, Field(ge=0), UNSIGNED_ZERO]).validate_python
    assert [str(read(value)) for value in (-0.0, 0.0, 0, 0.5)] == ["0.0", "0.0", "0.0", "0.5"]


@pytest.mark.parametrize("value", ["5", True, 5.5, 0, 10, -1, math.nan, math.inf, 1e308, [], {}, 10**30])
def test_what_is_not_an_integer_within_bounds_is_refused(value: Json) -> None:
    problem = refused({"name": "a", "count": value})
    assert (problem.kind, problem.field) == ("breach", "count")


@pytest.mark.parametrize("value", ["0.5", True, -0.1, 1.1, math.nan, -math.inf])
def test_what_is_not_a_number_within_bounds_is_refused(value: Json) -> None:
    assert refused({"name": "a", "share": value}).field == "share"


@pytest.mark.parametrize("value", [1, 0, "true"])
def test_what_is_not_a_boolean_is_refused(value: Json) -> None:
    assert refused({"name": "a", "loud": value}).field == "loud"


@pytest.mark.parametrize("value", ["", "  \t\n", "\u3000", "\u200b\u200b", " \ufeff", "abcdef", 7])
def test_texts_that_are_blank_or_too_long_are_refused(value: Json) -> None:
    assert refused({"name": value}).kind == "breach"


class Nested(Arguments):
    words: Annotated[tuple[Filled, ...], Field(max_length=2, strict=False)] = ()
    parts: Annotated[list[Sample], Field(default_factory=list[Sample])]
    facts: Annotated[dict[str, int], Field(default_factory=dict[str, int])]
    loud: bool = False
    count: int = 0
    name: str = ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"words": "a"}, "words should be a list"),
        ({"words": ["a", "b", "c"]}, "words should have at most 2 items, not 3"),
        ({"words": [5]}, "words.0 should be a text"),
        ({"parts": {}}, "parts should be a list"),
        ({"parts": [5]}, "parts.0 should be an object"),
        ({"facts": []}, "facts should be an object"),
        ({"facts": {"a": "b"}}, "facts.a should be an integer"),
        ({"loud": "yes"}, "loud should be true or false"),
        ({"count": "5"}, "count should be an integer"),
        ({"name": None, "count": 5.5}, "count should be an integer"),
    ],
)
def test_what_is_wrong_is_said_in_words_of_json(arguments: dict[str, Json], sentence: str) -> None:
    with pytest.raises(BadArguments) as caught:
        parse(Nested, arguments)
    assert [problem.sentence for problem in caught.value.problems] == [sentence]


@pytest.mark.parametrize(
    ("note", "path"),
    [
        ({"a": math.nan}, "note.a"),
        ({"a": {"b": [1, {"c": math.inf}]}}, "note.a.b.1.c"),
        ({"dict": {"list": [[math.nan]]}}, "note.dict.list.0.0"),
        ({"a": {"dict": {"b": 1}, "b": math.nan}}, "note.a.b"),
    ],
)
def test_a_wrong_value_within_an_object_is_named_by_the_keys_that_were_sent(note: Json, path: str) -> None:
    """Pydantic names the type of each value of JSON as well, and the caller may have a key of that name."""

    class Noted(Arguments):
        note: dict[str, JsonValue]

    with pytest.raises(BadArguments) as caught:
        parse(Noted, {"note": note})
    assert [problem.sentence for problem in caught.value.problems] == [f"{path} should be a finite number"]


def test_length_is_counted_in_code_points() -> None:
    assert parse(Sample, {"name": "🙂🙂🙂🙂🙂"}).name == "🙂🙂🙂🙂🙂"


@pytest.mark.parametrize(
    "value", ["a\x00b", "\ud800", "x" * (MAX_TEXT_BYTES + 1), ["ok", {"deep": "\udfff"}], {"\ud800": 1}]
)
def test_texts_that_cannot_be_stored_are_distinguished(value: Json) -> None:
    problem = refused({"name": value})
    assert problem.kind == "unstorable"
    assert problem.field == "name"


def test_unknown_arguments_are_refused_by_name() -> None:
    problem = refused({"name": "a", "nmae": "b"})
    assert (problem.kind, problem.field, problem.value) == ("unknown", "nmae", "b")


@given(
    st.dictionaries(
        st.text(max_size=3) | st.sampled_from(["name", "count", "share", "loud"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    )
)
def test_whatever_is_sent_is_parsed_or_refused_with_a_sentence(arguments: dict[str, Json]) -> None:
    try:
        parsed = parse(Sample, arguments)
    except BadArguments as bad:
        problems = bad.problems
    else:
        problems = ()
        assert parsed.name == arguments["name"]
    assert all(problem.sentence for problem in problems)


REFUSED_S = 2.0
"""Most of it looks for texts that no store accepts; a problem for each item took twelve seconds."""


class Long(Arguments):
    items: Annotated[list[int], Field(default_factory=list[int])]
    few: Annotated[list[int], Field(default_factory=list[int], max_length=5)]


def test_a_list_of_a_million_wrong_items_is_refused_at_its_first_one() -> None:
    items: Json = ["x"] * 1_000_000
    started = time.process_time()
    with pytest.raises(BadArguments) as caught:
        parse(Long, {"items": items})
    assert time.process_time() - started < REFUSED_S
    assert [problem.sentence for problem in caught.value.problems] == ["items.0 should be an integer"]


def test_a_list_that_is_far_too_long_is_refused_before_its_items_are_read() -> None:
    with pytest.raises(BadArguments) as caught:
        parse(Long, {"few": ["\ud800"] * 1_000})
    assert [problem.sentence for problem in caught.value.problems] == ["few should have at most 5 items, not 1000"]


def test_of_very_many_unknown_arguments_a_hundred_are_named() -> None:
    with pytest.raises(BadArguments) as caught:
        parse(Long, {f"name {number}": "\ud800" for number in range(100_000)})
    assert len(caught.value.problems) == 100
    assert {problem.kind for problem in caught.value.problems} == {"unknown"}


class Transcript(Arguments):
    """A text of which only parts are stored, beside one that is stored."""

    long: Annotated[str, UpToBytes(300_000)]
    short: str = ""


def test_a_text_that_is_not_stored_whole_may_be_longer_than_one_that_is() -> None:
    """Up to its own limit; other arguments keep to that of the stores."""
    text = "x" * 300_000
    assert parse(Transcript, {"long": text}).long == text
    for sent in ({"long": f"{text}x"}, {"long": "x", "short": text}):
        with pytest.raises(BadArguments, match="must not be longer than"):
            parse(Transcript, sent)


def test_blanks_before_a_letter_are_not_looked_at_one_by_one() -> None:
    parsed, calls = counted_calls(lambda: parse(Nested, {"words": [" " * 100_000 + "a", "\u200b" * 50_000 + "a"]}))
    assert len(parsed.words) == 2
    assert calls < 1_000


@pytest.mark.parametrize(("items", "beside"), [(3, False), (5_000, True)])
async def test_many_values_are_checked_beside_the_event_loop(*, items: int, beside: bool) -> None:
    threads: set[int] = set()

    def note(text: str) -> str:
        threads.add(threading.get_ident())
        return text

    class Noted(Arguments):
        words: Annotated[list[Annotated[str, AfterValidator(note)]], Field(description="Words.")]

    async def count(arguments: Noted, _: CallContext) -> Reply:
        return Reply({"count": len(arguments.words)})

    reply = await tool_call(Noted, count, PlainEnvelope())({"words": ["a"] * items}, CallContext("count"))
    assert reply.structured == {"count": items}
    assert (threading.get_ident() not in threads) == beside
