"""Words of the command line as tool arguments."""

from pathlib import Path

import click
import pytest

from gateway.cli.arguments import parse

PROPERTIES: dict[str, object] = {
    "name": {"type": "string"},
    "limit": {"type": "integer"},
    "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
    "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "flag": {"type": "boolean"},
    "names": {"type": "array", "items": {"type": "string"}},
    "either": {"type": ["integer", "null"]},
    "kind": {"enum": ["a", "b"]},
}
SCHEMA: dict[str, object] = {"type": "object", "properties": PROPERTIES}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("name=5", {"name": "5"}),
        ("name=a=b", {"name": "a=b"}),
        ("name=", {"name": ""}),
        ("limit=5", {"limit": 5}),
        ("ratio=0.5", {"ratio": 0.5}),
        ("ratio=null", {"ratio": None}),
        ("maybe=null", {"maybe": "null"}),
        ("maybe:=null", {"maybe": None}),
        ("flag=true", {"flag": True}),
        ('names=["a"]', {"names": ["a"]}),
        ("either=1", {"either": 1}),
        ("kind=a", {"kind": "a"}),
        ("unknown=5", {"unknown": "5"}),
        ('name:={"a":1}', {"name": {"a": 1}}),
        ('limit:="5"', {"limit": "5"}),
    ],
)
def test_a_word_is_typed_by_the_tools_schema(word: str, expected: dict[str, object]) -> None:
    assert parse([word], SCHEMA) == expected


def test_an_at_sign_reads_a_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("long\n", encoding="utf-8")
    assert parse([f"name=@{tmp_path / 'text'}"], SCHEMA) == {"name": "long\n"}


@pytest.mark.parametrize("word", ["name", "=5", ":=5", "limit=x", "name:=x", "name=@/no/such/file"])
def test_a_word_that_cannot_be_read_is_wrong_usage(word: str) -> None:
    with pytest.raises(click.UsageError):
        parse([word], SCHEMA)


@pytest.mark.parametrize("word", ["name=\udcff", "\udcff=5", r'name:="\ud800"', r'names=["a", "\udfff"]'])
def test_what_has_no_utf_8_is_wrong_usage_and_shown_escaped(word: str) -> None:
    with pytest.raises(click.UsageError, match="cannot be sent") as refused:
        parse([word], SCHEMA)
    assert refused.value.message.isascii()


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("limit=x", "The value after limit= must be JSON of type integer, but 'x' is not"),
        ("either=", "The value after either= must be JSON of type integer or null, but '' is not"),
        ("name:=x", "The value after name:= must be JSON, but 'x' is not"),
        ("ratio=NaN", "but 'NaN' is not: JSON has no NaN."),
        ("name:=-Infinity", "'-Infinity' is not: JSON has no -Infinity."),
        ('name:={"a": [1, 1e999]}', "is not: the number is too large."),
        ("ratio=-1e999", "is not: the number is too large."),
        ("limit=" + "9" * 5_000 + "x", "..."),
        ("limit=" + "[" * 100_000, "The value after limit= must be JSON of type integer"),
        ("name=@/no/such/file", "The argument name names the file /no/such/file, which cannot be read: No such file"),
    ],
)
def test_an_error_names_the_argument_and_what_it_takes(word: str, told: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        parse([word], SCHEMA)
    assert told in refused.value.message
    assert len(refused.value.message) < 500


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("name=a", "name=b"), "The argument name is given twice."),
        (("limits=5",), "There is no argument limits; did you mean limit?"),
        (("areas=DB",), f"There is no argument areas. There are: {', '.join(PROPERTIES)}."),
    ],
)
def test_an_argument_given_twice_or_that_does_not_exist_is_wrong_usage(words: tuple[str, ...], told: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        parse(words, {**SCHEMA, "additionalProperties": False})
    assert refused.value.message == told


def test_a_tool_without_arguments_says_so() -> None:
    with pytest.raises(click.UsageError, match="There is no argument extra; this tool takes none"):
        parse(["extra=1"], {"type": "object", "additionalProperties": False})


def test_other_arguments_are_sent_where_the_schema_admits_them() -> None:
    assert parse(["limits=5"], SCHEMA) == {"limits": "5"}
