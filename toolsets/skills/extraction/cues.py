"""What a sentence is for: courtesy, a question to the customer, an outcome, or words for a machine that reads along."""

import re
from typing import Final, Literal, TypeAlias

Outcome: TypeAlias = Literal["worked", "failed", "thanks", "none"]

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

_FAILED = re.compile(
    r"(?i)\b(?:(?:did|does|do|has|have|had)(?: not|n'?t) (?:seem to |really |actually )?(?:help|work|fix|solve"
    r"|change|do|make|resolve|go away|appear|seem)|(?:no|without) (?:luck|change|difference|joy|dice|effect"
    r"|success|avail|improvement)"
    r"|(?<!was )(?<!were )still (?:the same|not|n't|does|do|did|can'?t|cannot|get|getting|happen|happens"
    r"|happening|broken|fails?|failing|see|seeing|show|shows|showing|crash|crashes|crashing|have|having|there"
    r"|an? error|slow|blank|stuck|nothing|says?|no|won'?t|isn'?t|red|down|happened)"
    r"|(?:is|are|it'?s) (?:still )?not (?:working|fixed|solved|helping|resolved|it|there|possible|the (?:case"
    r"|problem|issue))|isn'?t (?:working|fixed|it|helping|solved)|(?:the )?same (?:error|problem|issue|thing"
    r"|result|message|behaviou?r|as before|story|again)"
    r"|(?:made|makes) (?:it|things) worse|(?:problem|issue|error) (?:persists|remains|is still|still|came back"
    r"|is back|returned|continues)|(?:came|come|comes|is|are) back(?: again)?$|won'?t (?:work|help|start|open|let)"
    r"|already (?:tried|did|done|checked|have)(?: that| this| it| both| all)?|(?:that|this|it)(?:'s| is"
    r"| was)? (?:no(?:t)? (?:good|help|use)|useless|failed|not it|the wrong)|nope|failed again|fails again"
    r"|negative|spoke too soon|not (?:yet )?(?:fixed|solved|working|resolved|helping)"
    r"|nothing (?:happens|happened|changed|changes|works|worked)|to no avail|no longer helps|unsuccessful"
    r"|doesn'?t either|did nothing)\b"
)
_WORKED = re.compile(
    r"(?i)\b(?:(?:that|this|it|which|one|these|those|steps?|restart(?:ing)?|reinstall(?:ing)?|answer|solution"
    r"|fix|workaround|trick|command|all|everything|both|update|he|she|both|\w+ing \w+|\w+ing the \w+"
    r"|\w+ing it)(?:'s| is| has| have| all| just| really| actually| did| finally|,?)? (?:worked|works|fixed"
    r"|solved|helped|resolved|did it|did the trick|done it|cleared|sorted|cured)"
    r"|did (?:the trick|it|help|work)(?![ ]not)|works? (?:now|again|fine|perfectly|great|well|beautifully"
    r"|flawlessly|like a charm|as expected|for me|like magic|a treat)|(?:is|are|it'?s|they'?re|all"
    r"|everything(?:'s| is)?|we'?re|i'?m|am) (?:now )?(?:working|fixed|solved|resolved|sorted|good|back(?: up)?"
    r"|fine|up|in|running|connected|online|green)(?: (?:now|again|and running|for me))?"
    r"|(?:problem|issue|case|mystery|error) (?:is )?(?:solved|resolved|fixed|gone|closed)|solved|resolved"
    r"|fixed(?: it| that)?|success|worked|(?:that|this) (?:was|is|'s) (?:it|exactly it|the (?:problem|issue"
    r"|cause|culprit|reason|one|trick|answer|solution))|that'?s it"
    r"|up and running|(?:i|we) (?:can|could|was able to|were able to|am able to|managed to) (?:now |finally "
    r"|again )?(?:\w+ ){1,8}?(?:now|again|finally|without)|(?:i|we) can now|(?:error|problem|issue|message"
    r"|warning) (?:is |has )?(?:now )?(?:gone|disappeared|went away)|no (?:more|longer) (?:errors?|crash"
    r"|problems?|an? |get|see|happen)"
    r"|brilliant|life ?saver|you(?:'re| are) (?:a genius|the best|awesome|amazing)|like a charm|bingo|hooray"
    r"|yay|woohoo|problem gone|turned green|light is green|loads? (?:now|again|fine)|prints? (?:now|again|fine)"
    r"|just what i (?:needed|was looking for)|exactly what i (?:needed|was looking for)|found it)\b"
)
_NOT_NOW = re.compile(
    r"(?i)\?|\bif (?:it|that|this)\b|\b(?:before|until|yesterday|used to|last (?:week|month|year|time)"
    r"|previously|earlier|for (?:a|the first|two|three|\d+) (?:minutes?|hours?|days?|while|seconds?|months?"
    r"|years?)|should (?:have )?work|would|might|hope|hopefully|see if|whether|when it|normally|usually"
    r"|it was working|always worked|let you know|try)\b"
)
_THANKS = re.compile(r"(?i)\b(?:thanks?(?: you)?|thx|ty|tysm|cheers|appreciate(?:d)?|danke|merci|gracias)\b")
_CLAUSE = re.compile(
    r"(?i)(?:[,;]|\s[-–—]+)?\s+(?:but|however|although|though|yet|except(?: that)?|only|then|and (?=(?:it|that"
    r"|this|now|the|i|still)\b))\s*"
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


def outcome_of(text: str) -> Outcome:
    """Return what a customer's reply says of what was tried before: the last clause that says anything decides."""
    outcome: Outcome = "none"
    for sentence in re.split(r"(?<=[.!?\n])\s+|\n", text[-4_000:]):
        for clause in _CLAUSE.split(sentence):
            if _FAILED.search(clause) is not None:
                outcome = "failed"
            elif _WORKED.search(clause) is not None and _NOT_NOW.search(clause) is None:
                outcome = "worked"
    return "thanks" if outcome == "none" and _THANKS.search(text) is not None else outcome


ORDINALS: Final = re.compile(
    r"(?i)\b(?:(?P<last>second|latter|last|third) (?:one|step|option|suggestion|thing|tip|command)?"
    r"|(?P<first>first|former) (?:one|step|option|suggestion|thing|tip|command)?)\s?(?:\w+ )?(?:worked|works"
    r"|did|fixed|helped|solved)"
)
"""Which of several attempts a reply names as the one that worked."""
