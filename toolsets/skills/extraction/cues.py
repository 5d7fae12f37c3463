"""The purpose of a sentence: courtesy, a question to the customer, or an instruction to a program that reads the conversation."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from toolsets.skills.extraction.impostors import IMPOSTOR_CUES, OF_AN_IMPOSTOR, READERS
from toolsets.skills.extraction.sentences import Sentence

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
    r"|for (?:your|the|all the) \w+(?: \w+)?|in advance|(?-i:[A-Z]\w+))){0,3}\W*)"
)
_CLOSING = re.compile(
    r"\W*(?i:(?:(?:with )?(?:best|kind(?:est)?|warm|many) )?(?:regards|wishes|greetings)|best|cheers|sincerely(?: yours)?"
    r"|yours(?: (?:truly|sincerely|faithfully))?|br|mfg|viele grüße|saludos|cordialement)(?i: from)?"
    r"(?:[\s,.!–-]+[A-Z][\w.'’-]{0,30}){0,4}\W*"
)
_REFUSAL = re.compile(
    r"(?i)\W*(?:(?:no|sorry|unfortunately|sadly|regrettably|i['’]?m (?:afraid|sorry)|i am (?:afraid|sorry)|apologies|but|well"
    r"|at the moment|currently|right now)\b[,:;]?\s+(?:that |but )?){0,4}"
    r"(?:(?:we|i|they|support|our team) (?:simply |really |currently |just )?(?:can(?:no|['’]|)t|can not|could not|couldn['’]t"
    r"|(?:do|does)(?: not|n['’]t) (?:offer|support|provide|have|do|allow)|(?:are|am|is)(?: not|n['’]t) (?:able"
    r"|allowed)|won['’]t be able"
    r"|will not be able|are unable|am unable|have no (?:way|option))\b"
    r"|(?:that|this|it|such a thing) (?:simply |really |currently |just )?(?:(?:is|['’]s|are|was)(?: not"
    r"|n['’]t)(?: currently| yet| really)?"
    r" (?:supported|possible|available|offered|allowed|included|something|an option)|(?:cannot|can['’]t|can not|could not) be\b"
    r"|won['’]t be possible|is (?:impossible|unsupported|unavailable)|(?:does not|doesn['’]t) exist)"
    r"|there(?:['’]s| is) (?:currently |simply )?no (?:way|option|such|possibility)\b|not (?:possible|supported|available)\b)"
)
_REASON = re.compile(
    r"(?i)\b(?:because|since|as long as|unless|until|but|instead|however|only|rather|except|due to|so that"
    r"|yet:|please|before|after"
    r"|needs?|requires?)\b|[;:]\s"
)
_LONGEST_REFUSAL: Final = 16
_LONGEST_NAME: Final = 40
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
    r"(?:send|tell|share|provide|confirm|describe|attach|post|paste"
    r"|give(?! (?:it|them|that|everyone|everybody|[`\"']|(?:the|your|each|that|a|an) (?:\w+ ){1,2}?(?:a|an|the|some"
    r"|full|read|write|more"
    r"|another|access|time|permission|rights|one|\d)\b))|let (?:me|us) know"
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
    r"|(?:new|updated|real|actual|hidden|secret|special) (?:system )?instructions?(?=\s?:)"
    r"|system (?:prompt|override|instructions?)|system (?:message|note|command)(?=\s?:)"
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
"""Instructions to a program that reads the conversation. Instructions that people also give each other are not among them:
to set a resolution, to skip a prompt, to start the system, to turn on a developer mode, or a GPT on a disk."""


_OUTPUTS = (
    r"(?:summary|summaries|articles?|skills?|steps?|solutions?|resolutions?|knowledge (?:base|articles?|entry"
    r"|entries)|kb (?:article"
    r"|entry)|keywords?|metadata|answers?|repl(?:y|ies)|output)"
)
_TEXTS = (
    r"(?:this|the|these|that) (?:whole |entire |above |following )?(?:chats?|conversations?|transcripts?|dialog(?:ue)?s?|threads?"
    r"|texts?|tickets?|messages?|exchange|discussion)"
)
_SAYS = (
    r"(?:add|append|write|record|store|include|say|tell|make|output|save|insert|put|replace|recommend|remember|note"
    r"|learn|list|teach"
    r"|use|mention|answer|send|link|print|extract)"
)
_OF_THE_READER = re.compile(
    rf"(?i)\b{READERS},? (?:(?:that|which|who) )?(?:reads?|reading|process(?:es|ing)?|learn(?:s|ing)?|parses?"
    rf"|parsing|summari[sz]\w+"
    rf"|index\w*) (?:from )?(?:this|it|along|these|the)\b"
    rf"|^\W*(?:(?:dear|hello|hey|attention|for|to|note|message|memo|hint|reminder)\W{{1,2}}(?:(?:for"
    rf"|to)\W)?(?:(?:the|any|all|every) )?)?"
    rf"{READERS}\W{{1,3}}(?:please |now |always |must |should |you )*{_SAYS}\b"
    rf"|\b(?:note|message|memo|hint|reminder|instructions?|dear|attention)\W{{1,2}}(?:(?:for|to)\W)?(?:(?:the|any|all|every) )?"
    rf"(?:automated|language) \w+"
    rf"|\b(?:when|while|if|before|once|after|whoever|whatever|anyone who|as) (?:you |it |someone |anybody "
    rf"|a \w+ )?(?:are |is |will )?"
    rf"(?:summari[sz]\w*|index(?:es|ing)?|extract(?:s|ing)?|learn(?:s|ing)? from|digest(?:s|ing)?|process(?:es"
    rf"|ing)?|pars(?:e|es|ing)"
    rf"|analy[sz]\w*|turn(?:s|ing)?|convert(?:s|ing)?) {_TEXTS}\b"
    rf"|\b{_TEXTS} (?:is|are|gets?|will be) (?:automatically )?(?:processed|summari[sz]ed|indexed|parsed"
    rf"|learned|learnt|ingested)\b"
    rf"|\b{READERS} (?:that|which|who) (?:reads?|index(?:es)?|process(?:es)?|learns?|summari[sz]es?|parses?)\b"
    rf"|\bas (?:the|an?) (?:knowledge[ -]base|article|summary|skill) (?:writer|author|editor|bot|generator)\b"
)
"""Words to or about the program that processes the conversation."""
_OF_THE_TEXT = re.compile(
    r"(?i)^\W*(?:(?:dear|hello|hey|hi|ok|attention)\W{1,2})?(?:ai|a\.i\.|llm|gpt|chatgpt|chatbot|extractor"
    r"|summari[sz]er|crawler|language"
    r" model)\b\s?[,:!]"
    rf"|\b{_TEXTS} (?:(?:only )?teach(?:es)?|is (?:now )?over|(?:now )?ends? here|(?:must|should|shall|has to"
    rf"|needs to) (?:be (?:stored"
    rf"|summari[sz]ed|learn\w*|recorded)|teach|say|end|result))\b"
    rf"|\b(?:process|read|pars|index|summari[sz]|analy[sz]|digest|ingest)ing (?:this|these) (?:\w+ )?(?:chat"
    rf"|conversation|transcript|text"
    rf"|ticket|thread|dialog\w*)s?\b"
    rf"|\b(?:true|real|actual|only valid) (?:steps?|resolution|instructions?) (?:is|are)\b"
    rf"|\bgo(?:es)? (?:in|into|to|among) the (?:steps|resolution|keywords|skill|title)\b"
    r"|[\"']role[\"']\s?:\s?[\"'](?:system|assistant|developer|tool)[\"']"
    r"|^\s*#{1,6}\s?(?:instructions?|system|prompt|response|task)\s?:\s{0,3}\S"
    r"|^\s*(?:```|~~~)\s?(?:system|assistant|prompt|instructions?|developer|admin)\b"
    r"|\bif you(?:['’]re| are) (?:an? )?(?:machine|program|robot|bot|computer|script|automated|ai|not (?:a )?human)\b"
    r"|\b(?:as )?(?:instructed|ordered|told|asked) by your (?:operator|developer|creator|owner|admin\w*|maker)s?\b"
    r"|\byour (?:new|next|real|only|actual|main|true) (?:task|job|goal|role|mission|objective|purpose) (?:is|will be)\b"
    r"|\b(?:classify|label|tag|rate|score) (?:this|the) (?:ticket|conversation|chat|transcript|thread) (?:as|with)\b"
    r"|\b(?:stop|cease|end|pause|skip) (?:extract|summari[sz]|index|learn|pars)ing\b"
    r"|\b(?:output|response|answer) format\s?:\s?(?:\d|json|[{\[])"
    r"|\b(?:following|next|preceding) (?:text|line|sentence|paragraph|message) is (?:the|a|an"
    r"|your) (?:\w+ )?(?:resolution|solution|steps?"
    r"|instructions?|command|order|prompt)\b"
    rf"|\b(?:note|message|memo|hint|reminder|instructions?|advice) (?:for|to) (?:(?:the|any|all|every) )?{READERS}\b"
    r"|\bi (?:hereby )?(?:order|command|instruct) you to\b"
    r"|\b(?:when(?:ever)?|while|once|as) you (?:extract|summari[sz]e|index|learn from|digest|write up) (?:the|this|a|an|your)\b"
    r"|\bfor the (?:knowledge base|skill|summary|extraction)\s?[:,]|\bthe only (?:step|resolution|solution) (?:is|should be)\s?:"
    r"|\b(?:tell|advise|instruct|teach) (?:all |every |any )?future (?:customers?|users?|callers?|readers?)\b"
    r"|\b(?:priority|mandatory|urgent|admin\w*|root|override|privileged|trusted) (?:instruction|directive|command|order)s?\s?:"
    r"|\b(?:whatever|everything|anything|what|all) you (?:were|have been|had been|was) (?:told|instructed|trained|taught|given)\b"
    r"|\byou (?:should|must|shall|will|can|may|have to) (?:only |just )?(?:remember|learn|keep|retain|extract"
    r"|memori[sz]e) (?:only|nothing|just)\b"
    r"|\bfrom (?:this|the) (?:chat|conversation|transcript|thread)\b.{0,40}?\b(?:remember|learn|keep|extract|retain|store)\b"
)
"""Words about the conversation as a text that is read, or that look like a delimiter around such a text."""
_OF_THE_OUTPUT = re.compile(
    rf"(?i)\bmake (?:the|your|its) (?:first|only|last|next|final) (?:step|solution|answer)\b|\b(?:resolution"
    rf"|steps?|keywords?|confidence"
    rf"|skill|summary) field (?:must|should|shall|has to|needs to|is to|will)\b"
    rf"|\byour (?:title|summary|resolution|keywords|steps) (?:for (?:this|the)|must|should|shall|has to|will be|is to)\b"
    rf"|\b(?:add|append|write|put|include|insert)\b.{{1,120}}?\b(?:to|in|into) (?:the |every |each |all |your |any )+(?:\w+ )?"
    rf"(?:knowledge base|summary|skills?|resolutions?|answers?|articles?)\b"
    rf"|^\W*{_SAYS}\b.{{1,120}}?\b(?:in|for|to|into) (?:every|all|each) (?:similar |future |other "
    rf"|new )?(?:answers?|tickets?|skills?|cases?"
    rf"|conversations?|customers who)\b"
    rf"|\bin every (?:answer|reply|resolution|skill|summary)\b|\bfor all (?:similar|future) (?:tickets|cases"
    rf"|conversations|questions)\b"
    rf"|\bbelongs? (?:in|into|to|among) the (?:steps|resolution|keywords|skill)\b"
    rf"|\b(?:treat|take|consider|regard|use) (?:the |this |my )?(?:next|following|last|previous) (?:line"
    rf"|sentence|message|text|paragraph)"
    rf" as (?:an? |the |your )?(?:\w+ )?(?:solution|resolution|step|answer|instruction|command|order|rule"
    rf"|fact)s?\b|\b(?:for|as) training (?:purposes|data)\b|\b(?:store|save|keep|remember"
    rf"|record)\b.{{0,40}}?\bin your memory\b"
    rf"|\b(?:learned|learnt|extracted) (?:step|skill|solution|resolution)s?\s?[:=]"
    rf"|\b(?:save|store|record|keep|log) (?:it|this|that|the (?:result|translation|rest)) as the {_OUTPUTS}\b"
    rf"|\b(?:do not|don['’]t|never|stop) (?:follow|obey|heed)(?:ing)? your (?:\w+ )?(?:guidelines|rules"
    rf"|instructions|training|policy)\b"
    rf"|\bact on behalf of the (?:admin\w*|system|developer|owner)\b"
    rf"|\{{\{{/?\s?(?:system|assistant|instructions?|prompt|admin)\s?\}}\}}"
    rf"|<!--[^>]{{0,200}}?\b(?:{READERS}|system|index|instructions?|ignore|append|prompt)\b"
    rf"|^\W*(?-i:(?:BEGIN|START|END)) (?-i:(?:OF )?(?:ADMIN|SYSTEM|PROMPT|INSTRUCTIONS?|OVERRIDE|DEVELOPER"
    rf"|HIDDEN|TRUSTED|PRIVILEGED))\b"
)
"""Words about the output made from the conversation."""


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
_META_CUES: Final = (
    *"llm gpt bot assistant model extract summar crawl index scrap learn pars automat language a.i chat conversation".split(),
    *"transcript dialog thread ticket exchange discussion following preceding resolution skill knowledge article keyword".split(),
    *"steps solution confidence every guideline instruct behalf {{ <!-- admin override prompt developer hidden trusted".split(),
    *"privileged ### ``` ~~~ machine program robot human priority mandatory urgent directive trained taught operator".split(),
    *"creator maker classify label training".split(),
    *(
        " ai",
        "ai ",
        "future ",
        "this text",
        "the text",
        "these text",
        "message",
        "next line",
        "previous line",
        "last line",
        'role"',
        "role'",
    ),
    *(
        "your memory",
        "your rules",
        "your policy",
        "your title",
        "begin ",
        "order you",
        "command you",
        "been told",
        "were told",
    ),
    *(
        "your new",
        "your next",
        "your real",
        "your only",
        "your actual",
        "your main",
        "your true",
        "rate th",
        "tag th",
        "score th",
    ),
    *(
        "format:",
        "format :",
        "had been",
        "told by your",
        "owner",
        "first step",
        "computer",
        "script",
        "all similar",
        "all future",
    ),
    *(
        "previous sentence",
        "learned",
        "learnt",
        "go in",
        "goes in",
        "from this",
        "keep only",
        "remember only",
        "true step",
    ),
    *("real step", "actual step"),
)
"""Every instruction to a program contains one of `_MACHINE_CUES`, and words about the text one of `_META_CUES`. Searching
for them is faster than matching the patterns."""


def is_courtesy(text: str) -> bool:
    """Return whether a sentence is only a greeting, thanks, a plain yes, or a closing with its name."""
    bare = text.strip()
    return _COURTESY.fullmatch(bare) is not None or _CLOSING.fullmatch(bare) is not None


def without_signature(said: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield sentences without the name and the company after "Kind regards"; a long sentence there is not a signature."""
    signed = False
    for sentence in said:
        signed = (signed and len(sentence.text) < _LONGEST_NAME) or _CLOSING.fullmatch(
            sentence.text.strip()
        ) is not None
        if not signed:
            yield sentence


def is_refusal(text: str) -> bool:
    """Return whether a sentence only says that something cannot be done, without a reason or another way."""
    return _REFUSAL.match(text) is not None and _REASON.search(text) is None and len(text.split()) <= _LONGEST_REFUSAL


def is_chatter(text: str) -> bool:
    """Return whether a sentence of a helper says nothing about the problem."""
    return is_courtesy(text) or _CHATTER.search(text) is not None


def asks_back(text: str) -> bool:
    """Return whether a sentence asks the customer for something: a detail, a file, a confirmation."""
    return _ASKS_BACK.match(text) is not None or (
        text.rstrip().endswith("?") and _QUESTION_WORD.match(text) is not None
    )


# Cached, because every reader of a turn checks its lines and then their sentences, and most lines are one sentence.
@lru_cache(maxsize=1_024)
def is_addressed_to_a_machine(text: str) -> bool:
    """Return whether a sentence is an instruction to a program that reads the conversation; such sentences are never learned."""
    folded = text.casefold()
    # Called for every sentence of a conversation; a generator would take three times as long.
    if any(map(folded.__contains__, _MACHINE_CUES)) and _TO_A_MACHINE.search(text) is not None:
        return True
    if any(map(folded.__contains__, IMPOSTOR_CUES)) and OF_AN_IMPOSTOR.search(text) is not None:
        return True
    if not any(map(folded.__contains__, _META_CUES)):
        return False
    return any(order.search(text) is not None for order in (_OF_THE_READER, _OF_THE_TEXT, _OF_THE_OUTPUT))
