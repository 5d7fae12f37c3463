"""Finds noun phrases, which are the candidate concepts, in the blocks of a document."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from toolsets.concept_rag.generic_words import generic_words
from toolsets.concept_rag.languages import ENGLISH, Languages, languages_of
from toolsets.concept_rag.names import words_of
from toolsets.concept_rag.wordnet import wordnet
from toolsets.concept_rag.words import CONTRACTION, DETERMINERS, FUNCTION_WORDS, word

MAX_WORDS: Final = 4
"""The most words of a phrase; longer terms are rarer than errors of that length."""
_LONGEST_RUN: Final = 8
"""The most words between two breaks that form one phrase; a longer run is a list of keywords."""
_LONGEST_WORD: Final = 40
"""The most letters of a word."""
_WINDOW: Final = 100_000
"""Characters read at a time; real paragraphs are shorter, and a hostile one must not exhaust memory."""
_REMEMBERED: Final = 100_000
"""The cache is emptied at this size; a book has far fewer different words."""
_TOKEN: Final = re.compile(r"[^\W_]\w*(?:[-'’][^\W_]\w*)*(?:\+\+|[+#](?!\w))?|[^\w\s]")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
MOST_PHRASES: Final = 200_000
"""The most phrases counted at a time, about 100 MB; a book of 300 pages has 30,000."""
_MOSTLY: Final = 0.6
"""The least share of its uses as a noun of a word that is a candidate even where it may be a verb."""
_SENTENCE_ENDS: Final = frozenset(".!?:")
_AUXILIARIES: Final = frozenset(
    "is are was were be has have had can could may might must shall should will would do does did".split()
)
_PREPOSITIONS: Final = frozenset(
    "about after and as at before between by for from in into of on or than through to when while with without".split()
)
"""Words before a gerund that has an object, rather than one that begins a term."""
_SINGULAR_DETERMINERS: Final = frozenset(("a", "an", "each", "this"))
_RELATIVES: Final = frozenset(("that", "which", "who"))
_NUMERALS: Final = frozenset(
    """
    eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy
    eighty ninety hundred thousand million billion dozen
    """.split()
)
_USE: Final = "use"
_USES: Final = frozenset((_USE, "uses"))
_CASE: Final = "case"
_FEWEST_WORDS: Final = 8
"""Of fewer words the share of unknown ones says nothing; a heading may be all names."""
_UNFAMILIAR: Final = 0.75
"""A paragraph with a larger share of English words is not examined for its language."""
_WHOLE: Final = 1.0
_AT_AN_END: Final = 0.6
_INSIDE: Final = 0.3
"""The weights of a phrase on its own, at the beginning or end of a longer phrase, and inside one."""


@dataclass(slots=True)
class Phrases:
    """The phrases of a document by their normal form."""

    counts: dict[str, float] = field(default_factory=dict[str, float])
    first: dict[str, int] = field(default_factory=dict[str, int])
    """The number of words before the first occurrence."""
    capitals: Counter[str] = field(default_factory=Counter[str])
    """Occurrences with a capital after the first letter of a word: acronyms and product names."""
    spellings: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    """Counts of each phrase's spellings, outside headings if possible."""
    in_headings: Counter[str] = field(default_factory=Counter[str])
    doubtful: Counter[str] = field(default_factory=Counter[str])
    """Occurrences that may be parts of a sentence rather than a phrase."""
    words: int = 0
    known: int = 0
    """The number of English words among `words`."""
    languages: Languages = ENGLISH

    def drop(self, key: str) -> None:
        """Remove a phrase."""
        for table in (self.counts, self.first, self.capitals, self.spellings, self.in_headings):
            table.pop(key, None)


@dataclass(frozen=True, slots=True)
class _PhraseWord:
    """A word of a text: as written, in normal form, and its possible roles in a phrase."""

    text: str
    key: str
    known: bool
    """Whether it is English."""
    joins: bool = False
    """Whether it may be part of a phrase."""
    noun: bool = False
    adjective: bool = False
    gerund: bool = False
    """Whether it is a gerund that may end a phrase of several words, such as "entity linking"."""
    opener: bool = False
    capital: bool = False
    verb: bool = False
    """Whether it is mainly a verb: before an article, or with an -s between nouns, a verb ends a phrase."""
    third_person: bool = False
    """Whether it may be a verb in -s: "leaves", "stores"."""
    possessive: bool = False
    determiner: bool = False
    singular: bool = False
    """Whether it is a determiner that only a singular follows: "each"."""
    relative: bool = False
    """Whether it may be a relative pronoun as a subject: "which"."""
    preposition: bool = False
    finite: bool = False
    """Whether it is a verb that a subject precedes: "is", "contains"."""
    may_be_verb: bool = False
    """Whether a sentence may have it as its verb, although it is a noun: "stores", "form"."""
    governs: bool = False
    """Whether it is a verb in -ing, before an object unless it begins a term: "reading data", "operating system"."""
    mostly_noun: bool = False


@dataclass(slots=True)
class _WordRun:
    """Words in a row that may form a phrase, and what is before and after them."""

    parts: list[_PhraseWord]
    place: int
    """The number of words before it."""
    opens: bool
    """Whether it begins a sentence, with or without a determiner."""
    before: _PhraseWord | None
    """The word right before it; None after punctuation."""
    after: _PhraseWord | None = None
    relative: bool = False
    """Whether a relative clause begins with it."""


def phrases_of(texts: Iterable[tuple[str, bool]]) -> Phrases:
    """Return the phrases of texts, in order; the flag of each text is whether it is a heading."""
    given = list(texts)
    found = Phrases(languages=languages_of([text for text, _ in given]))
    for text, is_heading in given:
        for start in range(0, len(text), _WINDOW):
            words, known = found.words, found.known
            runs = list(_runs(text[start : start + _WINDOW], found))
            if _is_foreign(text, found.words - words, found.known - known, found):
                continue
            for run in runs:
                _count(run, found, is_heading=is_heading)
            if len(found.counts) > MOST_PHRASES:
                _drop_rare(found)
    _drop_doubtful(found)
    return found


def _is_foreign(text: str, words: int, known: int, found: Phrases) -> bool:
    """Return whether a paragraph of an English text is in another language, so that its phrases are no terms."""
    if found.languages.prevail or words < _FEWEST_WORDS or known > _UNFAMILIAR * words:
        return False
    return languages_of([text]).prevail


def _drop_rare(found: Phrases) -> None:
    """Drop phrases that occurred once; if that is not enough, raise the threshold."""
    floor = _WHOLE
    while len(found.counts) > MOST_PHRASES // 2:
        for key in [key for key, count in found.counts.items() if count <= floor]:
            found.drop(key)
        floor *= 2


def _drop_doubtful(found: Phrases) -> None:
    """Drop phrases that were always read across a verb, unless WordNet has them: "operating system"."""
    for key, times in found.doubtful.items():
        occurrences = found.spellings[key].total() + found.in_headings[key] if key in found.spellings else 0
        if 0 < occurrences <= times and (" " not in key or wordnet().usage(key) is None):
            found.drop(key)


def _runs(text: str, found: Phrases) -> Iterator[_WordRun]:
    """Yield each run of words that may form a phrase."""
    run: _WordRun | None = None
    opens, before, relative = True, None, False
    foreign = found.languages.function_words
    words, known = found.words, found.known
    for token in _TOKEN.findall(text):
        part = _parts[token] if len(token) <= _LONGEST_WORD else None
        if part is not None:
            words += 1
            known += part.known
            # "use" is a verb or a function word, except in "fair use" and "use case".
            joins = part.joins or (part.key == _USE and run is not None and run.parts[-1].adjective)
            if joins and not (foreign and token.casefold() in foreign):
                if run is None:
                    run = _WordRun([], words - 1, opens, before, relative=relative)
                    if part.key == _CASE and before is not None and before.key == _USE:
                        run.parts.append(before)
                run.parts.append(part)
                continue
        relative = part is not None and part.relative and _is_subject(part, run, before)
        if run is not None:
            run.after = part
            yield from _without_verbs(run)
            run, opens = None, False
        opens = token in _SENTENCE_ENDS if part is None else opens and part.determiner
        before = part
    found.words, found.known = words, known
    if run is not None:
        yield from _without_verbs(run)


def _without_verbs(run: _WordRun) -> Iterable[_WordRun]:
    """Return the runs left after splitting at verbs, as in "the ventricle pumps blood" and "the node set the rhythm"."""
    if run.relative and run.parts[0].third_person:
        # "an artery that supplies blood"; a plural rarely begins a term.
        run = _WordRun(run.parts[1:], run.place + 1, opens=False, before=run.parts[0], after=run.after)
    if len(run.parts) <= 1:
        return (run,) if run.parts else ()
    if _ends_with_verb(run):
        run = _WordRun(run.parts[:-1], run.place, run.opens, run.before, run.parts[-1])
    return _split_at_verbs(run) if any(part.verb for part in run.parts) else (run,)


def _ends_with_verb(run: _WordRun) -> bool:
    """Return whether the last word is the only possible verb and cannot be a plural: "a glacier leaves"."""
    *_, subject, last = run.parts
    if not last.third_person or not subject.noun or run.before is None or not run.before.singular:
        return False
    return not any(part.third_person or part.governs or part.possessive for part in run.parts[:-1])


def _is_subject(pronoun: _PhraseWord, run: _WordRun | None, before: _PhraseWord | None) -> bool:
    """Return whether a relative pronoun is a subject in the singular, by the phrase or else the word before it."""
    if run is None:
        return before is None or pronoun.text == "who"
    noun = run.parts[-1]
    return noun.noun and noun.text.lower() == noun.key


def _split_at_verbs(run: _WordRun) -> Iterator[_WordRun]:
    start = 0
    parts, opens, before = run.parts, run.opens, run.before
    before_object = run.after is not None and run.after.determiner
    for number, part in enumerate(parts):
        if not part.verb or number == start or not parts[number - 1].noun:
            continue
        is_last = number == len(parts) - 1
        if before_object if is_last else part.text.endswith("s") and part.key != part.text:
            yield _WordRun(parts[start:number], run.place + start, opens, before, part)
            start, opens, before = number + 1, False, part
    if start < len(parts):
        yield _WordRun(parts[start:], run.place + start, opens, before, run.after)


def _doubts(run: _WordRun, *, is_heading: bool) -> int | None:
    """Return the number of the word that may be the verb of the sentence, as in "glaciers form" and "reading data"."""
    parts, first = run.parts, run.parts[0]
    if first.governs or len(parts) == 1:
        is_determined = run.before is not None and run.before.determiner
        may_govern = is_heading or run.opens or (run.before is not None and run.before.preposition)
        if first.governs and len(parts) > 1 and may_govern and not is_determined:
            return 0
        is_order = run.opens and not is_determined and run.after is not None and run.after.determiner
        if len(parts) == 1:
            is_order = is_order and not is_heading and first.may_be_verb
            return 0 if is_order and first.text.lower() == first.key else None
    if is_heading:
        return None
    for number in range(1, len(parts)):
        if _agree(parts[number - 1], parts[number]):
            if number < len(parts) - 1:
                # A plural is rare inside a term, so "stores" is the verb of "the stone stores heat" anywhere.
                if run.opens or parts[number].text.lower() != parts[number].key:
                    return number
            elif run.opens and not (run.after is not None and run.after.finite):
                return number
    return None


def _agree(subject: _PhraseWord, verb: _PhraseWord) -> bool:
    """Return whether two words are subject and verb by their endings: "glaciers form", "a stone stores"."""
    if not (subject.noun or subject.gerund) or not verb.may_be_verb:
        return False
    is_plural = subject.noun and subject.text.lower() != subject.key
    has_ending = verb.text.lower() != verb.key
    return has_ending != is_plural


class _Parts(dict[str, "_PhraseWord | None"]):
    """A cache of words as parts of phrases; None for other tokens."""

    def __missing__(self, token: str) -> "_PhraseWord | None":
        part = _part(token) if token[0].isalnum() else None
        if len(self) >= _REMEMBERED:
            self.clear()
        self[token] = part
        return part


_parts: Final = _Parts()


def _part(token: str) -> _PhraseWord:
    if CONTRACTION.fullmatch(token):
        return _PhraseWord(token, "", known=True, finite=True)
    text = _POSSESSIVE.sub("", token)
    lower = text.lower()
    found = word(lower)
    if len(lower) < 2 or lower in FUNCTION_WORDS or lower in _NUMERALS or not lower[0].isalpha():
        return _PhraseWord(
            text,
            _USE if lower in _USES else "",
            found.known,
            noun=lower in _USES,
            determiner=lower in DETERMINERS,
            singular=lower in _SINGULAR_DETERMINERS,
            relative=lower in _RELATIVES,
            preposition=lower in _PREPOSITIONS,
            finite=lower in _AUXILIARIES,
        )
    tag = found.tag
    if tag == "other" and "-" in lower:
        tag = word(lower.rpartition("-")[2]).tag
    return _PhraseWord(
        text,
        " ".join(words_of(text)),
        found.known,
        joins=tag != "other",
        noun=tag == "noun",
        adjective=tag == "adjective",
        gerund=tag == "participle" and lower.endswith("ing"),
        opener=lower in generic_words().openers,
        capital=text[1:] != text[1:].lower(),
        verb=found.verb and text == lower,
        third_person=found.may_be_verb and text == lower and _is_third_person(lower),
        possessive=text != token,
        finite=tag == "other" and found.may_be_verb,
        may_be_verb=found.may_be_verb,
        governs=found.may_be_verb and lower.endswith("ing"),
        mostly_noun=found.noun_share >= _MOSTLY,
    )


def _is_third_person(text: str) -> bool:
    """Return whether a word is a verb in -s or its noun's plural, but no noun by itself, as "means" is."""
    own = wordnet().usage(text)
    return text.endswith("s") and words_of(text) != [text] and (own is None or "n" not in own.parts)


def _count(run: _WordRun, found: Phrases, *, is_heading: bool) -> None:
    doubt = _doubts(run, is_heading=is_heading)
    parts, place = run.parts, run.place
    while parts and not (parts[-1].noun or (parts[-1].gerund and len(parts) > 1)):
        parts = parts[:-1]
    skipped = 0
    while skipped < len(parts) and parts[skipped].opener:
        skipped += 1
    parts = parts[skipped:]
    if not parts or len(parts) > _LONGEST_RUN:
        return
    for start, opening in enumerate(parts):
        if opening.opener:
            continue
        for end in range(start + 1, min(start + MAX_WORDS, len(parts)) + 1):
            if parts[end - 1].noun or (parts[end - 1].gerund and end - start > 1 and end == len(parts)):
                is_edge = start == 0 or end == len(parts)
                share = _WHOLE if end - start == len(parts) else _AT_AN_END if is_edge else _INSIDE
                key = _add(parts[start:end], place + skipped + start, share, found, is_heading=is_heading)
                if doubt is not None and start <= doubt - skipped < end:
                    found.doubtful[key] += end - start > 1 or not opening.mostly_noun


def _add(parts: list[_PhraseWord], place: int, share: float, found: Phrases, *, is_heading: bool) -> str:
    """Count a phrase and return its key."""
    if len(parts) == 1:
        key, spelled, capital = parts[0].key, parts[0].text, parts[0].capital
    else:
        key, spelled = " ".join([part.key for part in parts]), " ".join([part.text for part in parts])
        capital = any(part.capital for part in parts)
    if key in found.counts:
        found.counts[key] += share
    else:
        found.counts[key] = share
        found.first[key] = place
        found.spellings[key] = Counter()
    if is_heading:
        found.in_headings[key] += 1
        return key
    found.spellings[key][spelled] += 1
    if capital:
        found.capitals[key] += 1
    return key
