"""Finds the stretches of a sentence that are written like names."""

import re
from collections.abc import Iterator

from toolsets.agent_graph.extraction.context import predicate_type
from toolsets.agent_graph.extraction.patterns import VERBS
from toolsets.agent_graph.extraction.sentence import Sentence, is_acronym, is_shaped
from toolsets.agent_graph.extraction.words import (
    BEING,
    FUNCTION_WORDS,
    HONORIFICS,
    LIVES,
    NEVER_NAMES,
    ORGANISATION_HEADS,
    PERSONAL_PAST,
    SPEAKS,
)

GENERATIONS = frozenset("Jr Sr".split())
"""Said behind the name of a person."""
_JOINERS = frozenset("of de von van der den di da la le du del ten for the".split())
MAX_WORDS = 8


def runs(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of each stretch of capitalised words, in order; what is owned already is passed over."""
    place = 0
    while place < len(sentence):
        if not sentence.free(place) or not _begins(sentence, place):
            place += 1
            continue
        last = _end(sentence, place)
        yield place, last
        place = last


def _is_name_word(sentence: Sentence, place: int) -> bool:
    if not sentence.free(place) or not sentence.tokens[place].word or not sentence.capital(place):
        return False
    word = sentence.tokens[place]
    if word.lower.startswith("non-") or word.lower.endswith("n't"):
        return False
    stressed = word.text.isupper() and len(word.text) > 1
    if re.split("['’]", word.lower)[0] in FUNCTION_WORDS and not (stressed or _is_will(sentence, place)):
        return False
    return word.lower not in NEVER_NAMES


def _is_will(sentence: Sentence, place: int) -> bool:
    """Say whether the first name Will stands at `place`, not the verb: *Will Smith* will."""
    behind = sentence.lower(place + 2)
    acts = behind in SPEAKS or behind in LIVES or behind in {"will", "is", "was", "has", "had"}
    asks = sentence.word(len(sentence) - 1) == "?"
    return sentence.word(place) == "Will" and sentence.word(place + 1).istitle() and acts and not asks


def _begins(sentence: Sentence, place: int) -> bool:
    """Say whether a name may begin at `place`; a capital owed to the sentence's start needs more evidence."""
    if not _is_name_word(sentence, place):
        return False
    if not sentence.opens(place) or not sentence.common(place) or is_shaped(sentence.word(place)):
        return True
    known = sentence.lexicon.known_at(sentence.tokens, place)
    if known is not None:
        behind = sentence.lower(place + 1)
        return len(known.words) > 1 or behind in _AFTER_A_SUBJECT or behind in LIVES or sentence.capital(place + 1)
    if sentence.lower(place) in sentence.persons or predicate_type(sentence, place + 1) in {"technology", "project"}:
        return True
    if sentence.lower(place) in sentence.lexicon.first_names and (
        acts_like_a_person(sentence, place) or _is_initial_letter(sentence, place + 1)
    ):
        return True
    return _continues(sentence, place)


def _continues(sentence: Sentence, place: int) -> bool:
    """Say whether a common word that opens a sentence is the first of a longer name: Free Software Foundation."""
    following = place + 1
    opener = sentence.lower(place)
    if (
        not _is_name_word(sentence, following)
        or opener.endswith(("ing", "ly", "ed"))
        or is_acronym(sentence.word(following))
    ):
        return False
    known = sentence.lexicon.known_at(sentence.tokens, following)
    return known is None and (sentence.common(following) or sentence.lower(place) in sentence.lexicon.first_names)


def acts_like_a_person(sentence: Sentence, place: int) -> bool:
    """Say whether the name at `place`, an ordinary word too, stands where persons do: Bob works ..., ... with Bob."""
    behind, before = sentence.lower(place + 1), sentence.lower(place - 1)
    if behind in SPEAKS or behind in VERBS or behind in BEING or behind in PERSONAL_PAST or behind == "will":
        return True
    alone = not sentence.capital(place + 1) and (sentence.function_word(place + 1) or not behind[:1].isalpha())
    return alone and not sentence.opens(place) and before in _BEFORE_PERSONS


_BEFORE_PERSONS = frozenset("with by from and to for told asked met thank thanks cc".split())
_AFTER_A_SUBJECT = frozenset(
    "is was has can uses and , ( 's supports provides requires needs does will runs works also makes".split()
)


def _end(sentence: Sentence, first: int) -> int:
    """Return where the name that begins at `first` ends."""
    last = first + 1
    while last < len(sentence) and last - first < MAX_WORDS:
        if (
            _is_name_word(sentence, last)
            or _is_number(sentence, last)
            or _is_initial_letter(sentence, last)
            or _is_initial(sentence, last)
        ):
            last += 1
        elif sentence.word(last) == "," and sentence.word(last + 1) in GENERATIONS:
            last += 2
        elif _joins(sentence, last):
            last += 2 if _is_name_word(sentence, last + 1) else 3
        else:
            break
    return last + 1 if _is_abbreviated(sentence, last - 1) else last


def _is_abbreviated(sentence: Sentence, place: int) -> bool:
    """Say whether the full stop behind the word at `place` is part of the name, not the end of the sentence."""
    return sentence.word(place) in GENERATIONS and sentence.word(place + 1) == "." and place + 2 < len(sentence)


def _is_number(sentence: Sentence, place: int) -> bool:
    """Say whether a version stands at `place`: Debian 11.0, Kerberos v5."""
    word = sentence.word(place).removeprefix("v")
    return sentence.free(place) and word[:1].isdigit() and word.replace(".", "").isdigit() and len(word) <= 4


def _is_initial(sentence: Sentence, place: int) -> bool:
    """Say whether the full stop of an initial stands at `place`, with more of the name behind it."""
    initial = sentence.word(place - 1)
    return (
        sentence.word(place) == "."
        and ((len(initial) == 1 and initial.isupper()) or initial.casefold() in HONORIFICS)
        and _is_name_word(sentence, place + 1)
        and not sentence.function_word(place + 1)
    )


def _is_initial_letter(sentence: Sentence, place: int) -> bool:
    """Say whether an initial stands at `place`: George A. Miller."""
    letter = sentence.word(place)
    return (
        len(letter) == 1 and letter.isupper() and sentence.word(place + 1) == "." and _is_initial(sentence, place + 1)
    )


def _joins(sentence: Sentence, place: int) -> bool:
    """Say whether a small word at `place` lies within a name: University of Oxford, Bank of the West."""
    if sentence.lower(place) not in _JOINERS or not sentence.free(place):
        return False
    if sentence.lower(place) == "for" and sentence.lower(place - 1) not in ORGANISATION_HEADS:
        return False
    if sentence.lower(place) == "the":
        return False
    after = place + 1
    if sentence.lower(place) == "of" and not _takes_of(sentence, place - 1):
        return False
    if sentence.lower(after) == "the":
        after += 1
    return _is_name_word(sentence, after)


def _takes_of(sentence: Sentence, place: int) -> bool:
    """Say whether the word before `of` begins names that go on after it; Version of Debian is not one."""
    return sentence.lower(place) in _BEFORE_OF


_BEFORE_OF = frozenset(
    "university bank institute ministry department school college academy board bureau church council house society "
    "association masters museum republic kingdom state states city summer internet chamber court federation".split()
)
