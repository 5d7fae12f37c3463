"""The keywords by which a skill is found."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from toolsets.lexical_scores import STOP_WORDS, stem
from toolsets.skills.extraction.function_words import FUNCTION_WORDS
from toolsets.skills.extraction.model import MAX_KEYWORD, steps_of
from toolsets.skills.redaction import without_placeholders
from toolsets.skills.transcript import Turn
from toolsets.skills.transcript.speakers import label_role

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
    aint although arent bit cannot cant couldnt didnt doesnt hadnt hasnt havent isnt mistake older shouldnt sorry tell told
    totally wasnt werent wouldnt write written wrote
    aunt auntie boyfriend brother cousin dad daddy flatmate friend girlfriend grandad grandfather grandma grandmother grandpa
    housemate husband mate mom mum mummy neighbor neighbour roommate sister uncle wife whatever whenever whoever
    able about above actually add again ago allow almost already also always another anyone anything appear around
    ask available away back bad base be become before below best better bit both button came can can't case
    cause certain change check choose click come contain correct could currently customer day describe detail
    did didn't different do document documentation does doesn't don't done dont down during e.g each eight either eleven else
    end enough error etc even ever every everything exactly example fact few file find fine first five fix
    follow following found four from front full further gave general get give go goes going good got great had
    happen has have having help here hold hour how however hundred i'm i've i.e idea if include information instead into
    isn't issue it'll it's item itself just keep kind know last later latest least leave less let let's level
    like line list little long look lot made main make manual many matter may maybe me mean means message might
    minute month more morning most much must my name nearly need never new next nice nine no none not note nothing
    now number off often ok okay old once one only open option or order other our out over own page part people
    per place please point possible press probably problem provide put question quickly quite rather read really
    reason refer require result right run said same save say says second section see seem select set seven several six
    should show side simple simply since so some someone something sometimes soon sort sound specific start
    state step still stop such support sure system take team tell ten than thank thanks that that's the them then
    there there's they're thing think this those though thought three thus time to today together too tried try
    turn twelve twenty two type under until up us use used user using usual usually various very via want was way we week well
    went were what when whenever where whether which while who whole why will with within without won't wont
    um uh word work worked works would write wrong yeah year yes yesterday yet you you'll you're your yourself""".split()
)
MAX_EXTRACTED_KEYWORDS: Final = 10
"""Later words say less about the problem, and each lets further questions match."""


def keywords_in(title: str, problem: str, resolution: str, people: Collection[str] = ()) -> list[str]:
    """Return up to ten words and names that the skill is about, the most informative first, each in one form.

    The names of `people`, in lower case, are none.
    """
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
    named = [name for name in named if not all(word in people for word in name.casefold().split())]
    words = [word for word, _ in _weighed(title, problem, resolution).most_common() if word not in people]
    return _distinct([*named[:5], *words])[:MAX_EXTRACTED_KEYWORDS]


def people_in(turns: Iterable[Turn]) -> frozenset[str]:
    """Return the first names of the speakers and of those whom they greet or thank, in lower case."""
    names: set[str] = set()
    for turn in turns:
        if turn.speaker is not None and label_role(turn.speaker) is None:
            names.update(word.casefold().lstrip("@") for word in turn.speaker.split()[:1] if _NAME.fullmatch(word))
        names.update(match["name"].casefold() for match in _QUOTED_PERSON.finditer(turn.text))
        names.update(match["name"].casefold() for match in _ADDRESSED.finditer(turn.text))
    return frozenset(names)


_NAME = re.compile(r"@?[^\W\d_][\w.-]{1,29}")
_QUOTED_PERSON = re.compile(r"\b(?P<name>[A-Za-z][a-z]{0,20}[_\d]\w{0,20}) (?:mentioned|posted|said|suggested|wrote)\b")
"""A handle of someone whose words are quoted."""
_ADDRESSED = re.compile(
    r"\b(?i:cheers|dear|evening|hello|hey|hi|hiya|morning|thanks|thank you|thx),? "
    r"(?P<name>[A-ZÄÖÜÉ][a-zà-ÿ]{1,19})(?=[ \t]*(?:[,.!?:;–-]|$))",
    re.MULTILINE,
)


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
        for word in informative_words(text):
            weights[stem(word)] += weight
            shown.setdefault(stem(word), word)
    return Counter({shown[root]: weight for root, weight in weights.items()})


def informative_words(text: str) -> Iterator[str]:
    """Yield the words of a text, in lower case, that are neither function words nor found in most conversations."""
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
