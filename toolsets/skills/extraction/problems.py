"""Finds the sentences in which a customer says what is wrong or wanted."""

import re
from collections.abc import Sequence
from typing import Final

from toolsets.lexical_scores import terms
from toolsets.skills.extraction.cues import is_chatter, is_courtesy, without_greeting, without_signature
from toolsets.skills.extraction.instructions import as_sentence, plain
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.main_sentences import PRODUCT_FIELD, names_trouble, says_no_more
from toolsets.skills.extraction.model import MAX_PROBLEM
from toolsets.skills.extraction.outcomes import THANKS, outcome_of
from toolsets.skills.extraction.own_solutions import own_solution
from toolsets.skills.extraction.sections import without_sections
from toolsets.skills.extraction.sentences import Sentence, sentences
from toolsets.skills.extraction.steps import steps_in
from toolsets.skills.extraction.verbs import third_person
from toolsets.skills.redaction import without_placeholders
from toolsets.skills.transcript import Turn

_MAX_PROBLEM_SENTENCES: Final = 6
"""With more, the problem would have the whole story, and searches would find it by side issues."""
_PLEASANT = re.compile(
    r"(?i)\b(?:thank|appreciate|hope you|i'?m (?:a )?(?:new|customer)|my name is|please (?:help|advise)"
    r"|any (?:help|ideas|suggestions)|look(?:ing)? forward)\b"
)


def problem_of(turns: Sequence[Turn], subject: str | None) -> list[str]:
    """Return the sentences in which the customer says what is wrong or wanted, in order.

    They come before the first answer, or after it if the customer only greeted or named a thing before. Small talk counts
    only if the customer says nothing else; that it works and thanks are no problem. The product that a ticket names comes last.
    """
    found = _reported_problem(turns, small_talk=False)
    found = [] if _only_praises(found) else found
    if not found and subject and any(turn.role == "customer" for turn in turns):
        found = [as_sentence(subject)]
    found = found or _reported_problem(turns, small_talk=True)
    if _only_praises(found):
        return []
    return [*found, *_product_of(turns, found)] if found else found


def _only_praises(found: Sequence[str]) -> bool:
    return all(
        (THANKS.search(text) is not None or _PRAISE.match(text) is not None)
        and not text.endswith("?")
        and not names_trouble(text)
        and outcome_of(text) in {"worked", "thanks"}
        for text in found
    )


_PRAISE = re.compile(
    r"(?i)(?:(?:great|ok(?:ay)?|perfect|super|wow|yes)\W{1,3})*(?:it|that|this)(?:['’]s| has| is)? (?:now )?"
    r"(?:did (?:it|the trick)|fixed it|helped|solved it|worked|works)\b"
)


def _product_of(turns: Sequence[Turn], found: Sequence[str]) -> list[str]:
    """Return the field of a ticket that names the product, as a sentence, unless the problem names it."""
    above = turns[0].text[:_SEARCHED] if turns and turns[0].role == "other" and turns[0].speaker is None else ""
    match = _PRODUCT.search(above)
    if match is None or match["what"].casefold() in " ".join(found).casefold():
        return []
    return [f"{PRODUCT_FIELD} {match['what']}."]


_SEARCHED: Final = 2000
"""Characters of a ticket's head; fields farther down are of quoted tickets."""
_PRODUCT = re.compile(
    r"(?im)^[ \t>*|-]{0,6}(?:affected )?(?:device|model|product)(?: name)?\*{0,2}\s?[:|]\*{0,2}[ \t]{1,4}"
    r"(?P<what>(?!n/?a\b|none\b|other\b|unknown\b)(?=\S*[^\W\d_])\S(?:[^\n|*]{0,58}[^\s.|*])?)[ \t.|*]*$"
)


def heading_of(turns: Sequence[Turn]) -> str | None:
    """Return the heading above the first speaker, None if there is none, or if it only says that it is a conversation.

    It is the title of a Markdown document, the name of a ticket with its number, or a lone line with words of what is said.
    """
    if len(turns) < 2 or turns[0].role != "other":
        return None
    # "Case 4711: the printer jams" looks like what someone says.
    above = turns[0].text.strip() if turns[0].speaker is None else f"{turns[0].speaker}: {turns[0].text}"
    line = above.split("\n", 1)[0]
    match = _HEADING.fullmatch(line) if len(line) <= _LONGEST_HEADING else None
    if match is None:
        return None
    marked = match["level"] is not None or match["number"] is not None
    if not marked and (turns[0].speaker is not None or above != line or line[-1] in ".!?:"):
        return None
    what = _ISSUE_NUMBER.sub("", match["what"])
    if marked and _NAMES_A_RECORD.search(what) is None:
        return what
    said = frozenset(terms("\n".join(turn.text for turn in turns[1:_MOST_SENTENCES])))
    shared = frozenset(terms(_NAMES_A_RECORD.sub(" ", what))) & said
    return what if len(shared) > 1 else None


_HEADING = re.compile(
    r"(?P<level>#{1,4}\s+)?(?P<number>\W{0,3}(?i:bug|case|incident|issue|request|ticket)(?: (?:id|no\.?|number))?\s?[#:]{0,2}\s?"
    r"(?:[A-Z]{1,5}-)?\d[\w-]*\W{0,2}?\s?[:–—-]\s+)?(?P<what>[^\s#].*?)[\s#*]*"
)
_ISSUE_NUMBER = re.compile(
    r"(?i)\s+(?:[·•|]\s(?:issue|discussion|pull request) #\d.*"
    r"|(?<!code )(?<!error )(?<!event )(?<!number )(?:\(#\d{1,7}\)|#\d{1,7}))$"
)
"""The number of an issue after its title."""
_NAMES_A_RECORD = re.compile(
    r"(?i)\b(?:chat|conversation|customer|dialogue|discussion|export|help ?desk|log|session|support|thread|transcript)s?\b"
)
_LONGEST_HEADING: Final = 200
"""Characters; a longer line is a sentence of the description."""


def _reported_problem(turns: Sequence[Turn], *, small_talk: bool) -> list[str]:
    found: list[str] = []
    answered = invited = asked = greeted = False
    for turn in turns:
        if turn.role == "agent":
            asked = _asks_for_the_matter(turn.text, found)
            invited, greeted = bool(found) and asked, _asks_how_people_are(turn.text)
            waiting = _is_preliminary(found) or all(map(_only_names_a_thing, found)) or all(map(says_no_more, found))
            if found and not (invited or (waiting and not steps_in(turn.text))):
                break
            answered = True
        elif turn.role == "customer" and not (found and own_solution(turn.text)):
            more = bool(found) and answered and not invited
            said = _problem_in(turn, found, small_talk=small_talk, greeted=greeted)
            # "That solved it" is no problem, even if all that came before it was left out; nothing solves what is asked for.
            if answered and not asked:
                said = [text for text in said if outcome_of(text) not in {"worked", "thanks"}]
            if not invited:
                found += filter(_tells_what_happens, said) if more else said
            elif sum(len(text.split()) for text in said) >= _FEWEST_WORDS:
                found = _reported_on_request(found, said)
    return found


def _is_preliminary(said: Sequence[str]) -> bool:
    """Return whether a customer has only asked about the helper or the conversation: "Is this the right chat?"."""
    return all(
        (text.endswith("?") or _YES_OR_NO.match(text) is not None)
        and _ABOUT_CONVERSATION.search(text) is not None
        and not names_trouble(text)
        and len(text) <= _LONGEST_SMALL_TALK
        for text in said
    )


def _only_names_a_thing(text: str) -> bool:
    """Return whether a customer has only said what they have or use: "I bought a lamp last week"."""
    return _HAS.fullmatch(text) is not None and _ANNOUNCES.match(text) is None and not names_trouble(text)


def _tells_what_happens(text: str) -> bool:
    if _PLAIN_ANSWER.match(text) is not None or text.endswith("?"):
        return False
    deeds = (word for word in _WORD.findall(text.casefold()) if word not in _NO_DEEDS)
    return names_trouble(text) or any(third_person(word) is not None for word in deeds)


def _announces(said: Sequence[str]) -> bool:
    """Return whether a customer has only named the subject: "I have a question about my contract"."""
    return all(_ANNOUNCES.match(text) is not None and not names_trouble(text) for text in said)


def _reported_on_request(before: list[str], said: list[str]) -> list[str]:
    """Return the problem reported after a helper asked for it; what said no more than the subject is left out, or names it."""
    if all(map(_only_names_a_thing, before)):
        return [*before, *said]
    if not _is_preliminary(before) and not _announces(before):
        return before
    if _POINTS_BACK.match(said[0]) is None:
        return said
    subject = next((match["what"] for text in reversed(before) if (match := _SUBJECT.search(text)) is not None), None)
    if subject is None:
        return [*before, *said]
    return [f"{subject[0].upper()}{subject[1:]}: {said[0][0].lower()}{said[0][1:]}", *said[1:]]


def _asks_for_the_matter(text: str, asked: Sequence[str]) -> bool:
    """Return whether a helper teaches nothing, but asks what it is about, or plainly answers a preliminary question."""
    statements = [part.text for part in sentences(text)]
    others = [part for part in statements if _INVITATION.search(part) is None and not is_chatter(part)]
    if len(statements) > _MOST_SENTENCES or any(steps_in(part) for part in others):
        return False
    plain_answer = "?" not in text and (
        len(text.split()) <= _FEWEST_WORDS or any(map(_PLAIN_ANSWER.search, statements))
    )
    return any(_INVITATION.search(part) for part in statements) or (plain_answer and _is_preliminary(asked))


def _asks_how_people_are(text: str) -> bool:
    return "?" in text and any(_HOW_PEOPLE_ARE.fullmatch(part.text) is not None for part in sentences(text))


def _tells_a_mood(text: str) -> bool:
    """Return whether an answer to "How are you?" names no thing, and no deed but what people feel: "a bit annoyed tbh"."""
    bare = _MOOD_SUBJECT.sub(" ", text)
    words = [word.casefold() for word in _WORD.findall(bare)]
    if len(words) > _LONGEST_MOOD or names_trouble(bare) or _NAMES_A_THING.search(bare) is not None:
        return False
    return not any(third_person(word) is not None for word in words if word not in _NO_DEEDS)


def _problem_in(turn: Turn, before: Sequence[str], *, small_talk: bool, greeted: bool = False) -> list[str]:
    """Return what a turn says of the problem; `greeted`: it answers a question about how the customer is."""
    found = list(before)
    chatting = announced = False
    for sentence in without_signature(sentences(_SIGNED.sub("", without_sections(turn.text)))):
        point = _POINT.match(sentence.text)
        whole = sentence.text if point is None else sentence.text[point.end() :]
        whole = whole if sentence.kind == "code" else plain(whole)
        if point is not None:
            # What a customer tells between small talk and the point is small talk, too.
            found, chatting = (list(before) if chatting else found), False
        if is_courtesy(whole):
            continue
        text = whole
        if sentence.kind != "code":
            whole = _behind_kindness(whole)
            text = _MENTIONED.sub("", _MENTION.sub("", without_greeting(_MENTION.sub("", whole))))
        if not small_talk and sentence.kind != "code" and (_says_nothing(text) or (greeted and _tells_a_mood(text))):
            chatting = True
            continue
        greeted = False
        text = _GIVEN.sub("", _INTRODUCTION.sub("", text)) if sentence.kind != "code" else text
        text = text if found or sentence.kind == "code" else _HESITATION.sub("", text)
        room = sum(map(len, found)) + len(text) <= MAX_PROBLEM and len(found) < _MAX_PROBLEM_SENTENCES
        if room and _describes_problem(text, sentence, found):
            if sentence.kind == "code" and announced:
                found[-1] = f"{found[-1].rstrip('.')}:"
            found.append(text if sentence.kind == "code" else as_sentence(text))
            announced = sentence.kind != "code" and text.endswith(":")
    return found[len(before) :]


_MENTION = re.compile(
    r"(?i)^(?:(?:<[!@#][\w|.-]{1,40}>|@(?:all|channel|everybody|everyone|here|team|(?-i:[A-Z][a-z]+))\b(?![/(]))[\s,.:;–—-]*"
    r"(?:(?:&|and) (?=[<@]))?)+"
)
_MENTIONED = re.compile(r"<[!@][\w|.-]{1,40}>\s?")
"""The marks by which chat programs call people."""
_SMALL_TALK = lexicon("small_talk")
_POINT = re.compile(rf"(?i)(?:(?:but|so|well|ok(?:ay)?)[, ]+)?{_SMALL_TALK.any_of('point')}\s?[,:.–—-]\s+(?=\S)")
_BESIDE: Final = rf"(?:{_SMALL_TALK.any_of('before')}[\s,.!:-]+){{0,3}}"
_SMALL_SENTENCE = re.compile(
    rf"(?i)\W*{_BESIDE}{_SMALL_TALK.any_of('sentence')}(?:[\s,.!?-]+{_SMALL_TALK.any_of('after')}){{0,3}}\W*"
)
_LONGEST_SMALL_TALK: Final = 120
"""Characters; a longer sentence says something about the problem, too."""
_HOW_PEOPLE_ARE = re.compile(
    rf"(?i)\W*{_BESIDE}(?:.{{0,30}}, ?)?{_SMALL_TALK.any_of('how_people_are')}"
    rf"(?:[\s,.!?-]+{_SMALL_TALK.any_of('after')}){{0,3}}\W*"
)
_MOOD_SUBJECT = re.compile(rf"(?i)(?<![\w'’]){_SMALL_TALK.any_of('mood_subject')}")
_NAMES_A_THING = re.compile(r"(?i)\b(?:it|its|my|our|the|these|this|those|your|won['’]?t)\b|\d")
_NO_DEEDS: Final = frozenset("cheers does feels goes thanks".split())
"""Words that look like the verb of a statement."""
_LONGEST_MOOD: Final = 8
"""The most words of a sentence about how someone is."""


def is_small_talk(text: str) -> bool:
    """Return whether a sentence says nothing about a problem: how people are, the weather, or that help is needed."""
    return len(text) <= _LONGEST_SMALL_TALK and _SMALL_SENTENCE.fullmatch(text) is not None


def _says_nothing(text: str) -> bool:
    return is_small_talk(text) or _is_kind(text)


def _is_kind(text: str) -> bool:
    """Return whether a sentence only wishes something or thanks, and names neither a thing nor trouble."""
    if len(text) > _LONGEST_SMALL_TALK or names_trouble(text):
        return False
    if _GOOD_DAY.fullmatch(text) is not None:
        return True
    return _KINDNESS.match(text) is not None and _NAMED_OR_ASKED.search(text, 1) is None


def _behind_kindness(text: str) -> str:
    """Return a sentence without a wish or thanks in its first clause: "hope your well, my lamp flickers"."""
    bare = without_greeting(text)
    match = _AFTER_KINDNESS.search(bare, 1)
    return bare[match.end() :] if match is not None and _is_kind(bare[: match.start()]) else text


_KINDNESS = re.compile(rf"(?i){_SMALL_TALK.any_of('kindness')}")
_GOOD_DAY = re.compile(rf"(?i)\W*{_SMALL_TALK.any_of('good_day')}\W*")
_NAMED_OR_ASKED = re.compile(
    r"[?\d]|(?<=[\w,] )(?!I\b|(?i:mon|tues|wednes|thurs|fri|satur|sun)day|Christmas|Easter)[A-Z]|\bbut\b"
)
_AFTER_KINDNESS = re.compile(
    r"(?i)(?:[,;:] ?(?:and |but |so )?| [–—-] | (?:and|but) )"
    r"(?=(?:all|an?|both|each|every|he|i|it|my|one|our|she|some|the|they|this|we)\b)"
)
"""What joins a wish to the report of the problem."""

_INVITATION, _PLAIN_ANSWER = _SMALL_TALK.pattern("invitation"), _SMALL_TALK.pattern("plain_answer")
_ABOUT_CONVERSATION = _SMALL_TALK.pattern("conversation")
_YES_OR_NO = re.compile(rf"(?i)(?:{_BESIDE}){_SMALL_TALK.any_of('yes_or_no')}\b")
_SUBJECT = re.compile(
    r"(?i)\b(?:about|concerning|regarding|on|with) (?P<what>(?:an?|his|her|my|our|the|their) [\w][\w .+-]{1,40}?)[?.!]*$"
)
_ANNOUNCES = re.compile(
    r"(?i)(?:just |so )?(?:i|we|it['’]?s|this is)\b.{0,60}?\b(?:about|concerning|regarding|questions?|(?:help|issue|problem)"
    r" with)\b"
)
_HAS = re.compile(
    r"(?i)(?:(?:i|we)(?:['’]?(?:m|re|ve)| am| are| have)? )?(?:just |only |recently )?"
    r"(?:bought|got|had|have|installed|ordered|own|received|run|running|us(?:e|ed|ing))"
    r" (?:an?|one of|our|my|the|your|(?-i:[A-Z])\w+)(?: (?!and\b|but\b|that\b|when\b|which\b|who\b)[^\s,;:?]{1,40}){1,12}\s?"
)
"""A sentence about a thing that a customer has, in one clause."""
_POINTS_BACK = re.compile(r"(?i)(?:and |but |so )?(?:it|its|it['’]s|they|them|this|that|these|those)\b")
_FEWEST_WORDS: Final = 3
"""The words of a reply that tells the matter after a preliminary question."""
_MOST_SENTENCES: Final = 6
"""The sentences of an answer to such a question."""

_HESITATION = re.compile(r"(?i)(?:(?:so|well|ok(?:ay)?),? )+(?=(?:i|it|my|our|the|this|we)\b)")
"""Words before the first sentence of a problem, which follow nothing."""
_SIGNED = re.compile(
    r"(?<=[.!?)…])[ \t]{0,3}\n\s{0,4}[-–—~]?\s?[A-ZÄÖÜÉ][a-zà-ÿ]{1,19}(?: [A-ZÄÖÜÉ][\w.'’-]{0,19}){0,2}\s{0,4}\Z"
)
"""A name as the last line, below a sentence that ends."""
_INTRODUCTION = re.compile(
    r"^(?i:my name is|this is|i['’]?m|i am|here is) [A-Z][\w'’-]{1,30}(?: [A-Z][\w'’-]{1,30}){0,2}(?: (?:from"
    r"|at|of) [^,.;]{2,40}?)?"
    r"(?:,? and |[,.;:] )(?=\S)"
)
"""The customer's introduction before the problem."""


def _describes_problem(text: str, sentence: Sentence, found: Sequence[str]) -> bool:
    """Return whether a sentence of the customer says something about the problem."""
    if is_courtesy(text) or len(text) < 4:
        return False
    if _gives_contact(text) or (_HANDS_OVER.search(text) is not None and not names_trouble(text)):
        return False
    pleasant = _PLEASANT.search(text) is not None and len(text.split()) < 14
    return not pleasant and (sentence.kind != "code" or len(found) > 0 or len(text) > 12)


def _gives_contact(text: str) -> bool:
    """Return whether a sentence only gives addresses, numbers and secrets, which were removed from it."""
    bare = without_placeholders(text)
    words = (word.casefold() for word in _WORD.findall(bare) if not any(c.isdigit() for c in word))
    return bare != text and all(word in _CONTACT_WORDS or len(word) == 1 for word in words)


_GIVEN = re.compile(
    r"(?i)(?:^|,? (?:and|but|so)|[,;:–—-]) ?(?:her|his|my|our|the|their) (?:[\w'’-]+ ){1,4}?(?:is|was|are|[:=]) ?\[[\w ]{3,30}\]"
    r"(?:,? (?:as|for|if|in case|should|so|to|when) [^.!?]{1,100})?[.!?)]*$"
)
"""A clause that gives an address or a secret, which was removed: "our signing secret is [token] in case you need it"."""
_HANDS_OVER = re.compile(
    r"(?i)\[(?:password|credentials|code|token)\][^.!?]{0,40}?[\s,;(–—-](?:for you|(?:if|in case|should|so)\b[^.!?]{0,30}?"
    r"\b(?:helps?|necessary|needed|required|you (?:can|have to|like|must|need|want|would like)|you['’]d like))\b"
)
"""A login that a customer hands over: "My login is kim, password [password], in case you need it"."""
_WORD = re.compile(r"[^\W_]+")
_CONTACT_WORDS = frozenset(
    """a account address am and are at best birth born by call can card cell code contact contract credentials credit customer cvv
    date debit details e email exp expires expiry for from full here i id in is it its key licence license line login mail
    me mine mobile my name no nr number of on or our passphrase passport password phone pin please policy reach reached
    registered reply s security social tel telephone the this to token under up use used user username valid via we with
    work you your""".split()
)
"""Words of sentences such as "You can reach me at [phone number]"."""
