"""Words a sentence as an instruction."""

import re
from typing import Final

from toolsets.skills.extraction.command_lines import is_command, names_program
from toolsets.skills.extraction.cues import asks_back, is_chatter, is_refusal, is_small_talk
from toolsets.skills.extraction.frames import (
    first_word,
    framed_instruction,
    from_gerund,
    in_frame,
    is_deed,
    without_courteous_end,
)
from toolsets.skills.extraction.imperatives import is_order
from toolsets.skills.extraction.lexicon import lexicon
from toolsets.skills.extraction.markup import outside_code, single_blanks
from toolsets.skills.extraction.sentences import Sentence
from toolsets.skills.extraction.solutions import solving_step
from toolsets.skills.extraction.verbs import DONE, is_verb, third_person

_LEXICON = lexicon("answers")
_LEAD = re.compile(
    rf"(?i)(?:{_LEXICON.any_of('opening')}(?:[,:;!]+\s+|\s+[-–—]+\s+)|"
    r"(?:ok(?:ay)?|alright|sure|great|(?:thanks|thank you)(?: for [^.,;:!?\n]{2,60}?(?=[,.:;!]|\s[-–—]))?"
    r"|right|yes|no|hm+|ah|oh|well|fine|perfect|got it"
    r"|in that case|in this case|from now on|and|rather|so(?! that\b)|also|then|next|now"
    r"|first(?:ly| of all)?|second(?:ly)?|third(?:ly)?"
    r"|consequently|hence|therefore|thus|finally|lastly|after (?:that|this)|afterwards|once (?:that|this)(?:'s| is)? done"
    r"|instead|alternatively|additionally|please|kindly|just|simply|basically|actually|again|meanwhile"
    r"|either|or(?: else)?|or (?:you can )?(?:also|alternatively)|as a workaround|as a next step|to start"
    r"|to begin with|i see|(?:step"
    r"|option) ?\d+)(?:[,.:;!]+\s*|\s*[-–—]+\s+|\s+))+"
)
_ADVERBS: Final = rf"(?:{_LEXICON.any_of('adverb')} )*"
_SEQUENCE = re.compile(r"(?i)\b(?:after (?:that|this)|afterwards|finally|first|here|instead|next|now|then)\b")
_ASKED = re.compile(
    r"(?i)(?:(?:could|can|would|will) you (?:please |kindly |maybe |also |then |just |try to )*|(?:you(?:'ll"
    rf"| will| would| may| might)? {_ADVERBS}(?:can|could|need to|should|have to|must|may|might|want to|ought to|need only"
    r"|are able to|may want to|might want to|got to|be able to|will need to)"
    r"|(?:all |what )?you (?:need|have)(?: to do)? is(?: to)?(?: do is(?: to)?)?"
    r"|you (?:just|simply)(?= (?!had|need|put|set)[a-z]+ )|i(?:'d| would)? (?:suggest|recommend"
    r"|advise)(?: that)? you(?: to)?|(?:the |an? )?(?:\w+ )?(?:solution|fix|workaround|trick"
    r"|way(?: to [\w ]{1,40}?)?|answer|thing|option|remedy|recommendation|idea|method|approach) (?:here )?(?:is"
    r"|would be|was) to"
    r"|it (?:is|'s|would be) (?:best|better|enough|sufficient|necessary|recommended|advisable|possible|easiest"
    r"|a good idea|good practice|handy|helpful|safe|safest|useful|wise|worth(?:while)?) to"
    r"|let's|let us|what you (?:can|should|need to) do is(?: to)?|one (?:can"
    rf"|should|may|must)|{_LEXICON.any_of('proposal')}|users? (?:can|should|may|must|need to)) {_ADVERBS}(?:try to )?{_ADVERBS}"
    r"(?:please )?)"
)
_TRIED = re.compile(
    r"(?i)(?:have you (?:already )?(?:tried|considered)|did you (?:already )?try|(?:maybe |perhaps |you (?:can"
    r"|could|should|might) |please )?try(?: to)?|i(?:'d| would)? (?:suggest|recommend|advise|try)"
    r"|(?:what )?(?:worked|works|helps?|helped|fixed it)(?: for (?:me|others|us|most people))? (?:is|was)"
    rf"|how about|what about|consider|worth|{_LEXICON.any_of('proposal_of_doing')}|start(?: off)? (?:by|with)|begin (?:by|with)) "
)
_NEGATED = re.compile(
    r"(?i)you (?:should not|shouldn't|must not|mustn't|can't|cannot|needn't|don't (?:need|have) to"
    r"|do not (?:need|have) to) "
)
_MAKE_SURE = re.compile(r"(?i)(?:make|be) sure|ensure|remember to")
_REMARK = re.compile(rf"(?i){_LEXICON.any_of('remark')}\b")
_DISCOURSE = re.compile(rf"(?i)(?:let's|let us) {_LEXICON.any_of('discourse')}\b")
_ABLE = re.compile(rf"(?i){_LEXICON.any_of('able')} to ")
_PRECONDITION = re.compile(
    r"(?i)(?:(?:also|and|but|note that|of course|please note that),? )?(?:you|one)(?:['’]ll| will)?(?: also| only| just| still)? "
    r"(?:must|should|(?:have|need)(?: only)? to|need only) (?:also |already |always |still )?"
    r"(?:(?:be|have) [^,;:?!]{2,80} (?:for|before|during|to do|when you do|while (?:you do|doing)) (?:it|that|this|so)"
    r"(?: to work)?[.!]*|be (?:an?|the owner)\b[^?]{2,160})"
)
_ASKS_FOR_OUTPUT = re.compile(rf"(?i)\b{_LEXICON.any_of('output')}\b")
_NO_ORDERS = _LEXICON.words("no_order")
_IF_NOT = re.compile(rf"(?i){_LEXICON.any_of('if_not')},? (?=\S)")
_PROHIBITION_LEAD: Final = rf"(?:{_LEXICON.any_of('prohibition_lead')}[,:;.!\s–-]+){{0,3}}"
_PROHIBITION = re.compile(rf"(?i){_PROHIBITION_LEAD}{_LEXICON.any_of('prohibition')}\s?:")
_BARE_PROHIBITION = re.compile(rf"(?i){_PROHIBITION_LEAD}{_LEXICON.any_of('bare_prohibition')}\W*")
_LONGEST_BARE: Final = 80
"""Characters; a longer sentence that forbids something has an instruction besides."""
_PERMISSION = re.compile(rf"(?i){_LEXICON.any_of('permission')}\b|.*\binstead\b")
_NEGATIVE = re.compile(r"(?i)(?:do not|don['’]?t|never|avoid|stop|refrain)\b")
_FORBIDDING = re.compile(rf"(?i){_LEXICON.any_of('forbidding_lead')},? (?=\S)")
_FORBIDDEN_AFTER = re.compile(
    rf"(?i)(?P<what>[a-z-]+ing\b[^.!?,;:]{{2,120}}?) {_LEXICON.any_of('forbidden_after')}[.!]*"
)
_NEGATED_LEAD = re.compile(
    rf"(?i){_LEXICON.any_of('negated_lead')},? (?=(?:please )?(?:do not|don['’]?t|never|avoid)\b)"
)
_DISMISSAL = re.compile(rf"(?i){_LEXICON.any_of('dismissal')}[.!]*")
_CONDITION_FIRST = re.compile(
    r"(?i)(?P<before>(?:if|when|once|after|before|to|in order to|so that|in|on|at|under|from|for|as|with|within|inside"
    r"|unless|while|until|by default|depending on|whenever|since|because|as soon as|using|via|during|instead of"
    r"|next to|beside|below|above|behind)\b(?:[^.!?]|\.(?=\w)|(?<=e\.g)\.|(?<=i\.e)\.){2,160}?),\s+(?P<rest>\S.*)",
    re.DOTALL,
)
_PURPOSE_FIRST = re.compile(
    r"(?i)(?P<before>(?:to|in order to)\b[^.!?,:]{2,160}?) (?P<rest>(?:you (?:can|could|have|just|may|might|must|need|should"
    r"|simply)|(?<!and )(?<!or )(?<!to )(?<!not )(?:add|enter|paste|put|run|type|use|write) (?:the following|these|this))\b.*)",
    re.DOTALL,
)
"""A purpose without a comma after it."""
_PLACE_FIRST = re.compile(
    r"(?P<before>(?i:in|on|at|under|within|from|inside) (?:[^\s,.;:!?]+ ){0,8}?[A-Z\d\"“«'`*][^\s,;:!?]*) "
    r"(?P<rest>[a-z-]{2,20} (?:[A-Z\d\"“«'`*]|(?:a|all|an|any|both|it|its|off|that|the|these|this|those|your)\b).*)",
    re.DOTALL,
)
"""A place without a comma after it, such as "In Options > Audio"; an object follows the verb."""
_PASSIVE = re.compile(
    r"(?i)\b(?:can|may|must|should|needs? to|has to|have to|could) (?:\w+ly |also |only |always "
    r"|then )?be \w+(?:ed|en|t|ut|one|un|ght|wn|de|ade|et)\b"
    r"|\b(?:is|are) (?:done|achieved|accomplished|configured|set|controlled|enabled|disabled|installed|changed"
    r"|performed|managed|found) (?:by|with|in|via|using|through|under)\b"
)
_DID = re.compile(
    r"(?i)(?P<who>i|we|our (?:team|engineers|developers)|support|billing|they)(?P<has>'ve| have"
    r"| has)?(?: (?:also|now|just|already|manually|gone ahead and))* (?P<verb>[a-z-]{3,14})\b(?P<rest>.*)"
)
_YOUR = re.compile(r"(?i)(?<![\w./-])your(?![\w/-]|\.\w)")
_VOCATIVE = re.compile(
    rf"^(?:(?:hi|hello|hey|dear|thanks|thank you|ok|sure|yes|no|sorry) )?(?!{_LEXICON.any_of('no_name')},)"
    r"[A-Z][a-z]{1,15}, (?=[a-z])"
)


def wording_of(sentence: Sentence, text: str, *, listing: bool) -> str | None:
    """Return a sentence, whose plain wording is `text`, as an instruction; None if it is not one.

    `listing` means that the sentence is below a line that announces steps.
    """
    if sentence.kind == "code":
        return sentence.text
    if sentence.kind == "caption":
        return None
    instruction = instruction_in(text)
    if instruction is not None:
        return (
            None
            if asks_back(instruction) or is_small_talk(instruction)
            else _alternative(text, as_sentence(instruction))
        )
    if is_chatter(text) or is_refusal(text) or text.endswith("?"):
        return None
    if sentence.kind == "item" and (sentence.ordered or listing) and not asks_back(text):
        return as_sentence(text)
    if (done := _support_action(text)) is not None:
        return as_sentence(done)
    if (solved := solving_step(text)) is not None:
        return solved
    return as_sentence(text) if _PASSIVE.search(text) is not None else None


def is_precondition(text: str) -> bool:
    """Return whether a sentence says what its reader must be or have for the step before it: "You must be online for that."."""
    return _PRECONDITION.fullmatch(text) is not None


def introduction(text: str) -> str | None:
    """Return the instruction by which a sentence introduces code, though its verb may ask for a detail: "Give the type:".

    None if the sentence has no colon or asks the customer for what the code prints.
    """
    instruction = instruction_in(text) if text.endswith(":") and _ASKS_FOR_OUTPUT.search(text) is None else None
    return None if instruction is None or is_small_talk(instruction) else as_sentence(instruction)


def plain(text: str) -> str:
    """Return a sentence without the name of its addressee, and with single blanks except in inline code."""
    return _VOCATIVE.sub("", single_blanks(text))


def as_sentence(text: str) -> str:
    """Return a sentence that begins with a capital and ends with a full stop."""
    text = text.strip()
    # Few sentences end so, and a search for what ends a text begins at each blank.
    text = _TRAILING.sub("", text) if text.endswith(_TRAILING_MARKS) else text
    text = _LAST_JOINT.sub("", text) if text[-4:].lower().endswith(_LAST_JOINTS) else text
    if not text or is_command(text):
        return text
    first = text.split(maxsplit=1)[0]
    plain_word = _IN_WORD.sub("", first).rstrip(",.!").isalpha() and (first.islower() or len(first) == 1)
    if plain_word and not _begins_with_program(text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in '.!?…`)"”]' or _ENDS_ABROAD.search(text) is not None else f"{text}."


def _begins_with_program(text: str) -> bool:
    """Return whether a sentence begins with a command, unlike "apt reports an error", which names the program as its subject."""
    first, _, rest = text.partition(" ")
    return names_program(first) and ("-" in first or third_person(first_word(rest)) is None)


_ENDS_ABROAD = re.compile(r"[。．！？؟।۔｡][\"'”’」』）)]?$")
_TRAILING = re.compile(r"(?:[\s,:]|(?<!\b(?:cd|su) )(?<!\bcat )-(?<![\w=/]-)|(?<![\"'`)\]}\d*]);)+$")
"""Marks at the end of a sentence that continues, not the `-` and `;` of a command."""
_TRAILING_MARKS: Final = (",", ":", "-", ";")
_LAST_JOINTS: Final = (" and", " or")
_LAST_JOINT = re.compile(r"(?i)[,;]? (?:and|or)$")
_IN_WORD = re.compile("[-'’]")


def _alternative(text: str, wording: str) -> str:
    """Return an instruction with the "Or" or "Alternatively" that makes it an alternative to the one before."""
    if text[:3].casefold() == "or ":
        return f"Or {lowered(wording)}"
    return f"Alternatively, {lowered(wording)}" if _ALTERNATIVELY.match(text) is not None else wording


_ALTERNATIVELY = re.compile(r"(?i)(?:and )?alternatively\b")


def asks_for_fact(text: str) -> bool:
    """Return whether a sentence asks for a fact, such as "What version is it?", not whether something is so."""
    return text.endswith("?") and _FACT.search(text) is not None


def is_hint(text: str) -> bool:
    """Return whether a sentence after such a question only says where its answer is found: "You can see it in About"."""
    if _WHERE_FOUND.match(text) is None and _TO_FIND_OUT.fullmatch(text) is None:
        return False
    return not any(is_verb(match[1].lower()) and match[1].islower() for match in _AND_THEN.finditer(text))


def shows_where(text: str) -> bool:
    """Return whether a sentence after any question says where its answer is seen, unlike "Check it" after "Is it on?"."""
    return _SEEN.match(text) is not None and is_hint(text)


_SEEN = re.compile(
    r"(?i)you(?:['’]ll| can| could| should| will) (?:also |easily |just )?(?:find|read|see|tell) (?:it|that|this)\b"
)
_FACT = re.compile(r"(?i)\b(?:how(?! about\b)|what(?! (?:about|if)\b)|when|where|which|who)\b")
_WHERE_FOUND = re.compile(
    r"(?i)(?:(?:just|please|you(?:['’]ll| can| could| should| will)?) ){0,3}(?:check|find|look|read|see)(?: up)? "
    r"(?:it|that|them|this|those)\b"
)
_TO_FIND_OUT = re.compile(
    r"(?i)(?:.{3,200} )?to (?:check|find|find out|know|read|see)(?: (?:it|that|them|this|those))?(?:[.!]*|, .{3,200})"
)
_AND_THEN = re.compile(r"(?i)\b(?:and|then),? (?:then )?([a-z]+)\b")


def instruction_in(text: str) -> str | None:
    """Return the instruction in a sentence, from its verb on; a condition before the verb is kept."""
    lead = "" if (match := _LEAD.match(text)) is None else match.group()
    bare = text[len(lead) :]
    if _DISMISSAL.fullmatch(bare) is not None:
        return None
    if (warning := _warning(text) or _warning(bare)) is not None:
        return warning
    if (instruction := _imperative(bare)) is not None:
        return instruction
    if _SEQUENCE.search(lead) is not None and bare[:4].lower() == "you " and is_deed(bare[4:]):
        return bare[4:]
    if (otherwise := _IF_NOT.match(bare)) is not None:
        instruction = instruction_in(bare[otherwise.end() :])
        return None if instruction is None else f"{otherwise.group().strip(', ')}, {lowered(instruction)}"
    if (clause := _PURPOSE_FIRST.fullmatch(bare) or _CONDITION_FIRST.fullmatch(bare)) is not None:
        rest = clause["rest"]
        rest = rest[match.end() :] if (match := _LEAD.match(rest)) is not None else rest
        instruction = _imperative(rest)
        if instruction is not None:
            return f"{clause['before'][0].upper()}{clause['before'][1:]}, {lowered(instruction)}"
    placed = _PLACE_FIRST.fullmatch(bare)
    return bare if placed is not None and is_order(placed["rest"]) else None


def _warning(text: str) -> str | None:
    """Return what a sentence forbids with its negation: "do not open it" for "Under no circumstances open it"."""
    if text.endswith(":"):
        return None
    if (match := _NEGATED_LEAD.match(text)) is not None:
        return instruction_in(text[match.end() :])
    if (match := _FORBIDDING.match(text)) is not None:
        rest = text[match.end() :]
        return f"do not {lowered(rest)}" if is_verb(first_word(rest)) else None
    match = _FORBIDDEN_AFTER.fullmatch(text)
    forbidden_action = None if match is None else from_gerund(match["what"])
    return None if forbidden_action is None else f"do not {forbidden_action}"


def forbids_what_follows(text: str) -> bool:
    """Return whether a sentence forbids what is below it, such as "Do not:" or "Never run any of these:"."""
    if text.endswith(":") and _PROHIBITION.fullmatch(text) is not None:
        return True
    return len(text) < _LONGEST_BARE and _BARE_PROHIBITION.fullmatch(text) is not None


def permits(text: str) -> bool:
    """Return whether a sentence below a prohibition says what to do instead: "Rather, do ...", "Instead, ..."."""
    return _PERMISSION.match(text) is not None


def forbidden_instruction(text: str) -> str | None:
    """Return an instruction that a sentence forbids with its negation; None for other sentences."""
    instruction = instruction_in(text)
    if instruction is None or (_NEGATIVE.match(instruction) is None and not is_verb(first_word(instruction))):
        return None
    return as_sentence(instruction if _NEGATIVE.match(instruction) is not None else f"Do not {lowered(instruction)}")


def _imperative(text: str) -> str | None:
    if (match := _NEGATED.match(text)) is not None:
        return (
            None if "need" in match.group() or "have" in match.group() else f"do not {text[match.end() :].rstrip('?')}"
        )
    if (instruction := framed_instruction(text)) is not None:
        return instruction
    if (match := _ASKED.match(text)) is not None:
        return _asked(text, match)
    if (match := _TRIED.match(text)) is not None:
        return _tried(text, match)
    if _MAKE_SURE.match(text) is not None:
        return text
    if is_order(text):
        return text if _REMARK.match(text) is None else None
    return in_frame(text)


def _asked(text: str, asked: re.Match[str]) -> str | None:
    rest = _ABLE.sub("", text[asked.end() :], count=1) if asked.end() else text
    if _DISCOURSE.match(text) is not None or _REMARK.match(rest) is not None or first_word(rest) in _NO_ORDERS:
        return None
    if (gerund := from_gerund(rest)) is not None:
        return without_courteous_end(gerund.rstrip("?"))
    known = is_verb(first_word(rest)) or _MAKE_SURE.match(rest) is not None
    return without_courteous_end(rest.rstrip("?")) if known else in_frame(text)


def _tried(text: str, tried: re.Match[str]) -> str | None:
    rest = text[tried.end() :].rstrip("?")
    if (base := from_gerund(rest)) is not None:
        return base
    known = is_verb(first_word(rest)) and "try" in tried.group().lower()
    return rest if known else _tried_thing(text, rest)


def _tried_thing(text: str, rest: str) -> str | None:
    """Return "try the other port" unchanged; None for other words before a noun, which are not an instruction."""
    return (
        f"try {rest}"
        if re.match(r"(?i)(?:please )?try (?:the|this|a|an|another|these|with|it|your|in|from|again)\b", text)
        else None
    )


def _support_action(text: str) -> str | None:
    """Return what support did on its side, with support as the subject; None if a sentence reports no such thing."""
    bare = text[match.end() :] if (match := _LEAD.match(text)) is not None else text
    match = _DID.match(bare)
    if match is None or match["verb"].lower() not in DONE or asks_back(bare):
        return None
    has = " has" if match["has"] else ""
    rest = outside_code(lambda prose: _YOUR.sub("the customer's", prose), match["rest"])
    return f"Support{has} {match['verb'].lower()}{rest}"


def lowered(text: str) -> str:
    """Return a sentence that begins in lower case, unless its first word is a name in capitals."""
    return text[0].lower() + text[1:] if text[:2].istitle() else text
