"""Which words state which relation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolsets.agent_graph.extraction.model import ENTITY_TYPES, EntityType, RelationType


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb that states a relation from its subject to its object, or to what follows one of `prepositions`."""

    lemma: str
    relation: RelationType
    prepositions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun that states a relation of who it is said of to what follows one of `prepositions`."""

    word: str
    relation: RelationType
    prepositions: frozenset[str] = frozenset({"of"})


_PLAIN: Mapping[RelationType, str] = {
    "WORKS_ON": "lead manage maintain head coordinate oversee supervise direct",
    "MEMBER_OF": "join",
    "OWNS": "own acquire buy purchase",
    "DEPENDS_ON": "require need",
    "USES": "use utilise utilize leverage adopt employ deploy",
    "CREATED": "create write develop design build found co-found invent author publish produce release launch implement "
    "introduce",
    "MODIFIED": "modify update refactor fix patch rewrite improve redesign",
    "REFERENCES": "reference cite mention quote",
    "BLOCKS": "block prevent delay stall",
    "RELATED_TO": "replace supersede supplant",
    "CONTRADICTS": "contradict dispute refute",
}
_WITH_PREPOSITION: tuple[tuple[str, RelationType, str], ...] = (
    ("work", "WORKS_ON", "on"),
    ("contribute", "WORKS_ON", "to"),
    ("work", "MEMBER_OF", "at for"),
    ("belong", "MEMBER_OF", "to"),
    ("depend", "DEPENDS_ON", "on upon"),
    ("rely", "DEPENDS_ON", "on upon"),
    ("run", "DEPENDS_ON", "on"),
    ("switch", "USES", "to"),
    ("migrate", "USES", "to"),
    ("move", "USES", "to"),
    ("refer", "REFERENCES", "to"),
    ("link", "REFERENCES", "to"),
    ("point", "REFERENCES", "to"),
    ("conflict", "CONTRADICTS", "with"),
)
_PARTICIPLES: tuple[tuple[str, RelationType, str], ...] = (
    ("based", "DEPENDS_ON", "on upon"),
    ("built", "DEPENDS_ON", "on upon atop"),
    ("-based", "DEPENDS_ON", ""),
    ("employed", "MEMBER_OF", "at by with"),
    ("written", "USES", "in"),
    ("implemented", "USES", "in with"),
    ("built", "USES", "with using"),
    ("powered", "USES", "by"),
    ("derived", "RELATED_TO", "from"),
    ("forked", "RELATED_TO", "from"),
    ("related", "RELATED_TO", "to"),
)
PARTICIPLES: Mapping[str, tuple[Verb, ...]] = {
    word: tuple(
        Verb(word, relation, frozenset(after.split())) for other, relation, after in _PARTICIPLES if other == word
    )
    for word in dict.fromkeys(word for word, _, _ in _PARTICIPLES)
}
"""Said of their subject with a form of to be, or right behind a noun."""

_IRREGULAR: Mapping[str, tuple[str, ...]] = {
    "lead": ("led",),
    "write": ("wrote", "written", "writing"),
    "rewrite": ("rewrote", "rewritten", "rewriting"),
    "build": ("built",),
    "buy": ("bought",),
    "run": ("ran", "running"),
    "oversee": ("oversaw", "overseen", "overseeing"),
    "quote": ("quoted", "quoting"),
    "refer": ("referred", "referring"),
}
_PAST_IS_PARTICIPLE = frozenset("led built bought".split())
_PAST_ONLY = frozenset("wrote rewrote oversaw ran".split())


def _forms(lemma: str) -> Iterator[str]:
    """Yield the forms of a verb."""
    yield lemma
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        yield from (lemma[:-1] + "ies", lemma[:-1] + "ied")
    elif lemma.endswith(("s", "sh", "ch", "x")):
        yield from (lemma + "es", lemma + "ed")
    elif lemma.endswith("e"):
        yield from (lemma + "s", lemma + "d", lemma[:-1] + "ing")
    else:
        yield from (lemma + "s", lemma + "ed")
    yield lemma + "ing"
    yield from _IRREGULAR.get(lemma, ())


def _verbs() -> Mapping[str, tuple[Verb, ...]]:
    found: dict[str, list[Verb]] = {}
    plain = [Verb(lemma, relation) for relation, lemmas in _PLAIN.items() for lemma in lemmas.split()]
    guided = [Verb(lemma, relation, frozenset(after.split())) for lemma, relation, after in _WITH_PREPOSITION]
    for verb in guided + plain:
        for form in _forms(verb.lemma):
            found.setdefault(form, []).append(verb)
    return {form: tuple(verbs) for form, verbs in found.items()}


VERBS: Mapping[str, tuple[Verb, ...]] = _verbs()
"""By inflected form."""


def is_participle(form: str) -> bool:
    """Say whether a verb's form can stand in a passive."""
    return (form.endswith(("ed", "en")) or form in _PAST_IS_PARTICIPLE) and form not in _PAST_ONLY


_NOUNS: tuple[tuple[str, RelationType, str], ...] = (
    ("author creator founder co-founder inventor designer developer", "CREATED", "of"),
    ("maintainer leader head manager director lead coordinator", "WORKS_ON", "of for"),
    ("contributor", "WORKS_ON", "to"),
    ("member part employee", "MEMBER_OF", "of"),
    ("owner", "OWNS", "of"),
    ("user", "USES", "of"),
    ("fork derivative clone variant port rewrite reimplementation predecessor extension", "RELATED_TO", "of"),
    ("successor alternative predecessor", "RELATED_TO", "of to"),
    ("replacement substitute", "RELATED_TO", "for of to"),
    ("wrapper", "RELATED_TO", "for of around over"),
    ("frontend front-end plugin plug-in add-on extension bindings binding", "RELATED_TO", "for to of"),
)
NOUNS: Mapping[str, Noun] = {
    word: Noun(word, relation, frozenset(after.split())) for words, relation, after in _NOUNS for word in words.split()
}
"""Later lines win."""
ROLES: Mapping[str, RelationType] = {
    "contributor": "WORKS_ON",
    "developer": "WORKS_ON",
    "maintainer": "WORKS_ON",
    "leader": "WORKS_ON",
    "manager": "WORKS_ON",
    "member": "MEMBER_OF",
    "employee": "MEMBER_OF",
    "engineer": "MEMBER_OF",
}
"""What somebody is to the name before the word: a Debian contributor."""
ADDITIONS = frozenset("plugin plug-in extension add-on addon fork clone".split())
"""What a thing is to the name before the word: an ESLint plugin."""

_ACTORS: frozenset[EntityType] = frozenset({"person", "organization", "project"})
MAKERS: frozenset[EntityType] = frozenset({"person", "organization"})
_WORKS: frozenset[EntityType] = frozenset({"project", "technology", "document", "task", "concept", "organization"})
THINGS: frozenset[EntityType] = frozenset({"project", "technology", "document", "task", "concept"})
_BODIES: frozenset[EntityType] = frozenset({"project", "technology", "organization"})
_TASKS: frozenset[EntityType] = frozenset({"task"})
_SOFTWARE: frozenset[EntityType] = frozenset({"technology"})
_ANYTHING: frozenset[EntityType] = frozenset(ENTITY_TYPES)

ENDS: Mapping[RelationType, tuple[frozenset[EntityType], frozenset[EntityType]]] = {
    "WORKS_ON": (_ACTORS, _WORKS),
    "OWNS": (_ACTORS, _WORKS),
    "DEPENDS_ON": (_BODIES | _TASKS, _WORKS),
    "RELATED_TO": (_ANYTHING, _ANYTHING),
    "MEMBER_OF": (_ACTORS | _SOFTWARE, _BODIES),
    "USES": (_ACTORS | THINGS, THINGS),
    "CREATED": (_ACTORS, _WORKS),
    "MODIFIED": (_ACTORS | _TASKS, THINGS),
    "REFERENCES": (_ANYTHING, _ANYTHING),
    "BLOCKS": (_ANYTHING, THINGS),
    "CONTRADICTS": (_ANYTHING, _ANYTHING),
}
"""Which types the source and the target of a relation may have."""
