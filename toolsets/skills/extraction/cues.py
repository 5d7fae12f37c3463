"""What a sentence is for: courtesy, a question to the customer, or words for a machine that reads along."""

import re
from typing import Final

_COURTESY = re.compile(
    r"(?i)\W*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day)|greetings|hallo|bonjour"
    r"|hola)\b(?:[ ,]+(?:there|all|everyone|everybody|team|folks|guys|again|sir|madam"
    r"|support|[A-Z][\w.-]{1,20})){0,4}\W*"
    r"|(?:thanks?(?: you)?|thx|ty|cheers|many thanks|thank you so much|much appreciated|appreciate it|great"
    r"|perfect|awesome|excellent|ok(?:ay)?|sure|yes|no|yep|nope|alright|got it"
    r"|cool|nice|wonderful|fantastic|understood|i see|will do|of course|certainly|absolutely|no problem"
    r"|no worries|never mind|you'?re (?:very )?welcome|welcome|my pleasure|anytime"
    r"|any ideas?|any help(?: is| would be)? appreciated|help|please help(?: me)?|can (?:you|anyone|someone"
    r"|anybody) (?:please )?help(?: me)?(?: with this)?"
    r"|is (?:any|some)(?:one|body) there|are you there)(?:[ ,]+(?:so much|very much|a lot|again|then"
    r"|for (?:your|the|all the) \w+(?: \w+)?|in advance|[A-Z]\w+)){0,3}\W*)"
)
_CHATTER = re.compile(
    r"(?i)\b(?:thank(?:s| you) (?:for|so much|very much|again)|sorry (?:to hear|for the|about)|apologi[sz]e"
    r"|happy to (?:help|assist)|glad (?:to|that|it|i|you|we)|hope (?:this|that|it) (?:helps?|works?)"
    r"|hope you|have a (?:great|good|nice|lovely|wonderful)|let (?:me|us) know|feel free|don'?t hesitate"
    r"|do not hesitate|anything else|any (?:other|further|more) (?:questions?|issues?)"
    r"|if you (?:have|need|run into|experience) (?:any|further|more|anything)|how (?:can|may) (?:i|we) (?:help"
    r"|assist)|i (?:completely |totally |fully )?understand|i(?:'ll| will) (?:be|check|look|take|get|escalate"
    r"|ask|pass|follow|try|do|see|keep|report|wait)"
    r"|let me (?:check|look|see|ask|pull|verify|find|get|test)|one (?:moment|second|sec|minute)"
    r"|just a (?:moment|second|sec|minute)|bear with me|please (?:hold|wait a|stand by|bear)"
    r"|(?:my|the) name is|this is \w+ from|you'?re welcome|best regards|kind regards|i(?:'m| am) (?:sorry"
    r"|checking|looking|going to (?:check|look))|rate (?:this|our|your)|take care|talk (?:to you )?soon"
    r"|we appreciate|we value|nice to meet|(?:does|did) (?:that|this|it) (?:help|work|solve|fix|make sense)"
    r"|is (?:it|that) (?:working|ok|better|fixed)(?: now)?\?|how (?:did|does) (?:it|that) go|keep (?:me|us) posted"
    r"|welcome to|great (?:question|to hear)|good (?:question|to hear|news)|that'?s (?:great|good|strange|odd"
    r"|weird|helpful|fine)|no problem|no worries|see you|bye)\b"
)
_ASKS_BACK = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|and|so|thanks|sure|also|but|first|just to be sure|just checking|out of curiosity"
    r"|quick question)[,.:]? )*(?:(?:could|can|would|will) you (?:please |kindly |also )?|please |kindly )?"
    r"(?:send|tell|share|provide|confirm|describe|attach|post|paste|give|let (?:me|us) know"
    r"|upload a (?:screenshot|log)|show|explain|clarify|elaborate|specify|dm|message|e-?mail (?:me|us)|reply)\b"
)
_QUESTION_WORD = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|and|so|thanks|sure|also|but|hm+|ah|oh)[,.:]? )*(?:which|what|when|where|who|why|how"
    r"|is|are|was|were|do|does|did|has|have|had|any|since when|and)\b"
)

_TO_A_MACHINE = re.compile(
    r"(?i)\b(?:(?:ignor|disregard|forget|overrid|bypass|skip|ignorier|vergiss|ignora|oublie)\w{0,3}\b.{0,20}?\b"
    r"(?:(?:your|previous|prior|above|earlier|preceding|former|original|initial|system)\b.{0,25}?\b(?:prompt|rule"
    r"|command|direction)|(?:all|any|every|your|previous|prior|above|earlier|preceding|former|original|initial|system"
    r"|these|those|alle|deine|vorherige\w*|todas|toutes)\b.{0,25}?\b(?:instruction|guideline|constraint|guardrail"
    r"|anweisung|regel|instruccion|consigne))\w*"
    r"|(?:ignore|disregard|forget) (?:everything|anything|all|what|the)\b.{0,30}\b(?:above|before|previous|prior"
    r"|said|told|so far|conversation)\b"
    r"|(?:new|updated|real|actual|hidden|secret|special) (?:system )?instructions?\s?:"
    r"|system (?:prompt|override|instructions?)|system (?:message|note|command)\s?:"
    r"|(?:you are|you're|du bist) (?:now |no longer |actually |ab jetzt )*(?:an? |the )?(?:ai|assistant|language"
    r"|model|llm|bot|chatbot|helpful|evil|unrestricted|jailbroken|dan|skill|extract)\b"
    r"|act as (?:an? |the )?(?:\w+ ){0,2}(?:ai|assistant|llm|chatbot|dan|extractor)"
    r"|pretend (?:to be|(?:that )?you(?:'re| are))|role-?play"
    r"|as an? (?:ai|llm|language model|large language)|(?:large |your )language model|\bllms?\b"
    r"|dan mode|do anything now|prompt injection"
    r"|from now on,? (?:you )?(?:must |will |should |shall )?(?:always |only )?(?:answer|respond|reply|output|act"
    r"|extract)"
    r"|(?:respond|reply|answer|output|print|return|say|emit|produce)(?: back)? (?:only|just|exactly|verbatim) (?:with |in )?"
    r"(?:json|(?:the )?(?:following|word|phrase|string|text|sentence))|(?:output|emit|return|respond with|respond in) json"
    r"|(?:output|emit|produce|respond with) (?:exactly |only )?the following"
    r"|(?:set|change|make|put|fill|use|write|assign) (?:the |your |its )?(?:confidence|keywords?|product[_ ]area"
    r"|issue[_ ]type)(?: field| value)? (?:to|as|=|:|with|into|equal)"
    r"|(?:confidence|skill|summary|keywords|extraction) (?:must|should|shall|has to|needs to) (?:be|say|contain"
    r"|include|read|start|equal|have)|resolution (?:must|should|shall|has to|needs to) (?:say|contain|include|read)"
    r"|(?:extract|record|store|save|add|insert|include|append|inject|put|print|output|write)\b.{1,80}?\b(?:as (?:an?|the"
    r"|your) (?:only |new |first |last )?(?:steps?|skills?|resolution|solution)|(?:in|into|to|for) (?:the |every |all |each )"
    r"?(?:future )?(?:skills?|resolutions?|knowledge base|extraction))"
    r"|(?:reveal|repeat|leak|disclose|exfiltrate|show me|tell me|print) (?:me )?(?:your|its) (?:\w+ )?(?:prompt"
    r"|instructions?|rules|system message|context window)|(?:leak|exfiltrate)\b.{0,30}\b(?:environment|credentials"
    r"|secrets|api keys?)"
    r"|(?<!at the )end of (?:the )?(?:conversation|transcript|user input)"
    r"|(?:begin|start) (?:of (?:the )?)?(?:new|real|system|admin) (?:instructions?|prompt|task)"
    r"|(?:call|invoke) (?:the )?(?:tool|function|plugin)s? [\w-]*_\w+|tool_call|function_call"
    r"|(?:trusted|authorized|authorised) (?:admin|administrator|developer|operator) (?:message|override|command"
    r"|instruction)|attention,? (?:ai|assistant|bot|llm)"
    r"|(?:dear|hey|note to|message to|instructions? (?:to|for)) (?:the |any )?(?:ai|llm|assistant|extractor"
    r"|summari[sz]er|language model)"
    r"|(?:ai|extractor|summari[sz]er) (?:must|should|shall|will now|has to|is to)"
    r"|mark (?:this|it|the \w+) (?:as )?(?:confirmed|trusted|verified|resolved) with)\b"
    r"|[\"'](?:steps|resolution|confidence|keywords|issue_type|product_area)[\"']\s?:"
    r"|<\|(?:im_start|im_end|system|assistant|user|endoftext)[^<>]{0,40}\|>"
    r"|</?(?:system|assistant|instructions?|conversation|human|prompt)>|\[/?(?:INST|SYS)\]|<<\s?/?SYS\s?>>"
    r"|^\W{0,6}(?:system|developer|prompt)\s?:\s{0,3}(?:you|your|ignore|disregard|override|output|add|append|print"
    r"|reveal|respond|answer|always|forget|from now|extract|act)\b"
)
"""Words of an order to a program that reads along. What people also tell each other is none: to set a resolution, to skip a
prompt, to start the system, to turn on a developer mode, or a GPT on a disk."""


_MACHINE_CUES: Final = (
    *"ignor disregard forget overrid bypass skip vergiss oublie instruc anweisung regel consigne system pretend role".split(),
    *"assistant model llm gpt jailbreak mode inject respond reply answer output print return emit produce title".split(),
    *"confidence resolution problem keyword product issue condition skill summar json extract step knowledge".split(),
    *"every memory database prompt secret credential environment context task tool function plugin trusted".split(),
    *"authori attention language developer solution < [".split(),
    *(
        "all future",
        "you are",
        "you're",
        "du bist",
        "act as",
        "anything now",
        "from now",
        "say ",
        "write ",
        "api key",
        "end of ",
    ),
    *("mark ", " ai", "ai ", "bot"),
)
"""An order to a machine has one of these in it; to look for them takes less time than the pattern does."""


def is_courtesy(text: str) -> bool:
    """Say whether a sentence is nothing but a greeting, thanks or a plain yes."""
    return _COURTESY.fullmatch(text.strip()) is not None


def is_chatter(text: str) -> bool:
    """Say whether a sentence of somebody who helps tells nothing about the problem."""
    return is_courtesy(text) or _CHATTER.search(text) is not None


def asks_back(text: str) -> bool:
    """Say whether a sentence asks the customer for something: a detail, a file, a confirmation."""
    return _ASKS_BACK.match(text) is not None or (
        text.rstrip().endswith("?") and _QUESTION_WORD.match(text) is not None
    )


def is_addressed_to_a_machine(text: str) -> bool:
    """Say whether a sentence gives orders to a program that reads the conversation; none of it is ever learned."""
    folded = text.casefold()
    # A loop, since every sentence of a conversation comes here: `any` of a generator takes twice as long.
    for cue in _MACHINE_CUES:
        if cue in folded:
            return _TO_A_MACHINE.search(text) is not None
    return False
