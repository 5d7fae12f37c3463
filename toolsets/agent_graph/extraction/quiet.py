"""Finds names that carry no capital: codes of tasks and documents, listed names, and words no dictionary has."""

from collections.abc import Iterator

from toolsets.agent_graph.extraction.aliases import is_numeronym
from toolsets.agent_graph.extraction.patterns import NOUNS, PARTICIPLES, VERBS, is_participle
from toolsets.agent_graph.extraction.sentence import Mention, Sentence
from toolsets.agent_graph.extraction.words import (
    ARTICLES,
    BEING,
    PREPOSITIONS,
    SUBJECT_VERBS,
    TECHNOLOGY_HEADS,
    TRACKED,
)

CODE, LISTED, KEYED, CUED = 0.95, 0.9, 0.8, 0.6
"""How sure: a code the words around call one, a listed name, the mere shape of a task's key, a word's place."""
_STANDARDS = frozenset("rfc pep bcp".split())
_NO_TASKS = frozenset("utf iso sha gpt rs usb covid ipv iec ieee ansi mp http aes md pkcs cp win x".split())
_TAKE_SOFTWARE = frozenset({"USES", "DEPENDS_ON", "CREATED", "WORKS_ON"})
_NEED_SOFTWARE = frozenset({"USES", "DEPENDS_ON"})
_HANDLED = frozenset(
    "fix fixes fixed fixing close closes closed closing resolve resolves resolved block blocks blocked blocking reopen reopened "
    "finish finished assigned duplicate duplicates".split()
)
"""What is done to tasks, and what they do to one another."""
_WIDTHS = frozenset("8 16 32 64 128 256 512".split())
"""Bits, as in the names of processors and ciphers."""
_MODELS = TECHNOLOGY_HEADS | frozenset(
    "ports processor processors architecture architectures cipher encoding chip machine bit support".split()
)
_SMALL_NUMBER = 2
_MANY_PARTS = 3
"""Hyphens of a word that is hardly an ordinary one, whatever it is made of: gnome-shell-extension-sensors."""
_JOINERS = frozenset(", and or & /".split())
_CUES = frozenset("as called named including include like namely e.g i.e".split())


def coded_names(sentence: Sentence) -> Iterator[Mention]:
    """Yield tasks (AUTH-142, issue #12) and numbered documents (RFC 1945)."""
    for place, token in enumerate(sentence.tokens):
        before = sentence.lower(place - 1)
        if before in _STANDARDS and token.text.isdigit():
            yield Mention(place - 1, place + 1, sentence.name(place - 1, place + 1), "document", CODE)
        elif token.text.startswith("#") and token.text[1:].isdigit() and before in TRACKED:
            yield Mention(place, place + 1, token.text, "task", CODE)
        elif _is_key(token.text) and (_is_handled(sentence, place) or not _is_model(sentence, place)):
            sure = CODE if _is_handled(sentence, place) else KEYED
            yield Mention(place, place + 1, token.text, "task", sure)


def _is_handled(sentence: Sentence, place: int) -> bool:
    """Say whether the words around a key call it a task: bug X-1, closed X-1, X-1 is blocked."""
    before, behind = place - 1, place + 1
    if sentence.lower(before) in ARTICLES | {"by", "of"}:
        before -= 1
    if sentence.lower(behind) in BEING:
        behind += 1
    return sentence.lower(before) in TRACKED | _HANDLED or sentence.lower(behind) in _HANDLED


def _is_model(sentence: Sentence, place: int) -> bool:
    """Say whether what has the shape of a task's key is more likely a version, a processor or a cipher."""
    prefix, _, number = sentence.word(place).partition("-")
    known = any(name.words == (prefix,) for name in sentence.lexicon.names.get(prefix.casefold(), ()))
    behind = sentence.lower(place + 1)
    return (
        number in _WIDTHS
        or not prefix.isalpha()
        or (known and len(number) <= _SMALL_NUMBER)
        or (behind in _MODELS and sentence.free(place + 1))
    )


def _is_key(word: str) -> bool:
    prefix, _, number = word.partition("-")
    return (
        number.isascii()
        and number.isdigit()
        and 2 <= len(prefix) <= 10
        and prefix[0].isalpha()
        and prefix.isalnum()
        and prefix.isupper()
        and prefix.casefold() not in _NO_TASKS | _STANDARDS
    )


def listed_names(sentence: Sentence) -> Iterator[Mention]:
    """Yield listed names in words that no mention owns yet."""
    place = 0
    while place < len(sentence):
        name = sentence.lexicon.known_at(sentence.tokens, place) if sentence.free(place) else None
        if name is None or name.exact or not all(sentence.free(place + ahead) for ahead in range(len(name.words))):
            place += 1
            continue
        last = place + len(name.words)
        yield Mention(place, last, sentence.name(place, last), name.type, LISTED)
        place = last


def uncapitalised_names(sentence: Sentence) -> Iterator[Mention]:
    """Yield words of no dictionary that stand where names of software do, and what is listed with them."""
    cued = named = False
    for place in range(len(sentence)):
        owner = sentence.owner[place]
        if owner is not None:
            named = owner.type in {"technology", "project"}
        elif (
            _is_cued(sentence, place)
            or (cued and _is_item(sentence, place))
            or (named and _is_unknown_item(sentence, place))
        ):
            yield Mention(place, place + 1, sentence.word(place), "technology", CUED)
            cued = named = True
        elif sentence.word(place) not in _JOINERS:
            cued = named = False


def _is_word(sentence: Sentence, place: int) -> bool:
    word = sentence.word(place)
    return sentence.free(place) and word[0].isalpha() and word[0].islower() and "/" not in word and "@" not in word


def _is_unknown(sentence: Sentence, place: int) -> bool:
    return (
        _is_word(sentence, place)
        and len(sentence.word(place)) > 2
        and sentence.lower(place) not in _CUES
        and sentence.lower(place + 1) != "of"
        and (not sentence.common(place) or sentence.word(place).count("-") >= _MANY_PARTS)
        and not sentence.function_word(place)
        and sentence.lower(place) not in VERBS
        and not sentence.lower(place).endswith(("ing", "ed", "n't"))
    )


def _is_cued(sentence: Sentence, place: int) -> bool:
    if sentence.word(place - 1) == "(" and not sentence.free(place - 2) and place > 1:
        named = sentence.owner[place - 2]
        return named is not None and is_numeronym(sentence.word(place), named.name)
    if place == 0 or sentence.opens(place):
        return place == 0 and _is_word(sentence, 0) and sentence.lower(1) in SUBJECT_VERBS and len(sentence.word(0)) > 1
    if not _is_unknown(sentence, place) or _is_attribute(sentence, place):
        return False
    before = sentence.past(place - 1, -1, lambda at: sentence.lower(at) in ARTICLES)
    told = before != place - 1 or (place > 0 and not sentence.free(place - 1))
    if sentence.lower(place + 1) in TECHNOLOGY_HEADS and told:
        return True
    return _is_object(sentence, before)


def _is_object(sentence: Sentence, before: int) -> bool:
    word, earlier = sentence.lower(before), sentence.lower(before - 1)
    if word in _CUES or word in TECHNOLOGY_HEADS or word == "limited":
        return word != "as" or earlier == "such"
    if word in {"of", "to", "on", "upon", "with", "from"}:
        verbs = (*VERBS.get(earlier, ()), *PARTICIPLES.get(earlier, ()))
        return earlier == "limited" or earlier in NOUNS or any(word in verb.prepositions for verb in verbs)
    if word == "by":
        return is_participle(earlier) and any(verb.relation in _NEED_SOFTWARE for verb in VERBS.get(earlier, ()))
    if earlier in NOUNS and word in NOUNS[earlier].prepositions:
        return True
    return any(not verb.prepositions and verb.relation in _TAKE_SOFTWARE for verb in VERBS.get(word, ()))


def _is_attribute(sentence: Sentence, place: int) -> bool:
    """Say whether the word only describes the noun behind it: a multithreaded server."""
    after = place + 1
    return (
        after < len(sentence)
        and sentence.tokens[after].word
        and not sentence.function_word(after)
        and (
            sentence.lower(after) not in TECHNOLOGY_HEADS
            or sentence.lower(after - 1).endswith(("ed", "ing", "ic", "al", "ive"))
        )
        and not sentence.capital(after)
    )


def _is_unknown_item(sentence: Sentence, place: int) -> bool:
    """Say whether a word of no dictionary stands at `place` as an item behind a name."""
    if sentence.word(place - 1) not in _JOINERS or not _is_unknown(sentence, place):
        return False
    return _is_item(sentence, place) or sentence.lower(place + 1) in PREPOSITIONS


def _is_item(sentence: Sentence, place: int) -> bool:
    """Say whether a single word at `place` continues a list of names."""
    return (
        _is_word(sentence, place)
        and not sentence.function_word(place)
        and sentence.word(place - 1) in {",", "and", "or"}
        and (sentence.word(place + 1) in {",", ".", "and", "or", ")", ";"} or place + 1 == len(sentence))
    )
