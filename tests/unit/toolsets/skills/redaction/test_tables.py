"""Secrets in the cells of tables."""

import pytest

from tests.support.redaction import applied
from toolsets.skills.redaction.tables import TABLES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "| User | Password |\n|---|---|\n| anna | kestrel |\n| ben | Tulip44 |",
            "| User | Password |\n|---|---|\n| anna | [password] |\n| ben | [password] |",
        ),
        ("name,pin,city\nanna,4711,Bonn", "name,pin,city\nanna,[password],Bonn"),
        ("host;api key\ndb1;q8r7t6", "host;api key\ndb1;[password]"),
        ("size\ttoken\n3\tq8r7t6", "size\ttoken\n3\t[password]"),
    ],
)
def test_the_cells_below_the_name_of_a_secret_go(text: str, expected: str) -> None:
    assert applied(TABLES, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "| Step | Password |\n|---|---|\n| open | required |",
        "size,token\n3,kestrel",
        "user,password\nanna,kestrel,Bonn",
        "user,city\nanna,Bonn",
        "My password\nanna,Tulip44",
    ],
)
def test_words_in_a_table_of_no_users_and_other_lines_stay(text: str) -> None:
    assert applied(TABLES, text) == text


def test_only_the_first_rows_of_a_long_table_are_read() -> None:
    rows = applied(TABLES, "user,password\n" + "anna,kestrel\n" * 300).splitlines()[1:]
    assert rows == ["anna,[password]"] * 200 + ["anna,kestrel"] * 100
