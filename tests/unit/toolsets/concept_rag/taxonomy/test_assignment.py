"""Documents get the categories they are about, the narrowest ones, and General where none fits."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

from backends.ports.vectors import text_hash
from backends.registry import load_adapter
from tests.support.parsed_documents import block, document, heading
from toolsets.concept_rag.concepts import Concept, Embed, candidates_of, document_phrases, find_concepts
from toolsets.concept_rag.names import normal_form
from toolsets.concept_rag.pipeline.scratch import vectors_in
from toolsets.concept_rag.sections import section_kinds
from toolsets.concept_rag.taxonomy.assignment import (
    CategoryAssignment,
    category_text,
    document_meaning,
    embed_categories,
    shipped_vectors,
    telling_terms,
)
from toolsets.concept_rag.taxonomy.model import load_taxonomy

if TYPE_CHECKING:
    from numpy.typing import NDArray

TAXONOMY = load_taxonomy()


@pytest.fixture(scope="module")
async def assignment(embed: Embed) -> CategoryAssignment:
    return CategoryAssignment(TAXONOMY, await embed_categories(TAXONOMY, embed))


def concepts(names: str) -> list[Concept]:
    return [Concept(name, normal_form(name), 0.5) for name in names.split("; ")]


@pytest.mark.parametrize(
    ("title", "summary", "terms", "category"),
    [
        ("Deep Networks", "How neural networks of many layers are trained.", "neural network; gradient", "Deep Learning"),
        ("The Bread Book", "Baking bread at home, with recipes for sourdough and rolls.", "dough; oven; recipe", "Cooking"),
        ("Ledgers", "Double-entry bookkeeping for small companies.", "balance sheet; debit; credit", "Accounting"),
        ("A History of Rome", "From the kings to the fall of the western empire.", "roman empire; senate", "Ancient History"),
        ("Amplifiers", "Circuits with transistors and operational amplifiers.", "transistor; amplifier; circuit", "Electronics"),
        ("Yeast", "A fungus of one cell that buds under the microscope.", "yeast; microscope; fermentation", "Biology"),
        ("Courts and Crimes", "How criminal trials are conducted and sentences found.", "trial; sentence; crime", "Criminal Law"),
        ("Mixed Models", "Fitting models with random effects in S.", "random effect; mixed model", "Statistics"),
        ("Trees", "Inferring phylogenies from molecules by distances.", "phylogeny; branch length; molecule", "Bioinformatics"),
        ("Into the Deep", "Fight with orcs and find the amulet.", "dungeon; monster; hit point", "Games"),
        ("The PNG Library", "Reading and writing rows of images.", "pixel; png; raster image", "Computer Graphics"),
        ("Window Functions", "Aggregates over a window of rows.", "window function; clause; partition", "Databases"),
        ("Users on systemd Systems", "Which UIDs and GIDs are in use.", "UID; systemd; GID", "System Administration"),
        ("Preemptive Extraction", "Relations are found.", "information extraction; entity", "Natural Language Processing"),
        ("The fontspec Package", "Font selection for LaTeX.", "font; OpenType; ligature", "Typesetting"),
        ("Limma", "Linear models for microarray data.", "microarray; gene expression", "Bioinformatics"),
        ("Curves", "Weierstrass models, isogenies and rational points.", "elliptic curve; isogeny", "Number Theory"),
    ],
)  # fmt: skip
async def test_the_first_category_is_what_the_document_is_about(
    title: str, summary: str, terms: str, category: str, assignment: CategoryAssignment, embed: Embed
) -> None:
    meaning = (await embed([document_meaning(title, summary, concepts(terms))]))[0]
    found = assignment.assign(meaning, concepts(terms))
    assert found[0].name == category
    assert len(found) <= 3


async def test_a_category_above_a_chosen_one_is_left_out(assignment: CategoryAssignment, embed: Embed) -> None:
    terms = concepts("machine learning; neural network; deep learning; classifier")
    found = assignment.assign((await embed(["Machine learning with deep neural networks"]))[0], terms)
    names = {category.name for category in found}
    assert "Deep Learning" in names
    assert not names & {"Machine Learning", "Artificial Intelligence", "Computing"}


async def test_what_fits_nothing_is_general(assignment: CategoryAssignment, embed: Embed) -> None:
    found = assignment.assign((await embed(["xqzt vvk 0x3f"]))[0] * 0, [])
    assert [category.name for category in found] == ["General"]


def test_keywords_decide_between_categories_that_are_equally_near() -> None:
    rows: NDArray[numpy.float32] = numpy.zeros((len(TAXONOMY.categories), 2), dtype=numpy.float32)
    rows[:, 0] = [category.name in {"Gardening", "Woodworking"} for category in TAXONOMY.categories]
    tied = CategoryAssignment(TAXONOMY, rows)
    meaning = numpy.array([0.3, 0], dtype=numpy.float32)
    assert [category.name for category in tied.assign(meaning, [])] == ["General"]
    assert [category.name for category in tied.assign(meaning, [], ["garden"])] == ["General"]
    assert [category.name for category in tied.assign(meaning, [], ["garden", "soil"])] == ["Gardening"]
    assert [category.name for category in tied.assign(meaning, concepts("garden; wood; saw"))] == [
        "Woodworking",
        "Gardening",
    ]
    assert [category.name for category in tied.assign(meaning, concepts("wood; saw; furniture; Joints"))] == [
        "Woodworking"
    ]


def test_a_word_that_ends_a_better_concept_is_no_evidence(assignment: CategoryAssignment) -> None:
    rows: NDArray[numpy.float32] = numpy.zeros((len(TAXONOMY.categories), 2), dtype=numpy.float32)
    rows[:, 0] = [category.name == "Strategy" for category in TAXONOMY.categories]
    only = CategoryAssignment(TAXONOMY, rows)
    meaning = numpy.array([0.4, 0], dtype=numpy.float32)
    backup = [Concept("backup strategy", "backup strategy", 0.9), Concept("strategy", "strategy", 0.6)]
    assert [category.name for category in only.assign(meaning, backup, ["strategy"])] == ["General"]
    assert [category.name for category in only.assign(meaning, backup[1:])] == ["Strategy"]
    office = [Concept("backup", "backup", 0.9), Concept("strategy", "strategy", 0.3), Concept("tape", "tape", 0.2)]
    assert [category.name for category in only.assign(meaning * 0.7, office)] == ["General"]


def test_a_summary_in_another_script_is_left_out_if_there_are_concepts() -> None:
    names = concepts("live system; live-build; bootloader; ISO; persistence")
    assert "マニュアル" not in document_meaning("Live", "このマニュアルはライブシステムについて述べます。", names)
    assert "マニュアル" in document_meaning("Live", "このマニュアルはライブシステムについて述べます。", names[:1])
    assert "manual" in document_meaning("Live", "This manual describes live systems.", names)


SHORT = {
    "Backups": (
        "Backups run each night. A strategy for backups has three copies. The copies are kept on two kinds of media. "
        "Restoring needs practice: restore a file each month. Tapes age. The office keeps the tapes in a safe.",
        ["System Administration"],
    ),
    "Understanding Mortgages": (
        "A mortgage is a loan secured by a house. The borrower pays interest and principal each month "
        "over thirty years. A fixed rate stays the same, an adjustable rate follows an index. The lender "
        "may foreclose on the home when payments stop. Amortization tables show how the balance falls.",
        ["Personal Finance"],
    ),
    "The Human Heart": (
        "The heart has four chambers. The left ventricle pumps blood into the aorta. The sinus node sets "
        "the rhythm, and valves keep blood from flowing back. Coronary arteries feed the muscle. The "
        "pulse is felt at the wrist.",
        ["Anatomy and Physiology"],
    ),
    "Relays": (
        "A relay is a switch that a small current operates. A coil pulls the armature and closes the "
        "contacts. It keeps two circuits apart. Contacts bounce for some milliseconds. A diode across "
        "the coil absorbs the voltage spike.",
        ["Electronics"],
    ),
    "Yeast": (
        "Yeast ferments sugar into carbon dioxide and alcohol. Bakers use it to raise dough. The dough "
        "is kneaded and left to rise. Sourdough contains wild yeast and bacteria. Salt slows the "
        "fermentation.",
        ["Cooking"],
    ),
    "bzip2": (
        "bzip2 compresses files using the Burrows-Wheeler block sorting text compression algorithm, and "
        "Huffman coding. Compression is generally better than that of LZ77 compressors. The command-line "
        "options are similar to those of gzip. Each file is replaced by a compressed version with the "
        "name original_name.bz2.",
        ["Algorithms and Data Structures"],
    ),
    "Congestion control": (
        "TCP doubles its congestion window each round trip in slow start. When a packet is lost the "
        "sender halves the window. Routers drop packets when queues are full. Acknowledgments clock the "
        "sender.",
        ["Computer Networks"],
    ),
    "Windmills": (
        "A windmill turns wind into work. The windmill needs oil for its bearings. The sails are set by "
        "hand and the cap turns into the wind. The millstones grind grain into flour.",
        ["Energy"],
    ),
}


@pytest.mark.parametrize("title", SHORT)
async def test_a_short_text_gets_no_category_of_which_it_has_no_word(
    title: str, assignment: CategoryAssignment, embed: Embed
) -> None:
    text, expected = SHORT[title]
    parsed = document(heading(title), block(text), title=title)
    phrases = document_phrases(parsed, section_kinds(parsed.blocks))
    found = await find_concepts(candidates_of(phrases), (await embed([text]))[0], embed)
    meaning = (await embed([document_meaning(title, text[:300], found.primary)]))[0]
    categories = assignment.assign(meaning, found.primary, telling_terms(phrases))
    assert [category.name for category in categories] == expected


async def test_the_shipped_vectors_are_those_of_the_shipped_categories_and_model() -> None:
    """A stale file would be passed over, and each new data directory would wait for the categories again."""
    embedder = await (await load_adapter("minilm").open({}, Path())).embedder()
    shipped = vectors_in(shipped_vectors(embedder.identity), embedder.identity.dim)
    texts = list(map(category_text, TAXONOMY.categories))
    assert shipped.keys() == set(map(text_hash, texts))
    some = texts[::40]
    for text, row in zip(some, await embedder.embed(some), strict=True):
        # Other processors round the products of 8-bit numbers otherwise.
        assert float(row @ shipped[text_hash(text)]) > 0.98
