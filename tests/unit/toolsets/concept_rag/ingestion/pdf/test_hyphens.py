"""A word broken at a line's end is joined as the document writes it elsewhere."""

import pytest

from toolsets.concept_rag.ingestion.pdf.hyphens import HYPHEN_AT_END, Hyphens


def joined(left: str, right: str, text: str = "", *, soft: bool = False) -> str:
    hyphens = Hyphens()
    hyphens.learn_all([text])
    return hyphens.joined(left, right, soft=soft)


@pytest.mark.parametrize(
    ("left", "right", "text", "expected"),
    [
        ("the under", "standing of", "", "the understanding of"),
        ("a well", "known man", "he is well-known", "a well-known man"),
        ("a well", "known man", "", "a well-known man"),
        ("a co", "operation", "the cooperation of all", "a cooperation"),
        ("a co", "operation", "the co-operation of all", "a co-operation"),
        ("a co", "operation", "co-operation cooperation cooperation", "a cooperation"),
        ("non", "English", "", "non-English"),
        ("the UTF", "like form", "", "the UTF-like form"),
        ("COVID", "19", "", "COVID-19"),
        ("state-of-the", "art work", "", "state-of-the-art work"),
        ("see http://a.example/b", "c/d", "", "see http://a.example/b-c/d"),
        ("the file x86_64", "linux", "", "the file x86_64-linux"),
        ("high", "lands of", "the highlands", "highlands of"),
        ("high", "level gate", "a level", "high-level gate"),
        ("(inter", "national)", "", "(international)"),
        ("1990", "ies", "", "1990-ies"),
        ("–", "x", "", "–-x"),
    ],
)
def test_words_are_joined(left: str, right: str, text: str, expected: str) -> None:
    assert joined(left, right, f"known {text}") == expected


def test_a_text_is_mended_where_its_words_are_broken() -> None:
    hyphens = Hyphens()
    hyphens.learn("a WaterMill of the well-known kind")
    broken = "the Water- Mill of the well- known inter- na- tional kind, non-".replace("-", HYPHEN_AT_END)
    assert hyphens.mended(broken) == "the WaterMill of the well-known international kind, non-"
    assert hyphens.mended("well- and  little-known") == "well- and  little-known"


def test_a_soft_hyphen_is_never_part_of_the_word() -> None:
    assert joined("well", "known", "well-known", soft=True) == "wellknown"
