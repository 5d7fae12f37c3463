"""The concepts of a document are its terms, not its words."""

import pytest

from tests.support.parsed_documents import CIRCUITS, LEDGERS, block, document, heading
from toolsets.concept_rag.concepts import (
    MAX_PRIMARY,
    MAX_RELATED,
    DocumentConcepts,
    Embed,
    candidates_of,
    document_phrases,
    find_concepts,
)
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.sections import section_kinds


async def concepts_of(parsed: ParsedDocument, embed: Embed) -> DocumentConcepts:
    text = " ".join(each.text for each in parsed.blocks)[:2_000]
    phrases = document_phrases(parsed, section_kinds(parsed.blocks))
    return await find_concepts(candidates_of(phrases), (await embed([f"{parsed.title}. {text}"]))[0], embed)


def keys(found: DocumentConcepts) -> list[str]:
    return [concept.key for concept in found.all]


async def test_the_terms_of_a_text_come_first(embed: Embed) -> None:
    found = await concepts_of(document(*map(block, CIRCUITS), title="Electronic Circuits"), embed)
    assert found.primary[0].key == "electronic circuit"
    assert {"voltage", "capacitor", "operational amplifier"} <= {concept.key for concept in found.primary[:8]} | set(
        keys(found)
    )
    assert not {"time", "which", "factor", "use"} & set(keys(found))
    assert found.note == ""


async def test_scores_fall_from_one_to_zero_and_order_is_settled(embed: Embed) -> None:
    parsed = document(*map(block, CIRCUITS), *map(block, LEDGERS))
    found = await concepts_of(parsed, embed)
    scores = [concept.score for concept in found.all]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert found == await concepts_of(parsed, embed)


async def test_the_labels_of_a_drawing_are_no_concepts(embed: Embed) -> None:
    labels = Block("labels", "overflow valve · overflow valve · overflow valve", 1)
    found = await concepts_of(document(*map(block, CIRCUITS), labels), embed)
    assert "overflow valve" not in keys(found)
    prose = await concepts_of(document(*map(block, CIRCUITS), *[block("The overflow valve opens.")] * 3), embed)
    assert "overflow valve" in keys(prose)


async def test_the_cells_of_a_table_that_are_prose_have_concepts_and_short_ones_have_none(embed: Embed) -> None:
    rows = [f"Level {number} | {sentence} | overflow valve" for number, sentence in enumerate(CIRCUITS)]
    found = await concepts_of(document(*(block(row, "table") for row in rows)), embed)
    assert "electronic circuit" in keys(found)
    assert "overflow valve" not in keys(found)
    assert found.note == ""


async def test_a_note_says_that_a_document_has_no_concepts(embed: Embed) -> None:
    found = await concepts_of(document(block("1 | 2 | 3", "table")), embed)
    assert (found.all, found.note) == ((), "The text has no terms that could be its concepts.")


_GERMAN = (
    "Der Kondensator speichert die Ladung und gibt sie wieder ab, wenn der Schalter geöffnet wird.",
    "Das Relais hat eine Spule, durch die ein Strom fließt, und es ist für den Betrieb mit einer Diode zu schützen.",
    "Wie jede Spule kann auch diese nicht ohne Folgen von der Spannung getrennt werden, sondern nur über die Diode.",
    "Siehe auch das Handbuch zum Relais: nach dem Schalten muss man noch warten, bis sich das Feld im Kern abbaut.",
)


async def test_function_words_of_another_language_beside_english_are_no_concepts(embed: Embed) -> None:
    found = await concepts_of(document(*map(block, CIRCUITS * 3), *map(block, _GERMAN * 3)), embed)
    words = {part for key in keys(found) for part in key.split()}
    assert not {"der", "die", "da", "das", "und", "für", "wie", "mit", "auch"} & words
    assert {"voltage", "capacitor"} <= words


@pytest.mark.parametrize(
    "text",
    [
        "Das Brot geht auf, weil Hefe und Bakterien im Teig Gas bilden. Mit einem Teil des Teiges wird der neue angesetzt.",
        "Le pain lève parce que la levure forme du gaz dans la pâte. Avec le pain on repose la nuit, sans sel.",
        "El pan sube porque la levadura y las bacterias forman gas en la masa. La masa reposa durante la noche.",
        "Het brood rijst omdat gist in het deeg gas vormt, en dan is het een uur in rust. Met een deel wordt het gemaakt.",
    ],
    ids=["German", "French", "Spanish", "Dutch"],
)
async def test_a_short_text_in_another_language_has_no_english_concepts_by_chance(text: str, embed: Embed) -> None:
    found = await concepts_of(document(block(text)), embed)
    assert keys(found) == []
    assert "English" in found.note


async def test_a_foreign_function_word_in_an_english_text_is_no_concept(embed: Embed) -> None:
    found = await concepts_of(
        document(*map(block, CIRCUITS), *[block("Its motto, mit und ohne, is on the box.")] * 3), embed
    )
    assert not {"mit", "und", "mit und ohne"} & set(keys(found))


async def test_a_paragraph_in_another_language_yields_no_concepts(embed: Embed) -> None:
    german = "Die Geschichte der Firma endet mit diesem letzten Kapitel; aber Debian lebt weiter, und die Zukunft bringt viel."
    found = await concepts_of(document(heading("Kapitel 16"), block(german), *map(block, CIRCUITS)), embed)
    assert not {part for key in keys(found) for part in key.split()} & {
        "der",
        "endet",
        "lebt",
        "kapitel",
        "zukunft",
        "firma",
    }
    assert "capacitor" in keys(found)


async def test_english_keeps_words_that_another_language_uses_as_function_words(embed: Embed) -> None:
    found = await concepts_of(document(*[block("The son casts a shadow. The war takes the son.")] * 4), embed)
    assert {"son", "war"} <= set(keys(found))


async def test_spellings_of_a_concept_count_together_and_the_commonest_names_it(embed: Embed) -> None:
    texts = [
        "Neural Networks are trained.", "A neural network learns weights.", "The neural-network has layers.",
        "Each neural network is large.", "Neural networks need data.",
    ]  # fmt: skip
    found = await concepts_of(document(*map(block, texts)), embed)
    assert keys(found).count("neural network") == 1
    assert found.primary[0].name == "neural network"


async def test_names_keep_their_letters_and_lose_their_plural(embed: Embed) -> None:
    texts = [
        "GNNs run on graphs.",
        "We train GNNs on the GPU.",
        "SQLite databases are small.",
        "SQLite databases are fast.",
    ]
    names = {concept.name for concept in (await concepts_of(document(*map(block, texts)), embed)).all}
    assert "SQLite database" in names
    assert {"GNN", "GPU"} <= names


async def test_headings_lift_a_term(embed: Embed) -> None:
    texts = [block(LEDGERS[0]), block(LEDGERS[1]), block(LEDGERS[3])]
    plain = await concepts_of(document(*texts), embed)
    lifted = await concepts_of(document(heading("Depreciation of assets"), *texts), embed)

    def score(found: DocumentConcepts) -> float:
        return next((concept.score for concept in found.all if concept.key == "depreciation"), 0.0)

    assert score(lifted) > score(plain)


async def test_code_tables_and_references_name_no_concepts(embed: Embed) -> None:
    citations = [block(f"[{n}] A. Author. Zebra taxonomy. Journal of Zoos, 12(3):45-67, 199{n}.") for n in range(8)]
    parsed = document(
        block(" ".join(CIRCUITS)), block("zebra stripes = zebra stripes", "code"), block("zebra stripes | 3", "table"),
        block(" ".join(LEDGERS)), heading("References"), *citations,
    )  # fmt: skip
    assert not [key for key in keys(await concepts_of(parsed, embed)) if "zebra" in key or "zoo" in key]


async def test_code_that_is_printed_as_text_names_no_concepts(embed: Embed) -> None:
    call = block("> plot(circuit, lty=1:3, xlab='Zebra', ylab='Zebra') > lines(circuit, lty=2, xlab='Zebra')")
    parsed = document(*map(block, CIRCUITS), call, call, block("The argument lty is a number."), *map(block, LEDGERS))
    assert not {"lty", "xlab", "ylab", "zebra"} & set(keys(await concepts_of(parsed, embed)))


async def test_an_inner_capital_makes_no_name_of_words_in_another_language(embed: Embed) -> None:
    text = "Das Handbuch zeigt, wie nu bi jitxanPum Pinhu gesprochen wird, und was pdfTeX erzeugt. " * 2
    german = "Die Pakete sind in der Distribution und werden von einem Betreuer für das Debian-Archiv gebaut. " * 4
    found = keys(await concepts_of(document(block(text), block(german), block("Das pdfTeX ist da.")), embed))
    assert "pdftex" in found
    assert not [key for key in found if "jitxanpum" in key or "erzeugt" in key]


async def test_notices_of_copyright_name_no_concepts(embed: Embed) -> None:
    credit = block("Copyright by Jane Doe, GNU Free Documentation License, low resolution")
    parsed = document(block(" ".join(CIRCUITS)), credit, block(" ".join(LEDGERS)), credit)
    assert not [key for key in keys(await concepts_of(parsed, embed)) if "licen" in key or "copyright" in key]


async def test_short_texts_have_few_concepts_and_long_ones_a_bounded_number(embed: Embed) -> None:
    short = await concepts_of(document(block(CIRCUITS[0])), embed)
    assert 1 <= len(short.primary) <= 4
    opened = "copper steel glass paper wooden rubber silver marble".split()
    closed = "bridge engine violin garden hospital statue window needle ladder bottle anchor hammer".split()
    texts = [
        f"The {first} {last} stands near the {last}. The {first} {last} shines." for first in opened for last in closed
    ]
    many = document(*map(block, texts * 6))
    long = await concepts_of(many, embed)
    assert (len(long.primary), len(long.related)) == (MAX_PRIMARY, MAX_RELATED)


@pytest.mark.parametrize(
    "text",
    [
        "Исследователи изучили, как можно повысить скорость обработки данных в базе PostgreSQL. " * 5,
        "研究者たちは処理の速度をどのように改善できるかを調べました。Linuxを使います。" * 5,
        "Die Wissenschaftler untersuchten, wie sich die Verarbeitung mit PostgreSQL beschleunigen lässt. " * 5,
    ],
    ids=["Russian", "Japanese", "German"],
)
async def test_other_languages_give_few_concepts_and_say_so(text: str, embed: Embed) -> None:
    found = await concepts_of(document(block(text)), embed)
    assert "English" in found.note
    assert all(concept.key.isascii() for concept in found.all)
    assert len(found.all) <= 6


async def test_a_text_without_nouns_has_no_concepts(embed: Embed) -> None:
    assert (await concepts_of(document(block("And then, however, they were. 123 !!!")), embed)).all == ()
    assert (await concepts_of(document(), embed)).all == ()


async def test_fragments_are_no_concepts(embed: Embed) -> None:
    texts = ["We ll see; range(len-1) and x t t s.", "They ll call it len-1 of the list, as you ll find.", *CIRCUITS]
    found = await concepts_of(document(*map(block, texts)), embed)
    assert not {"ll", "len 1", "t", "len"} & set(keys(found))
    german = "Er kam nach Hause. Er sah, wie die Wissenschaftler die Verarbeitung mit PostgreSQL prüften. " * 5
    assert "er" not in keys(await concepts_of(document(block(german)), embed))


async def test_an_adjective_and_a_word_that_names_nothing_are_a_concept_only_if_repeated(embed: Embed) -> None:
    text = "A deep text about submarines. Submarines are boats with a pressure hull."
    assert "deep text" not in keys(await concepts_of(document(block(text)), embed))
    again = await concepts_of(document(*[block("A regular file is copied.")] * 3), embed)
    assert "regular file" in keys(again)


async def test_words_of_instructions_are_no_concepts(embed: Embed) -> None:
    text = "If you click the left button, we re-read it, as the tip says. The oscilloscope has a left click, a tip and a re."
    assert not {"left", "click", "tip", "re"} & set(keys(await concepts_of(document(*[block(text)] * 3), embed)))


async def test_a_name_that_looks_like_a_plural_keeps_its_form(embed: Embed) -> None:
    texts = ["The program Maxima solves equations.", "We use Maxima for integrals.", "A session of Maxima ends so."]
    found = await concepts_of(document(*map(block, texts * 2)), embed)
    assert "Maxima" in [concept.name for concept in found.all]
    plain = await concepts_of(
        document(*map(block, ["Two maxima are found.", "The maxima of the curve are flat."] * 3)), embed
    )
    assert "maximum" in [concept.name for concept in plain.all]


async def test_references_and_units_are_no_concepts(embed: Embed) -> None:
    texts = [*CIRCUITS, *["The waveform in figure2 has 3 kHz, as table3 and figure2 tell, and a 10 kΩ load."] * 4]
    found = await concepts_of(document(*map(block, texts)), embed)
    assert not {"figure2", "table3", "khz", "kω"} & set(keys(found))
    assert "waveform" in keys(found)


_TIME_SERIES = (
    "A time series is a sequence of observations. Every time series has a trend, which the analysts forecast.",
    "A unit test checks one function. Each unit test runs alone, and a unit test never opens a socket.",
    "The type system rejects wrong programs. A strong type system finds mistakes early.",
    "Fair use permits quotation. The court decided that fair use covers parody, and that fair use is a defence.",
    "A use case describes what an actor wants. Each use case has a main course.",
    "The work function of zinc is high; the work function of caesium is lower.",
)


async def test_generic_words_that_recur_together_are_a_concept(embed: Embed) -> None:
    found = keys(await concepts_of(document(*map(block, _TIME_SERIES)), embed))
    assert {"time series", "unit test", "type system", "fair use", "use case", "work function"} <= set(found)
    assert not {"time", "unit", "type", "use", "case"} & set(found)


async def test_a_verb_is_no_part_of_a_concept_because_it_is_also_a_noun(embed: Embed) -> None:
    found = await concepts_of(
        document(*[block("Large programs use pointers. Such programs use registers, too.")] * 3), embed
    )
    assert not [key for key in keys(found) if "use" in key.split()]


async def test_a_foreign_plural_is_no_english_singular(embed: Embed) -> None:
    italian = (
        "I termini della licenza sono nel file e non sono nella documentazione del pacchetto. "
        "Anche i termini del contratto sono più lunghi, e il programma cambia con i moduli del kernel PostgreSQL. "
        "Si cambia il file dei moduli, e i tali moduli sono nella memoria del kernel PostgreSQL."
    )
    found = await concepts_of(document(*[block(italian)] * 4), embed)
    assert "PostgreSQL" in " ".join(concept.name for concept in found.all)
    assert not {"terminus", "modulus", "cambium", "talus"} & set(keys(found))


async def test_a_name_in_the_plural_keeps_its_form(embed: Embed) -> None:
    texts = ["The United States signed it.", "A court of the United States ruled.", "Laws of the United States differ."]
    names = [concept.name for concept in (await concepts_of(document(*map(block, texts * 2)), embed)).all]
    assert "United States" in names
    assert "United State" not in names


async def test_a_name_that_recurs_late_in_a_book_is_a_concept(embed: Embed) -> None:
    opened = "copper steel glass paper wooden rubber silver marble".split()
    closed = "bridge engine violin garden hospital statue window needle ladder bottle anchor hammer".split()
    texts = [
        f"The {first} {last} stands near the {last}. The {first} {last} shines." for first in opened for last in closed
    ]
    last = ["Many authors chose a contract of the Quiet Meadow for this."] * 12
    found = await concepts_of(document(*map(block, [*texts * 6, *last])), embed)
    assert "quiet meadow" in keys(found)


async def test_a_phrase_that_has_a_word_twice_is_no_concept(embed: Embed) -> None:
    found = await concepts_of(
        document(*[block("The octave quick reference octave lists it. An octave sounds.")] * 3), embed
    )
    assert "octave quick reference octave" not in keys(found)
