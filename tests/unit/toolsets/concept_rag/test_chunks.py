"""Chunks are verbatim, whole, of the right size and within their section."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.parsed_documents import CIRCUITS, LEDGERS, block, document, heading
from toolsets.concept_rag.chunks import MAX_TOKENS, Chunk, chunks_of, document_text
from toolsets.concept_rag.ingestion.document import Block, BlockKind, ParsedDocument
from toolsets.concept_rag.sections import section_kinds
from toolsets.concept_rag.tokens import estimate_tokens

LONG = " ".join(CIRCUITS * 12)


def cut(parsed: ParsedDocument) -> tuple[Chunk, ...]:
    return chunks_of(parsed, section_kinds(parsed.blocks))


def test_the_text_joins_blocks_with_an_empty_line_and_lists_with_a_line_feed() -> None:
    parsed = document(
        heading("Parts"), block("Two of them:"), block("coil", "list_item"), block("fuse", "list_item"),
        block("x = 1", "code"), block("y = 2", "code"), block("End."),
    )  # fmt: skip
    assert document_text(parsed) == "Parts\n\nTwo of them:\n\ncoil\nfuse\n\nx = 1\ny = 2\n\nEnd."


def test_chunks_of_prose_are_full_and_end_with_sentences() -> None:
    chunks = cut(document(block(LONG)))
    assert all(chunk.text.endswith(".") for chunk in chunks)
    assert all(180 <= chunk.tokens <= MAX_TOKENS for chunk in chunks[:-1])


def test_a_chunk_knows_its_place() -> None:
    first, second = cut(
        document(
            heading("Electronics"), heading("Parts", 2), block(" ".join(CIRCUITS[:4]), page=3),
            heading("Money", 2, page=4), block(LEDGERS[0], page=4), block(LEDGERS[1], page=5),
        )
    )  # fmt: skip
    assert (first.page, first.last_page, first.headings) == (1, 3, ("Electronics", "Parts"))
    assert (second.page, second.last_page, second.headings) == (4, 5, ("Electronics", "Money"))
    assert second.text.startswith("Money\n\nDouble-entry")


def test_a_heading_stands_with_what_follows_it() -> None:
    filler = " ".join([*CIRCUITS, CIRCUITS[0]])
    chunks = cut(document(block(filler), heading("A"), heading("B", 2), heading("C", 3), block(LEDGERS[0])))
    assert [chunk.text.splitlines()[0] for chunk in chunks][-1] == "A"
    assert chunks[-1].headings == ("A", "B", "C")


def test_a_heading_stands_with_the_first_words_of_a_text_that_is_too_long_for_both() -> None:
    sentence = " ".join(CIRCUITS * 4).replace(".", ",")[:1_135] + "."
    assert MAX_TOKENS - 12 < estimate_tokens(sentence) <= MAX_TOKENS
    chunks = cut(
        document(heading("A rather long heading of a section with more than a dozen of tokens"), block(sentence))
    )
    assert len(chunks) == 2
    assert all("circuit" in chunk.text for chunk in chunks)


def test_headings_without_text_are_no_passages() -> None:
    parsed = document(
        heading("Money"), block(LEDGERS[0]), heading("Colophon", page=2), heading("Index of names", 3, page=2)
    )
    assert (cut(parsed)[0].text.partition("\n")[0], cut(parsed)[0].kind) == ("Money", "body")
    assert all(chunk.kind != "body" for chunk in cut(parsed)[1:])
    assert [chunk.kind for chunk in cut(document(heading("Money"), heading("Ledgers", 2)))] == ["body"]


def test_tiny_subsections_are_joined_and_chapters_never() -> None:
    tiny = [each for name in ("on", "off", "set") for each in (heading(name, 3), block(f"Turns it {name}."))]
    joined = cut(document(heading("Commands", 2), *tiny))
    assert len(joined) == 1
    chapters = [each for name in ("on", "off", "set") for each in (heading(name, 1), block(f"Turns it {name}."))]
    assert len(cut(document(*chapters))) == 3


def test_section_kinds_are_never_mixed() -> None:
    citations = [block(f"[{n}] A. Author. On circuits. Journal of Things, 12(3):45-67, 199{n}.") for n in range(8)]
    parsed = document(block(LONG), heading("References"), *citations)
    chunks = cut(parsed)
    assert {chunk.kind for chunk in chunks} == {"body", "references"}
    assert all(("Journal" in chunk.text) == (chunk.kind == "references") for chunk in chunks)


def test_short_pages_are_chunks_of_their_own_and_cited_by_their_number() -> None:
    """Slides: each page is enough to be found by; a page with one line goes with the next."""
    slides = [Block("paragraph", " ".join(CIRCUITS[:3]), page) for page in (1, 2, 3)]
    parsed = document(*slides, Block("paragraph", "Questions?", 4), Block("paragraph", " ".join(CIRCUITS[:3]), 5))
    assert [(chunk.page, chunk.last_page) for chunk in cut(parsed)] == [(1, 1), (2, 2), (3, 3), (4, 5)]


def test_full_pages_flow_into_one_another() -> None:
    """A page of a book is longer than a chunk, so its end does not cut the text; nor does a heading that ends a page."""
    pages = [Block("paragraph", " ".join(CIRCUITS * 4), page) for page in (1, 2, 3)]
    chunks = cut(document(*pages))
    assert any(chunk.page < chunk.last_page for chunk in chunks)
    parted = cut(
        document(Block("paragraph", CIRCUITS[0], 1), Block("heading", "Next", 1, 3), Block("paragraph", "It is.", 2))
    )
    assert all(not chunk.text.endswith("Next") for chunk in parted)


def test_code_is_cut_between_lines() -> None:
    code = "\n".join(f"    total[{n}] = compute(n={n}, scale=0.5)" for n in range(200))
    chunks = cut(document(block(code, "code")))
    assert len(chunks) > 5
    assert all(chunk.text.endswith(")") and chunk.text.startswith("total[") for chunk in chunks)


def test_another_counter_is_used_throughout() -> None:
    parsed = document(block(LONG))
    chunks = chunks_of(parsed, section_kinds(parsed.blocks), len)
    assert max(len(chunk.text) for chunk in chunks) <= MAX_TOKENS
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(LONG.split())


KINDS: st.SearchStrategy[BlockKind] = st.sampled_from(get_args(BlockKind))
TEXTS = st.text(alphabet="ab .,!?\n\tÄ漢1([{•\u200b", min_size=1, max_size=3_000).map(str.strip).filter(bool)


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    kind = draw(KINDS)
    return Block(kind, draw(TEXTS), draw(st.integers(1, 9)), draw(st.integers(1, 6)) if kind == "heading" else 0)


@settings(max_examples=40)
@given(st.lists(blocks(), max_size=12))
def test_chunks_are_verbatim_whole_and_within_the_limit(parts: list[Block]) -> None:
    parsed = document(*parts)
    text = document_text(parsed)
    chunks = cut(parsed)
    assert all(chunk.text == text[chunk.start : chunk.end] and chunk.text.strip() for chunk in chunks)
    assert all(chunk.tokens <= MAX_TOKENS for chunk in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)


@pytest.mark.parametrize(
    "parsed",
    [
        document(block("no end " * 30_000)),
        document(block("\n".join("x" for _ in range(40_000)), "code")),
        document(*[block("x")] * 10_000),
        document(*[heading("\u200b", 6)] * 10_000),
        document(block("z" * 200_000)),
    ],
    ids=["no sentence end", "short lines", "short blocks", "empty headings", "one word"],
)
def test_hostile_documents_are_cut_in_linear_time(parsed: ParsedDocument) -> None:
    """A quadratic step would take minutes here."""
    chunks = cut(parsed)
    assert sum(len("".join(chunk.text.split())) for chunk in chunks) == len("".join(document_text(parsed).split()))
    assert max(estimate_tokens(chunk.text) for chunk in chunks) <= MAX_TOKENS


def test_nothing_gives_no_chunks() -> None:
    assert cut(document()) == ()
