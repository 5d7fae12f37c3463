"""Patterns of text that claims authority over its reader; apart from other cues because both lists are long."""

import re
from typing import Final

READERS = (
    r"(?:ai|a\.i\.|llms?|chatbots?|bots?|assistants?|models?|extractors?|summari[sz]ers?|crawlers?|indexers?|scrapers?|learners?"
    r"|parsers?|automated (?:systems?|readers?|agents?|tools?)|automations?|robots?|(?:summary|extraction"
    r"|indexing|learning|knowledge) (?:tools?|bots?|systems?|pipelines?|jobs?|engines?)"
    r"|language[ -](?:processing )?(?:tools?|models?|systems?))"
)
OF_AN_IMPOSTOR = re.compile(
    rf"(?i)^\W*(?:the )?(?:automated|ai|machine) (?:readers?|systems?|agents?)\s?[:,]|\byou,? (?:the|my|dear) {READERS}\b"
    r"|#{2,}\s?(?:system|instructions?|prompt|admin)\s?#+|</?(?:\w{1,20}[_-])?(?:instructions?|prompt)>"
    r"|\b(?:when|while|before|after|once) (?:you are )?(?:generat|creat|writ|produc|compil|draft|build)ing (?:the"
    r"|this|a|your) (?:\w+ )?"
    r"(?:skill|summary|resolution|knowledge base|transcript)\b"
    r"|\b(?:translate|turn|convert|repeat|encode|print|write|append) your (?:own |initial |system )?(?:instructions"
    r"|prompt|rules)\b"
    r"|\b(?:following|this|next)(?: \w+)? overrides? (?:whatever|everything|anything|all|any|your|previous|earlier)\b"
    rf"|\bto (?:the|any|every) {READERS}\b[^.:!?]{{0,40}}:"
    rf"|\b(?:developer|owner|creator|maintainer|admin\w*|operator) of (?:this|the|your) {READERS}\b"
    r"|\b(?:solution|resolution|fix|answer|step)s? (?:that |which )?you (?:should|must|have to|need to"
    r"|will) (?:record|store|save|learn"
    r"|extract|remember|output|note)\b"
    r"|\b(?:generated|extracted|resulting|learned) (?:article|skill|summary|document|answer) (?:must|should|tells?"
    r"|says?|recommends?"
    r"|contains?|includes?|mentions?)\b"
    r"|\b(?:si|wenn|se|falls) (?:(?:tu|vous|usted|du|sie|você|voce) )?(?:es|êtes|eres|soy|sind|bist|é|sei)?\s?(?:une?"
    r"|un[ao]?|eine?n?|uma?)"
    r" (?:ia|ki|intelligence artificielle|inteligencia artificial|künstliche intelligenz|bot|modelo?|modèle|sprachmodell)\b"
    r"|\b(?:create|update)_skill\s?\("
    r"|如果你是(?:一个|個)?(?:人工智能|AI|机器人|機器人|语言模型)"
)
"""Words that claim authority over the reader, or that name it in another language."""
IMPOSTOR_CUES: Final = (
    *"automated ### instruct prompt skill summary resolution transcript override generated extracted resulting 如果".split(),
    *(
        "knowledge base",
        "machine ",
        "ai ",
        "to the ",
        "to any ",
        "to every ",
        "you the ",
        "you, ",
        "you my ",
        "you dear",
    ),
    *("er of ", "or of ", "admin", "your rules", "you should ", "you must ", "you have to", "you need to", "you will "),
    *("learned ", " ia", " ki", "intelligen", "modelo", "modèle", "sprachmodell", "si tu", "si vous", "si eres"),
)
