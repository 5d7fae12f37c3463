"""Languages are recognised by their function words, in short texts too."""

import pytest

from toolsets.concept_rag.languages import languages_of, word_count

TEXTS = {
    "German": "Das Brot geht auf, weil Hefe und Bakterien im Teig Gas bilden. Mit Wasser wird die Kruste knusprig.",
    "French": "Le pain lève parce que la levure et les bactéries forment du gaz dans la pâte, avec une partie de la vieille.",
    "Spanish": "El pan sube porque la levadura y las bacterias forman gas en la masa. La masa reposa durante la noche.",
    "Italian": "Il pane cresce perché il lievito e i batteri formano del gas nella pasta, che riposa per una notte.",
    "Portuguese": "O pão cresce porque a levedura e as bactérias formam gás na massa, que descansa durante uma noite.",
    "Dutch": "Het brood rijst omdat gist en bacteriën in het deeg gas vormen. Met een deel van het oude wordt het gemaakt.",
    "Polish": "Chleb rośnie, ponieważ drożdże i bakterie tworzą w cieście gaz, a ciasto przez noc odpoczywa, aby się nie rwało.",
    "Swedish": "Brödet jäser för att jästen och bakterierna bildar gas i degen, som får vila under en natt innan den bakas.",
    "Czech": "Chléb kyne, protože kvasinky a bakterie tvoří v těstě plyn, které pak přes noc odpočívá, aby se netrhalo.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_is_enough(language: str) -> None:
    found = languages_of([TEXTS[language]])
    assert found.prevail
    assert "the" not in found.function_words


@pytest.mark.parametrize(
    "text",
    [
        "The son casts a shadow. The war takes the son, and the men die. He was in a hotel, alas, so am I.",
        "Yeast ferments sugar. Salt slows the yeast.",
        "El Niño and La Niña are found by Los Alamos and San Diego.",
        "x = 1; y = 2",
        "",
    ],
)
def test_english_and_code_are_no_other_language(text: str) -> None:
    assert not languages_of([text]).function_words


def test_a_text_in_two_languages_uses_both() -> None:
    english = (
        "The bread rises because yeast and bacteria form gas in the dough, which is why it has to rest for a night."
    )
    found = languages_of([TEXTS["German"], english, english])
    assert "weil" in found.function_words
    assert not found.prevail


def test_a_long_text_is_recognised_by_a_part_of_it() -> None:
    assert languages_of([TEXTS["French"]] * 20_000).prevail
    assert languages_of(["word " * 1_000_000]) == languages_of([])


@pytest.mark.parametrize(("text", "words"), [("two words", 2), ("", 0), ("本章介绍数学", 3), ("Привет, мир", 4)])
def test_words_are_counted_by_spaces_or_by_letters_of_other_scripts(text: str, words: int) -> None:
    assert word_count(text) == words
