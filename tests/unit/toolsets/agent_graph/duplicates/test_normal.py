"""The normal form of a name drops what carries no meaning, and nothing else."""

import unicodedata

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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("राम", "रोम"),
        ("दिल", "दाल"),
        ("सीता", "सुता"),
        ("காலை", "கொலை"),
        ("ハート", "ハード"),
        ("パス", "バス"),
        ("ข้าว", "ข่าว"),
        ("Google+", "Google"),
        ("CJS", "C"),
    ],
)
def test_different_words_have_different_forms(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ångström", "Angstroem"),
        ("Жёлтый", "Желтый"),
        ("Ἀθῆναι", "Αθηναι"),
        ("שָׁלוֹם", "שלום"),
        ("ハート", "ﾊｰﾄ"),
        ("Redis \u2764\ufe0f", "redis"),
        ("D3.js", "D3 JS"),
    ],
)
def test_spellings_of_one_word_have_one_form(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize("name", ["Müller Werke", "राम", "ガラス", "Łódź", "한국"])
def test_both_unicode_forms_of_a_name_have_one_form(name: str) -> None:
    assert normal(unicodedata.normalize("NFD", name)) == normal(name)


def test_the_name_of_a_person_keeps_its_last_letter() -> None:
    assert normal("Amy Adams", is_person=True).words == ("amy", "adams")


def test_a_form_has_its_parts() -> None:
    form = NormalName(("alan", "m", "of", "db", "7"))
    assert (form.joined, form.text) == ("alanmofdb7", "alan m of db 7")
    assert (form.numbers, form.initials, form.core) == (("7",), ("m",), ("alan", "db", "7"))
    assert NormalName(("of", "a")).core == ("of", "a"), "nothing else is left"
