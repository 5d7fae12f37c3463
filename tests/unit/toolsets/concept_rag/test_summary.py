"""A summary is the document's own abstract or introduction, else its central sentences."""

from tests.support.parsed_documents import CIRCUITS, LEDGERS, block, document, heading
from toolsets.concept_rag.chunks import chunks_of
from toolsets.concept_rag.concepts import Embed
from toolsets.concept_rag.ingestion.document import Block, ParsedDocument
from toolsets.concept_rag.sections import section_kinds
from toolsets.concept_rag.summary import MAX_SUMMARY, summarise

ABSTRACT = (
    "We show how electronic circuits are measured with a simple oscilloscope. "
    "The method needs one capacitor and one resistor, and it is as exact as instruments that cost more."
)
STEPS = ("Connect the probe to the input.", "Turn the dial until the trace stands still.", "Click Start.")


async def summary_of(parsed: ParsedDocument, embed: Embed) -> str:
    kinds = section_kinds(parsed.blocks)
    chunks = chunks_of(parsed, kinds)
    vectors = await embed([chunk.text for chunk in chunks] or [""])
    return await summarise(parsed, kinds, chunks, vectors, embed)


def chapters(*texts: str) -> list[Block]:
    return [each for number, text in enumerate(texts) for each in (heading(f"{number + 1} Part"), block(text))]


async def test_the_abstract_is_the_summary(embed: Embed) -> None:
    body = chapters(" ".join(CIRCUITS), " ".join(CIRCUITS[::-1]))
    assert await summary_of(document(heading("Abstract"), block(ABSTRACT), *body), embed) == ABSTRACT


async def test_an_abstract_without_a_heading_is_found(embed: Embed) -> None:
    body = chapters(" ".join(CIRCUITS), " ".join(CIRCUITS[::-1]))
    assert await summary_of(document(block(f"Abstract. {ABSTRACT}"), *body), embed) == ABSTRACT


OUTLINE = (
    "This paper is organized as follows: In Section 2 we describe the electronic circuits that are measured by resistors. "
    "The third part then compares the capacitor of a circuit with an amplifier of the same circuit."
)


async def test_an_abstract_below_a_paragraph_of_that_word_is_preferred_to_the_outline(embed: Embed) -> None:
    body = chapters(" ".join(CIRCUITS), " ".join(CIRCUITS[::-1]))
    parsed = document(block("Abstract"), block(ABSTRACT), heading("1 Part"), block(OUTLINE), *body, title="Circuits")
    assert await summary_of(parsed, embed) == ABSTRACT


async def test_the_outline_of_a_document_is_not_its_summary(embed: Embed) -> None:
    parsed = document(block(OUTLINE), *chapters(" ".join(CIRCUITS), " ".join(CIRCUITS[::-1])), title="Circuits")
    assert "organized" not in await summary_of(parsed, embed)


async def test_a_document_of_lists_is_summarised_by_its_first_items_or_its_headings(embed: Embed) -> None:
    items = ["Deploys took less time than before.", "Too many alerts at night!", "alerts", "The runbook was not found."]
    lists = [block(item, "list_item") for item in items]
    parsed = document(heading("Went well"), *lists, title="Retrospective")
    assert await summary_of(parsed, embed) == f"{items[0]} {items[1]} {items[3]}"
    slides = document(heading("Hives"), block("wood", "list_item"), heading("Swarms"), block("May", "list_item"))
    assert await summary_of(slides, embed) == "Hives; Swarms."


async def test_the_introduction_is_preferred_to_thanks_and_conventions(embed: Embed) -> None:
    purpose = (
        "This book explains electronic circuits to beginners. It covers resistors, capacitors, diodes and amplifiers."
    )
    parsed = document(
        heading("Preface"), block("Thanks go to my family and to all who sent me letters while I was writing in the evening."),
        heading("Introduction"), block(purpose), *chapters(" ".join(CIRCUITS), " ".join(CIRCUITS)), title="Circuits",
    )  # fmt: skip
    assert await summary_of(parsed, embed) == purpose


PURPOSE = "This book explains electronic circuits to beginners. It covers resistors, capacitors, diodes and amplifiers."
LICENCE = "This book is free software; you may redistribute it under the terms of the General Public License, without warranty."
CONTENTS = [
    heading("Contents"),
    *(block(f"{number} Circuit {number} … {number + 9}", "list_item") for number in range(1, 300)),
]


async def test_an_introduction_behind_a_long_table_of_contents_is_found(embed: Embed) -> None:
    parsed = document(
        heading("Circuits"), heading("Release 3"), heading("The Authors"), *CONTENTS, block(LICENCE),
        heading("CHAPTER ONE SCOPE OF THIS DOCUMENT"), block(PURPOSE),
        *chapters(*(" ".join(CIRCUITS) for _ in range(20))), title="Circuits",
    )  # fmt: skip
    assert await summary_of(parsed, embed) == PURPOSE


async def test_an_abstract_between_the_title_and_the_contents_is_found(embed: Embed) -> None:
    abstract = [heading("Contents"), heading("Abstract"), block(LICENCE), block(ABSTRACT), *CONTENTS]
    parsed = document(
        heading("Circuits"), *abstract, *chapters(*(" ".join(CIRCUITS) for _ in range(9))), title="Circuits"
    )
    assert await summary_of(parsed, embed) == ABSTRACT


async def test_central_sentences_serve_where_nothing_introduces(embed: Embed) -> None:
    odd = [
        block("Connect it.", "list_item"),
        block("total = volts * amps", "code"),
        *(block(step, "list_item") for step in STEPS),
    ]
    blocks = [*odd, *(block(sentence) for sentence in CIRCUITS * 4)]
    summary = await summary_of(document(*blocks), embed)
    found = [sentence for sentence in CIRCUITS if sentence in summary]
    assert 2 <= len(found) <= 4
    assert "Connect" not in summary
    assert "total =" not in summary


async def test_a_summary_is_bounded_and_made_of_whole_sentences(embed: Embed) -> None:
    summary = await summary_of(document(heading("Introduction"), block(" ".join(LEDGERS * 20))), embed)
    assert len(summary) <= MAX_SUMMARY
    assert summary.endswith(".")
    assert 2 <= sum(sentence in summary for sentence in LEDGERS) <= 4


async def test_short_texts_in_other_languages_have_a_summary(embed: Embed) -> None:
    german = "Das Brot geht auf, weil Hefe im Teig Gas bildet. Mit einem Teil des alten Teiges wird der neue angesetzt."
    assert await summary_of(document(heading("Sauerteig"), block(german)), embed) == german
    japanese = "パンが膨らむのは、酵母がガスを作るからです。生地は一晩休ませます。"
    assert (await summary_of(document(block(japanese)), embed)).replace(" ", "") == japanese


async def test_the_first_sentences_serve_where_none_is_meaningful_on_its_own(embed: Embed) -> None:
    parsed = document(heading("Ice"), block("= = = ! 12 34."), block("Glaciers carve valleys. They form slowly."))
    assert await summary_of(parsed, embed) == "Glaciers carve valleys. They form slowly."


async def test_documents_without_prose_have_no_summary(embed: Embed) -> None:
    assert await summary_of(document(), embed) == ""
    assert await summary_of(document(block("x = 1\ny = 2", "code")), embed) == ""


async def test_the_same_document_has_the_same_summary(embed: Embed) -> None:
    parsed = document(*(block(sentence) for sentence in (*CIRCUITS, *LEDGERS) * 3))
    assert await summary_of(parsed, embed) == await summary_of(parsed, embed)


async def test_a_text_without_sentences_is_summarised_by_its_first_words(embed: Embed) -> None:
    assert await summary_of(document(block("Name"), block("Check"), block("Submit")), embed) == "Name Check Submit"


async def test_an_opening_that_continues_something_is_no_summary_of_a_long_text(embed: Embed) -> None:
    late = "This is the way that electronic circuits always were: a capacitor, a resistor and an operational amplifier."
    body = chapters(*[" ".join(CIRCUITS), " ".join(CIRCUITS[::-1])] * 8)
    found = await summary_of(document(heading("Circuits"), block(late), *body, title="Circuits"), embed)
    assert found
    assert not found.startswith("This is the way")


async def test_a_file_that_describes_itself_has_its_description_as_summary(embed: Embed) -> None:
    about = (
        "This file describes how electronic circuits with operational amplifiers, capacitors and resistors are built."
    )
    body = chapters(" ".join(CIRCUITS), " ".join(CIRCUITS[::-1]))
    parsed = document(heading("Circuits"), block(about), *body, title="Meters")
    assert (await summary_of(parsed, embed)).startswith("This file describes")


async def test_a_sentence_about_the_summary_itself_is_no_summary(embed: Embed) -> None:
    about = "The summary below is purposefully very terse, and the reader of the circuits may skip it at first."
    parsed = document(
        heading("Introduction"),
        block(about),
        block(" ".join(CIRCUITS)),
        *chapters(" ".join(CIRCUITS)),
        title="Circuits",
    )
    assert "terse" not in await summary_of(parsed, embed)


async def test_an_english_sample_is_no_summary_of_a_text_in_another_script(embed: Embed) -> None:
    chinese = ["赵爽博士是位老知识分子，研究兴趣是天文历法与算学。", "这一章介绍绘图环境与命令的使用方法。"]
    parsed = document(*map(block, chinese), block(CIRCUITS[0]), *map(block, chinese), title="教程")
    assert (await summary_of(parsed, embed)).startswith("赵爽博士")
