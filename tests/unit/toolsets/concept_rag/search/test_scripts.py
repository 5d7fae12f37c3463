"""Questions in scripts that the embedding model does not understand."""

from pathlib import Path

import numpy
import pytest

from tests.unit.toolsets.concept_rag.caller import Instance
from toolsets.concept_rag.ingestion.pool import ParserPool
from toolsets.concept_rag.library import Library
from toolsets.concept_rag.search.query import Query
from toolsets.concept_rag.search.scores import CLEAR, evidence
from toolsets.concept_rag.search.scripts import evidence_for, is_foreign, understands

VECTOR = numpy.zeros(2, dtype=numpy.float32)

TEXTS = {
    "russian": "# Пакеты\n\nЧтобы удалить пакет из системы, вызовите apt-get remove. Пакет останется в архиве.\n",
    "chinese": "# 宏包\n\n本章介绍如何排版数学公式。宏包提供了新的命令和环境。\n",
    "arabic": "# كتاب\n\nاللغة العربية هي لغة الكتاب، وفيه قصص عن الدجاج والناس.\n",
}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("удалить пакет", ["russian"]),
        ("рецепт томатного супа", []),
        ("数学公式如何排版", ["chinese"]),
        ("番茄汤食谱", []),
        ("اللغة العربية", ["arabic"]),
        ("وصفة حساء الطماطم", []),
    ],
)
async def test_a_question_finds_what_has_its_words(
    instance: Instance, pool: ParserPool, folder: Path, asked: str, found: list[str]
) -> None:
    """The model finds all texts in one script alike."""
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    await instance.ingest(pool, folder)
    titles = {name: text.splitlines()[0].removeprefix("# ") for name, text in TEXTS.items()}
    for tool in ("broad_chunks_search", "catalog_search"):
        rows = await instance.rows(tool, text=asked)
        assert [row["title"] for row in rows] == [titles[name] for name in found], tool


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("recipe for tomato soup", False),
        ("Rezept für Tomatensuppe", False),
        ("Đặt phần mềm", False),
        ("what is Δ in Σ?", False),
        ("42", False),
        ("", False),
        ("история Debian", True),
        ("番茄汤", True),
    ],
)
def test_a_text_is_foreign_if_most_of_its_letters_are_not_latin(text: str, foreign: bool) -> None:
    assert is_foreign(text) == foreign


def unread(text: str) -> Query:
    """Return a query that the embedding model does not understand."""
    return Query(text, VECTOR, is_understood=False)


def test_the_cosine_of_a_question_that_is_understood_is_evidence_on_its_own() -> None:
    assert evidence_for(Query("tomato soup", VECTOR), ["a", "b"], [0.5, 0.2], [0.0, 0.1]) == evidence(
        [0.5, 0.2], [0.0, 0.1]
    )


def test_a_fifth_of_the_words_or_half_of_the_pairs_is_needed_in_another_script() -> None:
    assert evidence_for(unread("лидер проекта"), ["", "", ""], [0.7, 0.7, 0.1], [0.1, 0.2, 0.7]) == pytest.approx(
        [0.0, 0.7 / 0.4 + 0.2 / 0.5, 0.1 / 0.4 + 0.7 / 0.5]
    )
    found = evidence_for(
        unread("数学公式"), ["数学", "公式和数学", "数学公式"], [0.6, 0.6, 0.6], [0.0, 0.0, 0.0], whole={2}
    )
    assert found[0] == 0.0
    assert found[2] > found[1] > CLEAR


def test_a_long_text_with_every_word_is_evidence() -> None:
    assert evidence_for(unread("лидер"), ["", ""], [0.3, 0.3], [0.1, 0.1], whole={1}) == [0.0, CLEAR]


def test_a_single_sign_and_korean_words_with_endings_are_shared() -> None:
    assert evidence_for(unread("猫"), ["猫は小さな動物", "犬は動物"], [0.7, 0.7], [0.0, 0.0]) == [0.7 / 0.4 + 2, 0.0]
    shown = evidence_for(
        unread("서울 인구"), ["서울은 도시이다. 인구가 많다.", "부산은 항구이다."], [0.7, 0.7], [0.0, 0.0]
    )
    assert shown == [0.7 / 0.4 + 2, 0.0]


async def test_the_shipped_model_understands_no_other_script(instance: Instance) -> None:
    assert not await Library(instance.rag).understands_other_scripts()


@pytest.mark.parametrize(
    ("one", "other", "understood"), [((1, 0), (0, 1), True), ((1, 0), (0.8, 0.6), False), ((0, 0), (0, 1), False)]
)
def test_a_model_understands_a_script_if_unrelated_texts_are_apart(
    one: tuple[float, float], other: tuple[float, float], understood: bool
) -> None:
    """A vector of zeros is that of a text without known words."""
    pair = (numpy.array(one, dtype=numpy.float32), numpy.array(other, dtype=numpy.float32))
    assert understands([(VECTOR + 1, -VECTOR - 1), pair]) is understood
