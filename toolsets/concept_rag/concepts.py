"""Finds the concepts of a document: noun phrases ranked by C-value, position and similarity to the whole document."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from toolsets.concept_rag.generic_words import generic_words
from toolsets.concept_rag.ingestion.document import ParsedDocument
from toolsets.concept_rag.languages import any_function_word, foreign_function_words
from toolsets.concept_rag.licences import is_notice
from toolsets.concept_rag.phrases import Phrases, phrases_of
from toolsets.concept_rag.sections import SectionKind
from toolsets.concept_rag.source_code import reads_as_code, variables
from toolsets.concept_rag.wordnet import wordnet
from toolsets.concept_rag.words import FUNCTION_WORDS, word

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Embed: TypeAlias = "Callable[[Sequence[str]], Awaitable[NDArray[numpy.float32]]]"
"""The embedder port's `embed`: returns a row of unit norm per text, in order."""

MAX_PRIMARY: Final = 20
"""The concepts that describe a document; further ones say less and less about it."""
MAX_RELATED: Final = 60
"""Further concepts by which a document is found: with more, lists of concepts have more that it only mentions."""
_WORDS_PER_PRIMARY: Final = 50
_WORDS_PER_RELATED: Final = 100
"""Short texts have fewer concepts: an abstract of 150 words has six primary ones."""
_SHORTLIST: Final = 24
"""The least number of candidates compared with the document's vector, as measured on abstracts."""
_HEADING_WEIGHT: Final = 1.0
_CAPITAL_WEIGHT: Final = 0.5
_NAME_WEIGHT: Final = 1.0
"""For a name of several words, such as "Creative Commons", which may begin late in a book."""
_FREQUENT: Final = 10
"""The least occurrences of such a name: fewer are of people who are thanked or cited."""
_COMMONNESS_WEIGHT: Final = 0.2
_MEANING_SHARE: Final = 0.3
"""Weights of the ranking, chosen on 263 abstracts with 422 tags that occur in them: recall@5 .50, recall@10 .59."""
_ENGLISH: Final = 0.6
"""A text with a smaller share of WordNet words is not treated as English; English manuals have over .75."""
_LOAN: Final = 5
"""The least letters of a single English word in a text of another language."""
_OFTEN: Final = 3
"""Fewer uses of a spelling may be an accident."""
_NEARLY_ALL: Final = 0.8
"""The least share of capitalised uses of a name; with less, words that often begin headings would be names."""
_NUMBERED: Final = re.compile(r"(?:fig|figure|table|section|chapter|equation|appendix|listing|example|step|page)\d+")
"""A reference without its space, as in some PDF files: "figure2.7"."""
_BETWEEN_CELLS: Final = " | "
_CELL_WORDS: Final = 8
"""A cell of a table with more words, and a function word, is prose."""
_NOT_ENGLISH: Final = "The text does not look English; its concepts are its English terms and acronyms."

_NO_TERMS: Final = "The text has no terms that could be its concepts."


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of a document."""

    name: str
    """The document's most frequent spelling, in the singular."""
    key: str
    """The normal form, equal for the same concept in all documents."""
    score: float
    """0 to 1; the most salient term would score 1 if its vector equalled the document's."""


@dataclass(frozen=True, slots=True)
class DocumentConcepts:
    """The concepts of a document, best first."""

    primary: tuple[Concept, ...]
    related: tuple[Concept, ...]
    note: str = ""
    """A sentence for the report if the concepts are limited, else ""."""

    @property
    def all(self) -> tuple[Concept, ...]:
        """Primary concepts, then related ones."""
        return self.primary + self.related


def document_phrases(document: ParsedDocument, kinds: Sequence[SectionKind]) -> Phrases:
    """Return the noun phrases of a document's title, headings and prose.

    Code, tables, labels of drawings, notices of copyright, and text outside the body are left out, but not the cells of tables
    that are prose. So are the variables of the code.
    """
    blocks = document.blocks
    code = {place for place, block in enumerate(blocks) if block.kind == "code" or reads_as_code(block.text)}
    found = phrases_of(_texts(document, kinds, code))
    lower = {key: spelled[key] for key, spelled in found.spellings.items() if spelled[key] * 2 > spelled.total()}
    for key in variables((blocks[place].text for place in sorted(code)), lower):
        found.drop(key)
    return found


def _texts(document: ParsedDocument, kinds: Sequence[SectionKind], code: Collection[int]) -> Iterator[tuple[str, bool]]:
    """Yield the texts with terms, and whether each is a title or heading; `code` has the places of blocks that are code."""
    if document.title:
        yield document.title, True
    for place, (block, kind) in enumerate(zip(document.blocks, kinds, strict=True)):
        if kind != "body" or block.kind in {"code", "labels"} or is_notice(block.text):
            continue
        if block.kind in {"paragraph", "list_item"} and place in code:
            continue
        if block.kind != "table":
            yield block.text, block.kind == "heading"
            continue
        for cell in block.text.split(_BETWEEN_CELLS):
            words = cell.casefold().split()
            if len(words) > _CELL_WORDS and any(each.strip(".,;:()") in FUNCTION_WORDS for each in words):
                yield cell, False


@dataclass(frozen=True, slots=True)
class Candidates:
    """The phrases of a document that may be its concepts, most salient first."""

    keys: Sequence[str]
    names: Sequence[str]
    shares: Sequence[float]
    """How salient each is, 0 to 1."""
    primary: int
    """The most primary concepts of the document."""
    related: int
    note: str
    """As in `DocumentConcepts`."""


def candidates_of(phrases: Phrases) -> Candidates:
    """Return the most salient of a document's phrases, at most 80."""
    scores = _salience(phrases)
    primary, related = _primary_count(phrases), _related_count(phrases)
    keys = sorted(scores, key=lambda key: (-scores[key], key))[: max(_SHORTLIST, primary + related)]
    note = _NOT_ENGLISH if not _is_english(phrases) else "" if keys else _NO_TERMS
    shares = _shares([scores[key] for key in keys]) if keys else []
    return Candidates(keys, [_display_name(key, phrases) for key in keys], shares, primary, related, note)


async def find_concepts(found: Candidates, meaning: "NDArray[numpy.float32]", embed: Embed) -> DocumentConcepts:
    """Return the concepts among a document's candidates, ranked.

    `meaning` is the document's embedding, of any norm: the vector of a short text, or the mean of the vectors of a
    long text's chunks. Calls `embed` once, with at most 80 short texts.
    """
    if not found.keys:
        return DocumentConcepts((), (), found.note)
    closeness = _cosines(await embed(found.names), meaning)
    concepts = [
        Concept(name, key, min(1.0, (1 - _MEANING_SHARE) * share + _MEANING_SHARE * max(0.0, cosine)))
        for name, key, share, cosine in zip(found.names, found.keys, found.shares, closeness, strict=True)
    ]
    concepts.sort(key=lambda concept: (-concept.score, concept.key))
    first, last = found.primary, found.primary + found.related
    return DocumentConcepts(tuple(concepts[:first]), tuple(concepts[first:last]), found.note)


def preferring(found: DocumentConcepts, named: Sequence[Concept], phrases: Phrases) -> DocumentConcepts:
    """Return a document's concepts with the given ones as the primary concepts, in the document's spelling.

    A named concept scores at least as much as the lowest former primary concept. Equal scores keep their order.
    """
    scores = {concept.key: concept.score for concept in found.all}
    least = min((concept.score for concept in found.primary), default=0.0)
    primary = [
        Concept(
            _display_name(each.key, phrases) if each.key in phrases.spellings else each.name,
            each.key,
            max(least, scores.get(each.key, 0.0)),
        )
        for each in named
    ]
    chosen = {each.key for each in named}
    related = [each for each in found.all if each.key not in chosen]
    return DocumentConcepts(
        tuple(sorted(primary, key=lambda concept: -concept.score)), tuple(related[: _related_count(phrases)])
    )


def _primary_count(phrases: Phrases) -> int:
    return min(MAX_PRIMARY, 3 + phrases.words // _WORDS_PER_PRIMARY)


def _related_count(phrases: Phrases) -> int:
    return min(MAX_RELATED, 3 + phrases.words // _WORDS_PER_RELATED)


def _cosines(rows: "NDArray[numpy.float32]", meaning: "NDArray[numpy.float32]") -> list[float]:
    length = math.sqrt(float(meaning @ meaning))
    return [float(row @ meaning) / length if length else 0.0 for row in rows]


def _shares(scores: Sequence[float]) -> list[float]:
    """Return the logarithms of descending scores, scaled to 0..1."""
    logarithms = [math.log(score) for score in scores]
    span = logarithms[0] - logarithms[-1]
    return [(each - logarithms[-1]) / span if span else 1.0 for each in logarithms]


def _is_english(phrases: Phrases) -> bool:
    return phrases.known >= _ENGLISH * phrases.words and not phrases.languages.prevail


def _salience(phrases: Phrases) -> dict[str, float]:
    """Return the score, above 0, of each phrase that may be a concept."""
    generic = generic_words().nouns
    foreign = foreign_function_words(phrases.counts.keys())
    is_english = _is_english(phrases)
    floor = 0.0 if phrases.words < 1_000 else 1.0 if phrases.words < 20_000 else 2.0
    scores: dict[str, float] = {}
    for key, value in _c_values(phrases.counts, floor).items():
        parts = key.split()
        if len(key) < 2 or value <= 0 or not foreign.isdisjoint(parts):
            continue
        is_generic = all(part in generic for part in parts)
        if is_generic and not _is_term(key, parts, phrases):
            continue
        occurrences = phrases.spellings[key].total()
        if occurrences + phrases.in_headings[key] < 2 and _is_vague(key, parts):
            continue
        if (
            any(map(_NUMBERED.fullmatch, parts))
            or len(set(parts)) < len(parts)
            or _has_foreign_function_word(key, parts, phrases)
        ):
            continue
        is_name = phrases.capitals[key] * 2 > occurrences
        if not is_name and _is_fragment(parts):
            continue
        if not is_english and not _is_said_elsewhere(key, parts, phrases, is_name=is_name):
            continue
        score = value / (1 + math.log1p(phrases.first[key]))
        score *= 1 + _CAPITAL_WEIGHT * is_name
        if occurrences >= _FREQUENT and len(parts) > 1 and not is_name and _is_capitalised(phrases.spellings[key]):
            score *= 1 + _NAME_WEIGHT
        score *= 1 + _HEADING_WEIGHT * (phrases.in_headings[key] > 0)
        scores[key] = score / (1 + _COMMONNESS_WEIGHT * word(key).frequency) if len(parts) == 1 else score
    return scores


def _is_term(key: str, parts: Sequence[str], phrases: Phrases) -> bool:
    """Return whether several generic words are a term, such as "time series": one of WordNet, or one that recurs."""
    if len(parts) == 1:
        return False
    occurrences = phrases.spellings[key].total() + phrases.in_headings[key]
    return occurrences > 1 or wordnet().usage(key) is not None


def _is_said_elsewhere(key: str, parts: Sequence[str], phrases: Phrases, *, is_name: bool) -> bool:
    """Return whether a phrase of a text in another language is a name or English, so that other texts may have it.

    Capitals inside words are no sign of a name if other words of the phrase are in lower case, as in "LaTeX erzeugt".
    """
    spellings = phrases.spellings[key]
    if not key.isascii():
        return False
    if is_name and len(parts) == 1:
        return spellings.total() >= _OFTEN or any(spelled[0].isupper() for spelled in spellings)
    if is_name and any(all(each[0].isupper() or word(each).known for each in spelled.split()) for spelled in spellings):
        return True
    return _is_loan(key, spellings)


def _is_loan(key: str, spellings: Counter[str]) -> bool:
    """Return whether a phrase of a text in another language is English.

    Short words coincide by chance ("pain", "rust"), and so do irregular plurals: the Italian "termini" is no "terminus".
    """
    parts = key.split()
    if not all(word(part).known for part in parts):
        return False
    if spellings and not any(_is_regular(spelled, parts[-1]) for spelled in spellings):
        return False
    return len(parts) > 1 or (len(key) >= _LOAN and spellings.total() > 1)


def _is_regular(spelled: str, base: str) -> bool:
    """Return whether the last word of a spelling is a base or its regular plural: "library" and "libraries"."""
    return spelled.rpartition(" ")[2].rpartition("-")[2].casefold().startswith((base, base.removesuffix("y") + "ie"))


def _has_foreign_function_word(key: str, parts: Sequence[str], phrases: Phrases) -> bool:
    """Return whether a phrase in lower case has a function word of another language that is no English noun, such as "mit"."""
    foreign = any_function_word()
    if not any(part in foreign and word(part).frequency == 0 for part in parts):
        return False
    return all(spelled.islower() for spelled in phrases.spellings[key])


def _is_vague(key: str, parts: Sequence[str]) -> bool:
    """Return whether a phrase is an adjective and words that name nothing by themselves: "deep text", but "regular file"."""
    generic = generic_words().nouns
    if not all(part in generic or word(part).tag == "adjective" for part in parts):
        return False
    return len(parts) > 1 and wordnet().usage(key) is None


def _is_fragment(parts: Sequence[str]) -> bool:
    """Return whether a phrase is a remnant, such as "ll" of "we'll", "t 1" or "len-1"; phrases with capitals are not."""
    return all(len(part) < 3 or part.isdigit() or (len(parts) > 1 and not word(part).known) for part in parts) and any(
        len(part) < 3 for part in parts
    )


def _c_values(counts: dict[str, float], floor: float) -> dict[str, float]:
    """Return the C-value of each phrase with a count above `floor`: its count on its own, times the log of its length."""
    kept = {key: count for key, count in counts.items() if count > floor}
    around: defaultdict[str, list[float]] = defaultdict(list)
    for key, count in kept.items():
        parts = key.split()
        inner = {
            " ".join(parts[start:end]) for start in range(len(parts)) for end in range(start + 1, len(parts) + 1)
        } - {key}
        for each in inner & kept.keys():
            around[each].append(count)
    return {
        key: math.log2(key.count(" ") + 2) * (count - 0.5 * sum(around[key]) / max(1, len(around[key])))
        for key, count in kept.items()
    }


def _is_proper(spelled: str, base: str, spellings: Counter[str]) -> bool:
    """Return whether a plural is a name such as "Maxima" or "United States": capitalised, and never in the singular.

    A single word with the ending of a plural may be a common noun at the beginning of sentences.
    """
    head, space, last = spelled.rpartition(" ")
    often = spellings[spelled] >= _OFTEN and spellings[spelled] * 2 > spellings.total()
    if not often or not last[0].isupper() or head + space + base.capitalize() in spellings:
        return False
    return not last.casefold().startswith(base) or (bool(head) and _is_capitalised(spellings))


def _is_capitalised(spellings: Counter[str]) -> bool:
    """Return whether nearly all occurrences of a phrase have a capital in each word, as names have."""
    capitalised = sum(
        times for spelled, times in spellings.items() if all(each[0].isupper() for each in spelled.split())
    )
    return capitalised > _NEARLY_ALL * spellings.total()


def _display_name(key: str, phrases: Phrases) -> str:
    """Return the most frequent spelling, its last word in the singular; the normal form for phrases only in headings."""
    spellings = phrases.spellings[key]
    if not spellings:
        return key
    spelled = min(spellings, key=lambda each: (-spellings[each], each.casefold(), each))
    head, space, last = spelled.rpartition(" ")
    base = key.rpartition(" ")[2]
    if last[:-1].isupper() and last.endswith("s"):
        return head + space + last[:-1]
    if _is_proper(spelled, base, spellings):
        return spelled
    # An unknown word may only look like a plural: it is kept unless the text also has its singular.
    has_singular = any(each.casefold().endswith(base) for each in spellings)
    if last.casefold() == base or "-" in last or not (has_singular or word(last.casefold()).known):
        return spelled
    if last.casefold().startswith(base):
        return head + space + last[: len(base)]
    return head + space + (base.capitalize() if last[0].isupper() else base)
