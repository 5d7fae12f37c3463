"""The normal form of a name drops what carries no meaning, and nothing else."""

import pytest

from toolsets.agent_graph.duplicates.normal import NormalName, normal


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("The Payment  Service", ("payment", "service")),
        ("Acme Corp.", ("acme",)),
        ("Müller GmbH", ("mueller",)),
        ("Café", ("cafe",)),
        ("ReactJS", ("react",)),
        ("React.js", ("react",)),
        ("PostgreSQL9.6", ("postgresql", "9", "6")),
        ("OAuth 2.0", ("oauth", "2")),
        ("v1.10", ("v", "1", "10")),
        ("PaymentGateway", ("payment", "gateway")),
        ("C++", ("c", "plus", "plus")),
        ("C#", ("c", "sharp")),
        ("Payments", ("payment",)),
        ("Redis", ("redis",)),
        ("Team", ("team",)),
        ("!!!", ("!!!",)),
        (" ", (" ",)),
    ],
)
def test_a_name_has_a_normal_form(name: str, words: tuple[str, ...]) -> None:
    assert normal(name).words == words


def test_a_form_has_its_parts() -> None:
    form = NormalName(("alan", "m", "of", "db", "7"))
    assert (form.joined, form.text) == ("alanmofdb7", "alan m of db 7")
    assert (form.numbers, form.initials, form.core) == (("7",), ("m",), ("alan", "db", "7"))
    assert NormalName(("of", "a")).core == ("of", "a"), "nothing else is left"
