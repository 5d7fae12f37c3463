"""The title of a skill: what is wrong or wanted, in one clause without the person."""

import re
from collections.abc import Sequence
from typing import Final

from toolsets.skills.extraction.descriptors import informative_words
from toolsets.skills.extraction.impersonal import clause_without_person
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.main_sentences import (
    ANNOUNCED,
    ANNOUNCES,
    HOW,
    is_printed,
    main_sentence,
    names_trouble,
    without_introduction,
)
from toolsets.skills.extraction.markup import outside_code, single_blanks, without_emoticons
from toolsets.skills.extraction.model import MAX_TITLE, cut
from toolsets.skills.extraction.times import LAPSE, TIME
from toolsets.skills.extraction.verbs import base_of_past, third_person
from toolsets.skills.redaction import without_holes

_LEADS: Final = re.compile(
    r"(?i)^(?:(?:(?:just )?(?:an? |one )?(?:quick|short|silly|simple|small) (?:one|problem|question|thing)(?=\s?[:,–-])"
    r"|h+i+|hell+o+|hey+a?|so|well|ok|basically|unfortunately|suddenly|recently|today|yesterday|please|help"
    r"|sorry|and|but|also|then|now|for some reason|it (?:seems|looks like|appears)(?: that)?|i (?:noticed|found"
    r"|think|see|saw|believe)(?: that)?|the (?:problem|issue) is(?: that)?|my (?:problem|issue"
    rf"|question) is(?: that)?|(?:(?:ever )?since|as of|starting(?: on| from)?|beginning|from) (?:{TIME}|lunch(?:time)?)"
    rf"|for (?:about |almost |over |more than |the (?:last|past) )?{LAPSE}(?: now)?|this morning|i have (?:a"
    r"|an) (?:problem|issue|question)(?: with)?)[,:.!]?\s+)+"
)
_STATUS = re.compile(
    r"(?i)^(?:\W*\b(?:aw|closed|done|fixed|fwd?|help(?: needed| wanted)?|issue|problem|question|re|resolved|solved|urgent|wg)"
    r"\s?[\])]?\s?(?::|[-–—](?=\s)|(?<=[\])]))\s*)+"
)
"""Words before a title that say how the matter stands, not what it is."""
_FILLERS = re.compile(
    r"(?i)(?:(?<=^)|(?<=[\s,]))(?:(?:er+m?|hm+|uh+|um+|yeah|i mean|you know)\b[,.]?\s*)+|\blike (?=\w+ing\b)"
)
_RESUMED = re.compile(r"(?i)^(?P<what>(?:my|our|the|this) (?:[\w-]+ ?){1,4}), (?:it|they),? (?:(?:it|they) )?(?=[a-z])")
"""A subject that is taken up again: "the meter, it, it shows ..."."""
_GETS = re.compile(
    r"(?i)^(?:i|we)(?:'m| am| are|'ve been| have been)? (?:now |just |always |still |suddenly |also )?(?:get"
    r"|getting|see|seeing|receive|receiving"
    r"|keep getting|keep seeing|got|have|having|encounter|face|facing)(?: an?| the| this| these"
    r"| some)? (?=(?:[\w.'-]+ ){0,3}[\"“'`]?(?:error|message"
    r"|exception|warning|code|blank|black|blue|white|fail\w*|time-?outs?|\d{3}|pop-?up|problems?|issues?"
    r"|trouble|notification|duplicate\w*|prompt))(?P<rest>.+)"
)
_CANNOT = re.compile(
    r"(?i)^(?:.{0,80}?(?:\band|\bbut|\bso|\bbecause|,) (?:now )?)?(?:i|we)(?:'m| am| are)? (?P<cannot>can'?t"
    r"|cannot|can not|could ?n[o']t|couldn't|unable to"
    r"|not able to|am unable to)(?: seem to| seem| even)? (?P<rest>.+)"
)
_REFERS = re.compile(
    r"(?i)(?:(?!(?:an?|any|each|every|my|no|our|some|the|which|your)\b)[\w'’/-]+ ){0,4}?(?:(?:its?|them|they|their|him|his|she"
    r"|hers?|these|this|those)\b(?! (?:easy|better|good|ok|possible|safe|worth|year|week|month|time)\b)"
    r"|that(?=[?.!]|$| (?:in|without|with|for)\b)|the (?:[\w-]+ )?ones?\b|the (?:latter|older?|other|previous|rest|right|same)\b)"
)
"""A question whose object is a pronoun, or a thing among others that it does not name, before any thing that it names."""
_POINTS_BACK = re.compile(r"(?i)(?:it|its|they|their|them|this|that|these|those|he|she|his|her)\b")
_PRONOUN = re.compile(r"(?i)\b(?:it|them|they|this|those)\b")
_JOINT = re.compile(r"(?i)[,;]?\s*(?:and|but|so|;|,)?\s*$")
_SHORT: Final = 60
"""The most characters of a sentence that is put before a question which is cut."""
_FEW: Final = 2
"""Words; with so few left, a title no longer says what the problem is."""
_OWN = re.compile(r"(?i)(?<![\w./\\@-])(?:my|our)(?= (?:very )?own\b)")
_SELF = re.compile(r"(?i)(?<![\w./\\@-])(?:myself|ourselves)\b")
_PERSON: Final = (
    rf"(?:[a-z]+ )?{lexicon('titles').any_of('person')}(?:s|-in-law)?(?=['’,.;:!?)]|$"
    r"| (?:and|at|can|could|do|gave|get|got|have|in|need|on|or|see|too|try|use|want|who|will|with|[a-z]{1,12}(?:[sdt]|['’]t))\b)"
)
"""A person, and not the first noun of a compound, such as "my baby monitor"."""
_MY = re.compile(rf"(?i)(?<![\w./\\@-])(?:my|our)(?![\w/\\@-]|\.\w)(?! {_PERSON})")


def title_of(problem: Sequence[str], subject: str | None) -> str:
    """Return a title: the subject if it is informative, else the most informative sentence of the problem, without the person."""
    if subject is not None:
        bare = single_blanks(" ".join(without_emoticons(without_holes(subject))))
        subject = _STATUS.sub("", _without_record(bare.removesuffix("**") if bare.count("**") == 1 else bare))
    if subject is not None and len(subject.split()) >= 3:
        return _capital(_fitting(subject.strip().rstrip(".!")))
    return _capital(_fitting(_quoted(_without_record(_named(problem)))))


def _without_record(title: str) -> str:
    """Return a title without the number of one customer's order or contract, unless it says little else."""
    bare = _RECORD_NUMBER.sub(lambda match: match["noun"], _RECORD.sub("", title)).strip()
    return bare if len(bare.split()) > _FEW else title


_RECORDS: Final = (
    r"(?:account|booking|case|contract|customer|invoice|membership|order|parcel|policy|purchase|ref(?:erence)?|reservation"
    r"|serial|shipment|ticket|tracking)"
)
_RECORD_ID: Final = r"#?(?=(?:[\w/-]{0,12}?\d){4})[A-Z\d](?:[A-Z\d/-]{2,24})(?![\w/-])"
_RECORD = re.compile(
    rf"(?i)\s*(?:[,;:(\[]|[-–—](?=\s))\s*(?:for |my |our |re )?{_RECORDS}(?:"
    rf"(?:['’]?s)?(?: (?:code|id|no\.?|nr\.?|number))?[\s:#=]{{1,3}}(?-i:{_RECORD_ID})| (?:code|id|no|number))[)\]]?\s*$"
)
"""The number of a record after a subject, or what is left of it if the number is removed."""
_RECORD_NUMBER = re.compile(rf"(?i)\b(?P<noun>{_RECORDS})(?: (?:id|no\.?|nr\.?|number))?[ :#]{{1,2}}(?-i:{_RECORD_ID})")


def _fitting(title: str) -> str:
    """Return a title that is not too long: up to the end of a clause or else of a phrase, or cut at a word."""
    if len(title) <= MAX_TITLE:
        return title
    if (match := _MAIN_CLAUSE_LAST.fullmatch(title)) is not None:
        title = f"{match['main']} {match['when'][0].lower()}{match['when'][1:]}"
        if len(title) <= MAX_TITLE:
            return title
    if (fault := without_introduction(title)) is not None and len(fault) <= MAX_TITLE:
        return fault
    least = _LEAST_AFTER_CONJUNCTION if _CONJUNCTION.match(title) is not None else _LEAST
    clause, phrase = (_head(title, least, ends) for ends in (_CLAUSE_END, _PHRASE_END))
    if (joint := _CONTRAST.match(title, len(clause))) is not None and not names_trouble(clause):
        # What is contrasted with the beginning is the fault.
        fault = f"{_subject(clause)}: {title[joint.end() :]}"
        if fault[0] != ":" and len(fault) <= MAX_TITLE:
            return fault
        clause = phrase if len(phrase) > len(clause) + _LEAST_OF_FAULT else cut(title, MAX_TITLE)
    head = clause if len(clause) >= _LONG_ENOUGH else phrase or clause
    if not head:
        return cut(title, MAX_TITLE)
    return f"{head}?" if title.endswith("?") and not title.startswith("How to ") else head


def _subject(clause: str) -> str:
    """Return the words before the first preposition or verb of a clause about a thing, an empty text for other clauses."""
    words = clause.split()
    following = (
        at for at, word in enumerate(words) if _AFTER_SUBJECT.fullmatch(word) is not None or third_person(word)
    )
    end = next(following, 0)
    return " ".join(words[:end]) if end >= _FEW and words[0].casefold() in _OWNED_THING else ""


_AFTER_SUBJECT = re.compile(
    r"(?i)(?:and|are|at|by|can|does|for|from|had|has|have|in|inside|is|near|of|on|or|that|under|was|were|which|will|with|within)"
)
_OWNED_THING: Final = frozenset({"my", "our", "the", "this"})


def _head(title: str, least: int, ends: re.Pattern[str]) -> str:
    """Return the longest beginning of a title that fits and is followed by such an end, else an empty text."""
    heads = (title[: match.start()].rstrip(" ,;:") for match in ends.finditer(title, least, MAX_TITLE + _LONGEST_JOINT))
    return max(
        (head for head in heads if len(head) + title.endswith("?") <= MAX_TITLE and _is_closed(head)),
        key=len,
        default="",
    )


def _is_closed(head: str) -> bool:
    """Return whether no phrase, quotation, bracket or inline code is open at the end of a text."""
    return (
        _OPEN.search(head) is None
        and all(head.count(mark) % 2 == 0 for mark in '"`')
        and head.count("(") <= head.count(")")
        and head.count("“") <= head.count("”")
    )


_CONJUNCTIONS: Final = r"(?i:after|although|as|because|before|every time|if|once|since|until|when(?:ever)?|while)\b"
_CONJUNCTION = re.compile(_CONJUNCTIONS)
_MAIN_CLAUSE_LAST = re.compile(
    rf"(?P<when>{_CONJUNCTIONS}[^,;:?!]{{3,200}}), (?P<main>(?!(?i:and|but|or|so)\b)[^,;:]{{12,90}})"
)
_CLAUSE_END = re.compile(
    r"(?i)[,;:] | [–—-] | \(|,? (?:although|and|as soon as|because|before|but|if|since|so that|unless|until|when(?:ever)?|where"
    r"|without|which|while|who)\s"
)
_PHRASE_END = re.compile(
    r"(?i) (?:after|at|by|during|for|from|in|into|on|through|to|under|via|with|without) (?=(?:all|an?|both|each|every|his|her"
    r"|its|my|our|some|that|the|their|this|your)\b|[\"\d]|(?-i:[A-Z]))"
)
_OPEN = re.compile(
    r"(?i)\b(?:all|an?|any|are|as|be|been|days?|even|had|has|have|hours?|is|just|minutes?|months?|none|not|of|one|only|right"
    r"|seconds?|shortly|some|than|the|to|was|weeks?|were|will|ones \w+)$"
)
"""The end of a text after which a preposition or a conjunction goes on with the same phrase."""
_CONTRAST = re.compile(r"(?i),? (?:but|yet)\s")
_LEAST_OF_FAULT: Final = 12
"""The fewest characters of a fault with its conjunction."""
_LONGEST_JOINT: Final = 12
"""Characters of a joint, such as ", because", that may begin just where a title ends."""
_LONG_ENOUGH: Final = 50
"""Characters; a clause that is shorter gives way to a phrase that says more."""
_LEAST: Final = 30
_LEAST_AFTER_CONJUNCTION: Final = 60
"""The characters that remain of a title; more of one that begins with a subordinate clause, so that it has a main clause."""


def _named(problem: Sequence[str]) -> str:
    """Return the main sentence as a title; if it refers to another one, after that: "A program hangs: how to end it"."""
    main = main_sentence(problem)
    title = _with_printed(_shortened(_fault(_written(main))), main, problem)
    at = problem.index(main) if main in problem else 0
    if at and (announced := ANNOUNCED.fullmatch(problem[at - 1])) is not None and _LEFT_OPEN.search(title) is not None:
        whole = f"{_impersonal(announced['what'])}: {title[0].lower()}{title[1:]}"
        return whole if len(whole) <= MAX_TITLE else title
    question = (match := HOW.match(main)) is not None or main.endswith("?")
    asked = main if match is None else match["rest"]
    if not question or not _refers_back(asked):
        return title
    before = "" if match is None else _JOINT.sub("", main[: match.start("asked")])
    plain = _says_much(before) and _PRONOUN.search(before) is None
    antecedent = before if plain else _antecedent(problem, main)
    if antecedent is None:
        return title
    named = _impersonal(single_blanks(_STATUS.sub("", antecedent)).rstrip(".!? "))
    whole = f"{named}: {title[0].lower()}{title[1:]}"
    if len(whole) <= MAX_TITLE or (len(named) <= _SHORT and len(list(informative_words(asked))) >= _FEW):
        return whole
    return title if len(list(informative_words(asked))) >= _FEW else named


def _with_printed(title: str, main: str, problem: Sequence[str]) -> str:
    """Return a title that announces what a program printed without the announcement, or with the first line of it."""
    title, mark, printed = title.partition(": ")
    if mark and not is_printed(printed):
        return f"{title}{mark}{printed}"
    if _REPORT.sub("", title) != title:
        return _REPORT.sub("", title)
    after = problem[problem.index(main) + 1 :][:1] if main in problem else ()
    printed = printed or next((each for each in after if main.endswith(":") or is_printed(each)), "")
    first = _TIMES.sub("", printed.split("\n", 1)[0]).strip()
    if first and _ONLY_ANNOUNCES.fullmatch(title) is not None:
        return first
    if (found := ANNOUNCES.search(title)) is None or not first or len(title) + len(first) >= MAX_TITLE - 1:
        return title
    return f"{title}: {first}" if found["noun"] else f"{title} {first}"


_LEFT_OPEN = re.compile(r"(?i)\b(?:its?|ones?|they|both)\b")
_REPORT = re.compile(
    r"(?i),? (?:and|but|with|while) (?:in )?(?:i (?:find|get|see) |in |the |this |my |an? )*(?:\w+ ){0,3}?(?:console|logs?"
    r"|messages?|output|syslog|terminal|traces?)(?: (?:file|is|prints?|reads|says|shows|this))*$"
)
_ONLY_ANNOUNCES = re.compile(
    r"(?i)(?:here (?:is|are) )?(?:the |my |our )?(?:console|error|log|message|output|trace)s?(?: file)?"
)
_TIMES = re.compile(r"^[\W\d]*(?:\d[\d:.,TZ/+-]* ?)+[\W\d]*|^[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]+ ")
"""The time before a line of a log."""


def _antecedent(problem: Sequence[str], main: str) -> str | None:
    """Return the sentence that names what the main one refers to: the nearest before it, or else the first after it.

    One without a pronoun is preferred.
    """
    at = problem.index(main) if main in problem else len(problem)
    others = [each for each in (*reversed(problem[:at]), *problem[at + 1 :]) if _says_much(each)]
    return next((each for each in others if _PRONOUN.search(each) is None), next(iter(others), None))


def _says_much(sentence: str) -> bool:
    named = "\n" not in sentence and len(sentence.split()) > _FEW and _POINTS_BACK.match(sentence) is None
    return named and any(True for _ in informative_words(without_holes(sentence)))


def _refers_back(asked: str) -> bool:
    """Return whether a question names its object by a pronoun only, or hardly says what it is about."""
    return _REFERS.match(asked) is not None or len(list(informative_words(asked))) < _FEW


def _written(sentence: str) -> str:
    """Return a sentence without its status, and without the sounds of speech."""
    text = _FILLERS.sub("", _STATUS.sub("", single_blanks(sentence)))
    text = _LEADS.sub("", text)
    return _RESUMED.sub(lambda match: f"{match['what']} ", text) if "," in text else text


def _fault(sentence: str) -> str:
    """Return the clause about the fault, with its subject, of a sentence that first tells what someone has done.

    "The icons of the laptop are grey" of "I bought a laptop, but its icons are grey".
    """
    if (wish := UNMET_WISH.match(sentence)) is not None and not sentence.endswith("?"):
        return _unmet(wish["what"], sentence[wish.end() :].rstrip(".! "))
    joint = None if sentence.endswith("?") else _AFTER_BACKGROUND.search(sentence)
    done = None if joint is None else _DONE.match(sentence)
    if joint is None or done is None or done.end() > joint.start():
        return sentence
    before, after = sentence[done.end() : joint.start()], sentence[joint.end() :]
    past = done["past"].lower()
    background = base_of_past(past) is not None and past not in _SOUGHT and not names_trouble(f"{past} {before}")
    # An update or a number in what was done says where the fault is.
    cause = joint["contrast"] is None and _CAUSE.search(f"{past} {before}") is not None
    contrasted = joint["clear"] is not None or names_trouble(after) or _CONTRASTED.search(after) is not None
    if not background or cause or not contrasted or len(after.split()) <= _FEW or _OWN_CLAUSE.match(after) is None:
        return sentence
    pronouns = list(_IT.finditer(after))
    if not pronouns:
        return after
    what = _OBJECT.match(before)
    if what is None or len(pronouns) > 1:
        return sentence
    article = what["article"] if what["article"].lower() in _OWNED else "the"
    return f"{after[: pronouns[0].start()]}{article} {what['what']}{after[pronouns[0].end() :]}"


def _unmet(what: str, fault: str) -> str:
    """Return what prevents a wish as a fault: "The watch never appears" of "I want to pair my watch but it never appears"."""
    if (cannot := _CANNOT.match(fault)) is not None and _POINTS_BACK.search(cannot["rest"]) is None:
        return fault
    if _BARE_CANNOT.fullmatch(fault) is not None:
        return f"I cannot {what}"
    named = _I.match(fault) is None and _PRONOUN.search(fault) is None
    if named and len(fault.split()) > _SHORT_FAULT:
        return fault
    thing = _OBJECT.match(what.partition(" ")[2])
    pronoun = _IT_OR_THEY.match(fault)
    if thing is not None and pronoun is not None and _PRONOUN.search(fault, pronoun.end()) is None:
        return f"the {thing['what']}{fault[pronoun.end() :]}"
    whole = f"{fault} when trying to {what}"
    return whole if len(whole) <= MAX_TITLE else fault


_I = re.compile(r"(?i)(?:i|we)\b")
_IT_OR_THEY = re.compile(r"(?i)(?:it|they)\b(?! (?:(?:now|still) )?(?:asks?|says?|tells?)\b)")
_SHORT_FAULT: Final = 5
"""The most words of a fault that says little without what was wanted."""
_BARE_CANNOT = re.compile(
    r"(?i)(?:i|we) (?:can ?not|can['’]?t|(?:am|are|was) (?:not able|unable)(?: to)?|could ?n['’]?t)"
)
UNMET_WISH = re.compile(
    r"(?i)(?<![\w'’])(?:i|we)(?:['’]?m| am| are|['’]?re|['’]?d|['’]ve been| would| have been)? (?:just |only |really |simply )?"
    r"(?:like|looking|need|trying|want) to (?P<what>(?!know\b)[^.!?;]{3,120}?),? (?:but|however,?|yet) "
    r"(?!(?:also|how|keep|not|only|rather|still|to|what|where|which|with(?:out)?)\b"
    r"|(?:i|we)(?:['’]?m| am| are|['’]?re)? (?:have no|(?:really )?(?:can ?not|can['’]?t|could ?n['’]?t|do ?n['o’]*t|do not|not)"
    r" (?:certain|find|figure|know|see|sure|understand|want)|unsure|wonder))"
)
"""What someone wants, before a "but" and what prevents it, unless that is not to know how."""
_AFTER_BACKGROUND = re.compile(
    r"(?i),? (?:(?P<clear>(?P<contrast>but)(?: (?:now|since then|then|today))?|(?:and|so) (?:(?:ever )?since(?: then)?"
    r"|from then on|now|today))|and(?= it\b)),? "
)
"""What joins the fault to what was done before: "but", "and now"."""
_DONE = re.compile(
    r"(?i)(?:i|we|(?:my|our) (?:[a-z]+ ){1,2}?)(?:['’]ve |(?<=[iwe]) |have |had |just |recently |also )*(?P<past>[a-z]+) "
)
_SOUGHT: Final = frozenset(
    "asked expected found heard hoped looked needed noticed said saw thought tried wanted wondered".split()
)
"""Verbs whose object is a part of the problem: "I noticed that ..."."""
_CAUSE = re.compile(r"(?i)\b(?:up|down)(?:dat|grad)|\binstall|\d")
_CONTRASTED = re.compile(r"(?i)\bbut (?:never|no|none|not|nothing)\b|\b(?:never|not|nothing|only)\b|n['’]t\b")
_IT = re.compile(r"(?i)\bit\b(?! (?:(?:now|still) )?(?:asks?|says?|tells?)\b)")
_OBJECT = re.compile(
    r"(?i)(?:(?:down|in|off|on|out|up) )?(?P<article>an?|my|our|the) (?P<what>.{2,50}?)"
    r"(?=$|,| (?:ago|and|at|for|from|in|last|on|over|since|this|to|today|with|yesterday)\b)"
)
_OWNED: Final = frozenset({"my", "our"})
_OWN_CLAUSE = re.compile(
    r"(?i)(?:all|an?|both|each|every|it|most|my|no|none|nobody|nothing|our|some|that|the|this)\b"
    r"(?! (?:(?:now|still) )?(?:asks?|says?|tells?)\b)|[\"“]|(?-i:[A-Z][a-z]+ )"
)


def _quoted(title: str) -> str:
    """Return a title with the mark that ends its quotation."""
    return f'{title}"' if title.count('"') % 2 and not title.endswith('"') else title


def _shortened(sentence: str) -> str:
    """Return a sentence as a title: "How to X", "Error X when opening Y", "Cannot X"."""
    text = _LEADS.sub("", single_blanks(sentence)).strip()
    if (match := HOW.match(text)) is not None:
        return f"How to {_impersonal(match['rest'])}"
    text = text.rstrip(".! ")
    if (match := _GETS.match(text)) is not None:
        return _impersonal(_capital(match["rest"]))
    if (match := _CANNOT.match(text)) is not None:
        return f"Cannot {_impersonal(match['rest'])}"
    return _impersonal(text)


def _impersonal(text: str) -> str:
    """Return a text without the first person: "the printer" for "my printer", "when opening it" for "when I open it"."""
    return outside_code(_impersonal_prose, text).rstrip(" ,;:")


def _impersonal_prose(text: str) -> str:
    text = _SELF.sub("yourself", _OWN.sub("your", clause_without_person(text)))
    return _MY.sub(lambda match: "The" if match.group()[0].isupper() else "the", text)


def _capital(text: str) -> str:
    first = text.split(maxsplit=1)[0] if text.split() else ""
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text
