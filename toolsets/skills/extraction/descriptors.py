"""The descriptors by which a skill is found: its title and its keywords."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from toolsets.bm25 import STOP_WORDS, stem
from toolsets.skills.extraction.conditions import LAPSE, TIME, clause_without_person
from toolsets.skills.extraction.function_words import FUNCTION_WORDS
from toolsets.skills.extraction.markup import outside_code, single_blanks
from toolsets.skills.extraction.model import MAX_KEYWORD, MAX_TITLE, cut, steps_of
from toolsets.skills.redaction import without_holes, without_placeholders

_HOW = re.compile(
    r"(?i)^.*?\b(?P<asked>how (?:do|can|should|would|could|might|must) (?:i|we|you|one)|how to|is there (?:a"
    r"|any) (?:\w+ )?(?:way|method|command|option) (?:to|for me to|of|that lets me)|is it possible to|what(?:'s"
    r"| is) the (?:\w+ )?(?:way|command|procedure) to|(?:i|we)(?:'m| am| are)? (?:want|need|would like|trying"
    r"|looking|'d like) to)\s+(?P<rest>(?:[^?.!]|[.!?](?=[^\s\"'?)])|\.(?= [-/&|~.]))+)"
)
_LEADS: Final = re.compile(
    r"(?i)^(?:(?:hi|hello|hey|so|well|ok|basically|unfortunately|suddenly|recently|today|yesterday|please|help"
    r"|sorry|and|but|also|then|now|for some reason|it (?:seems|looks like|appears)(?: that)?|i (?:noticed|found"
    r"|think|see|saw|believe)(?: that)?|the (?:problem|issue) is(?: that)?|my (?:problem|issue"
    rf"|question) is(?: that)?|(?:(?:ever )?since|as of|starting(?: on| from)?|beginning|from) {TIME}"
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
_BARE_QUESTION = re.compile(r"(?i)\w+(?: \w+)? (?:it|that|this|them)\W*")
"""The rest of a question that names no thing: "stop it"."""
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
_OWN = re.compile(r"(?i)(?<![\w./\\@-])(?:my|our)(?= (?:very )?own\b)")
_SELF = re.compile(r"(?i)(?<![\w./\\@-])(?:myself|ourselves)\b")
_MY = re.compile(r"(?i)(?<![\w./\\@-])(?:my|our)(?![\w/\\@-]|\.\w)")
_WORD = re.compile(r"[^\W_][\w.+#/’'-]*[\w+#]|[^\W_]")
_CODE = re.compile(
    r"(?<![\w.])(?:0x[0-9a-fA-F]{3,}|[A-Z]{2,6}-?\d{2,8}|E\d{3,5}|[A-Z][A-Z0-9]{1,}_[A-Z0-9_]{2,40}"
    r"|(?:HTTP )?[45]\d\d(?= (?:error|status|not found|forbidden|bad|internal|unauthorized|service)))(?![\w.])"
)
_QUOTED_CODE = re.compile(r"`([^`\n]{2,40})`")
_PROPER = re.compile(
    r"(?<![.!?:\n] )(?<!^)(?<!\w)(?:[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}[\w+#-]*"
    r"|[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,}){0,3}(?: \d{1,4}(?:\.\d{1,3})*)?)(?!\w)",
    re.MULTILINE,
)
_GENERIC: Final = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday weekend january february april june july august september
    october november december
    able about above actually add again ago allow almost already also always another anyone anything appear around
    ask available away back bad base be become before below best better bit both button came can can't case
    cause certain change check choose click come contain correct could currently customer day describe detail
    did didn't different do document documentation does doesn't don't done dont down during e.g each either else
    end enough error etc even ever every everything exactly example fact few file find fine first five fix
    follow following found four from front full further gave general get give go goes going good got great had
    happen has have having help here hold hour how however i'm i've i.e idea if include information instead into
    isn't issue it'll it's item itself just keep kind know last later latest least leave less let let's level
    like line list little long look lot made main make manual many matter may maybe me mean means message might
    minute month more morning most much must my name nearly need never new next nice no none not note nothing
    now number off often ok okay old once one only open option or order other our out over own page part people
    per place please point possible press probably problem provide put question quickly quite rather read really
    reason refer require result right run said same save say says second section see seem select set several
    should show side simple simply since so some someone something sometimes soon sort sound specific start
    state step still stop such support sure system take team tell than thank thanks that that's the them then
    there there's they're thing think this those though thought three thus time to today together too tried try
    turn two type under until up us use used user using usual usually various very via want was way we week well
    went were what when whenever where whether which while who whole why will with within without won't wont
    um uh word work worked works would write wrong yeah year yes yesterday yet you you'll you're your yourself""".split()
)
MAX_EXTRACTED_KEYWORDS: Final = 10


def title_of(problem: Sequence[str], subject: str | None) -> str:
    """Return a title: the subject if it is informative, else the most informative sentence of the problem, without the person."""
    subject = None if subject is None else _STATUS.sub("", single_blanks(without_holes(subject)))
    if subject is not None and len(subject.split()) >= 3:
        return _capital(cut(subject.strip().rstrip(".!"), MAX_TITLE))
    return _capital(cut(_quoted(_named(problem)), MAX_TITLE))


def _named(problem: Sequence[str]) -> str:
    """Return the main sentence as a title; if it refers to another one, after that: "A program hangs: how to end it"."""
    main = main_sentence(problem)
    title = _shortened(_written(main))
    question = (match := _HOW.match(main)) is not None or main.endswith("?")
    asked = main if match is None else match["rest"]
    if not question or not _refers_back(asked):
        return title
    before = "" if match is None else _JOINT.sub("", main[: match.start("asked")])
    plain = _says_much(before) and _PRONOUN.search(before) is None
    told = before if plain else _antecedent(problem, main)
    if told is None:
        return title
    named = _impersonal(single_blanks(_STATUS.sub("", told)).rstrip(".!? "))
    whole = f"{named}: {title[0].lower()}{title[1:]}"
    if len(whole) <= MAX_TITLE or (len(named) <= _SHORT and len(list(_words(asked))) >= _FEW):
        return whole
    return title if len(list(_words(asked))) >= _FEW else named


def _antecedent(problem: Sequence[str], main: str) -> str | None:
    """Return the sentence that names what the main one refers to: the nearest before it, or else the first after it.

    One without a pronoun is preferred.
    """
    at = problem.index(main) if main in problem else len(problem)
    others = [each for each in (*reversed(problem[:at]), *problem[at + 1 :]) if _says_much(each)]
    return next((each for each in others if _PRONOUN.search(each) is None), next(iter(others), None))


def _says_much(sentence: str) -> bool:
    named = "\n" not in sentence and len(sentence.split()) > _FEW and _POINTS_BACK.match(sentence) is None
    return named and any(True for _ in _words(without_holes(sentence)))


def _refers_back(asked: str) -> bool:
    """Return whether a question names its object by a pronoun only, or hardly says what it is about."""
    return _REFERS.match(asked) is not None or len(list(_words(asked))) < _FEW


def _written(sentence: str) -> str:
    """Return a sentence without its status, and without the sounds of speech."""
    text = _FILLERS.sub("", _STATUS.sub("", single_blanks(sentence)))
    text = _LEADS.sub("", text)
    return _RESUMED.sub(lambda match: f"{match['what']} ", text) if "," in text else text


def _quoted(title: str) -> str:
    """Return a title with the mark that ends its quotation."""
    return f'{title}"' if title.count('"') % 2 and not title.endswith('"') else title


def main_sentence(problem: Sequence[str]) -> str:
    """Return the most informative sentence of a problem, the first of equal ones, without placeholders."""
    bare = [told for each in problem if (told := without_holes(each)).strip(" .")] or list(problem)
    return max(bare, key=_weight)


def keywords_in(title: str, problem: str, resolution: str) -> list[str]:
    """Return up to ten words and names that the skill is about, the most informative first, each in one form."""
    title, problem, resolution = map(without_placeholders, (title, problem, resolution))
    whole = f"{title}. {problem}\n{resolution}"
    named = [match.group() for match in _CODE.finditer(whole)]
    named += [match for match in _QUOTED_CODE.findall(whole) if " " not in match]
    proper = Counter(match.group().strip() for match in _PROPER.finditer(_without_code(title, problem, resolution)))
    named += [
        name
        for name, _ in proper.most_common()
        if stem(name.casefold()) not in _GENERIC_STEMS
        and name.casefold() not in _GENERIC
        # A name in capitals is kept: "SE" and "IM" are products, "Sie" and "Der" are not.
        and (name.isupper() or name.casefold() not in FUNCTION_WORDS)
    ]
    words = [word for word, _ in _weighed(title, problem, resolution).most_common()]
    return _distinct([*named[:5], *words])[:MAX_EXTRACTED_KEYWORDS]


def _without_code(title: str, problem: str, resolution: str) -> str:
    """Return the prose of a skill; the code of a step is in the lines after its first."""
    steps = "\n".join(step.split("\n", 1)[0] for step in steps_of(resolution))
    return f"{title}.\n{problem}\n{steps}"


_GENERIC_STEMS: Final = frozenset(map(stem, _GENERIC))


def _weighed(title: str, problem: str, resolution: str) -> Counter[str]:
    """Return nouns and verbs by how often they occur, which counts for more in the title and the problem."""
    weights: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for text, weight in ((title, 4), (problem, 2), (resolution, 1)):
        for word in _words(text):
            weights[stem(word)] += weight
            shown.setdefault(stem(word), word)
    return Counter({shown[root]: weight for root, weight in weights.items()})


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        word = match.group().casefold().strip("'’.-/")
        word = word.removesuffix("'s").removesuffix("’s")
        plain = len(word) >= 3 and not word[0].isdigit() and "/" not in word
        if word in FUNCTION_WORDS:
            continue
        if plain and word not in STOP_WORDS and word not in _GENERIC and stem(word) not in _GENERIC_STEMS:
            yield word


def _distinct(words: Sequence[str]) -> list[str]:
    found: dict[str, str] = {}
    for word in words:
        root = " ".join(stem(part) for part in word.casefold().split())
        if word.strip() and len(word) <= MAX_KEYWORD and not any(root in known.split() for known in found):
            found.setdefault(root, word)
    return list(found.values())


def _weight(sentence: str) -> int:
    """Return how much a sentence says about the problem."""
    question = (match := _HOW.match(sentence)) is not None and _BARE_QUESTION.fullmatch(match["rest"]) is None
    trouble = names_trouble(sentence)
    size = len(sentence.split())
    return 3 * question + 3 * trouble + sentence.endswith("?") + (4 <= size <= 25) - (size > 40) - 2 * (size < 3)


_TROUBLE = re.compile(
    r"(?i)\b(?:error|fail\w*|can'?t|cannot|unable|not (?:work|able|sync|print|load|show|start|open|connect)\w*"
    r"|doesn'?t|does not|won'?t|crash\w*|slow\w*|blank|wrong|broken|lost|locked|stuck|freez\w*|denied|missing"
    r"|gone|vanish\w*|disappear\w*|dead|no longer|keeps|instead of|refus\w*|charged|drop\w*|stops?|0x[0-9a-f]+)\b"
)


def names_trouble(sentence: str) -> bool:
    """Return whether a sentence has a word for a failure."""
    return _TROUBLE.search(sentence) is not None


def _shortened(sentence: str) -> str:
    """Return a sentence as a title: "How to X", "Error X when opening Y", "Cannot X"."""
    text = _LEADS.sub("", single_blanks(sentence)).strip()
    if (match := _HOW.match(text)) is not None:
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
