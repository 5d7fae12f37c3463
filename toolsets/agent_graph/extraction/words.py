"""The nouns that tell what a name before or after them is, and the small words that no name consists of."""

from collections.abc import Mapping

from toolsets.agent_graph.extraction.model import EntityType

PROJECT_HEADS = frozenset("project projects initiative program programme effort".split())
"""Said after a project's name, not part of it."""
WORK_HEADS = frozenset("migration rewrite redesign rollout refactoring integration modernization".split())
"""Said after a technology, they make the name of an undertaking: the Kafka migration."""
COMPANY_HEADS = frozenset("company corporation firm startup vendor distributor".split())
ORGANISATION_HEADS = frozenset(
    "foundation university institute consortium committee council association agency department ministry team society "
    "laboratory labs lab college school bank group union board bureau academy alliance authority centre center "
    "inc inc. corp corp. ltd llc gmbh ag plc corporation company collective federation".split()
)
DOCUMENT_HEADS = frozenset(
    "guideline guidelines guide manual handbook specification spec report paper whitepaper policy manifesto license "
    "licence contract rfc documentation readme charter agreement roadmap book proposal memo".split()
)
TECHNOLOGY_HEADS = frozenset(
    "protocol format language library framework toolkit kernel package packages tool tools daemon server servers client "
    "clients database engine standard module modules plugin compiler interpreter editor desktop environment browser "
    "driver drivers api interface interfaces codec algorithm system systems distribution distributions application "
    "applications utility utilities program programs software platform app service services suite widget toolchain shell "
    "manager parser wrapper implementation microkernel spreadsheet filesystem runtime port collection component "
    "libraries frameworks languages formats protocols engines algorithms standards "
    "font fonts typeface theme game games script scripts extension extensions bindings backend frontend front-end generator "
    "debugger emulator assembler archiver toolset metapackage crate gem add-on backport".split()
)
PLACE_HEADS = frozenset("city county province island islands valley".split())
"""The last word of a place's name: New York City."""
PERSON_HEADS = frozenset(
    "author maintainer developer contributor member engineer manager leader lead designer researcher scientist founder "
    "co-founder creator director architect administrator programmer analyst consultant professor student employee "
    "president chairman ceo cto cfo founder inventor translator volunteer hacker editor writer".split()
)
HONORIFICS = frozenset("mr mrs ms dr prof professor sir lady lord president captain".split())
PEOPLE = frozenset(
    "developers users administrators members programmers maintainers people contributors authors team".split()
)
TRACKED = frozenset("issue bug ticket task pr story request epic incident defect".split())
"""Said before a task's key, not part of it: ticket AUTH-142."""
ROLE_TAILS = frozenset(
    "project projects leader leaders developer developers maintainer maintainers team teams administrator administrators "
    "manager managers community contributors contributor user users system account release developer's".split()
)
"""Words that after a known name make a role or a part of it, not another name: Debian Project Leader."""

SPEAKS = frozenset(
    "said says told asked suggested suggests thinks thought argued wrote proposed announced explained joined led leads "
    "met agreed reported works worked prefers likes believes succeeded".split()
)
"""What only persons do."""
PERSONAL_PAST = frozenset(
    "left went came took gave made got began became saw knew kept held brought sent ran hired moved resigned retired died "
    "studied taught graduated started stopped".split()
)
"""What persons are told to have done; as commands the words look otherwise."""
LIVES = frozenset(
    "joined leads led left met hired resigned retired studied taught graduated founded succeeded who".split()
)
"""Behind a first name that is a program's too, they tell that it is a person's."""
SUBJECT_VERBS = frozenset(
    "is was provides uses implements supports allows can performs has contains requires depends does runs lets "
    "offers makes manages generates displays reads writes handles".split()
)
"""What a name that opens a sentence is followed by when it is the subject."""

ARTICLES = frozenset(
    "a an the this that these those its their our his her my your some any each every no another".split()
)
PREPOSITIONS = frozenset(
    "of from at in for with by on to into onto upon about above below over under between among within across through "
    "during before after since until as than like via without against towards toward per".split()
)
SUBORDINATORS = frozenset("so because although though whereas whether unless if when while where however".split())
"""Begin a clause of its own, with a subject of its own."""
CONJUNCTIONS = frozenset("and or & but nor".split())
AUXILIARIES = frozenset(
    "is are was were be been being am has have had having do does did will would shall should can could may might must "
    "'s".split()
)
BEING = frozenset("is are was were be been being am".split())
RELATIVES = frozenset("who which that whom whose".split())
NEGATIONS = frozenset(
    "not never no cannot without neither nor n't hardly don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't "
    "wouldn't shouldn't hasn't haven't hadn't".split()
)
NEAR_MISSES = frozenset(
    "almost nearly barely scarcely allegedly supposedly reportedly purportedly falsely wrongly might may could would "
    "should".split()
)
"""Before a verb they say that it did not come to that, or that it is not known."""
UNREAL = frozenset(
    "want wants wanted wanting plan plans planned planning hope hopes hoped hoping intend intends intended intending try tries "
    "tried trying attempt attempts attempted attempting aim aims aimed aiming wish wishes wished refuse refuses refused "
    "refusing refusal decline declines declined fail fails failed failing failure propose proposes proposed promise promises "
    "promised offer offers offered threaten threatens threatened expect expects expected agree agrees agreed consider "
    "considers considered considering suggest suggests suggested recommend recommends recommended discuss discusses discussed "
    "avoid avoids avoided avoiding stop stops stopped stopping quit quits cease ceases ceased forbid forbids forbade ban bans "
    "banned reject rejects rejected oppose opposes opposed resist resists resisted instead rather unable unwilling unlikely "
    "reluctant supposed scheduled going about due rumoured rumored alleged".split()
)
"""What they govern has not come about, or has ended: plans to use, stopped using, instead of using."""
DOUBTFUL = UNREAL | frozenset(
    "false untrue wrong doubtful unclear uncertain impossible improbable rumour rumor rumours rumors myth lie fear fears feared "
    "claim claims claimed alleges allegation dispute disputes disputed refute refutes refuted suspect suspects suspected".split()
)
"""The clause behind them is no statement: it is *false* that."""
PERSONAL = frozenset("he she him her they them".split())
FUNCTION_WORDS = (
    ARTICLES
    | PREPOSITIONS
    | CONJUNCTIONS
    | AUXILIARIES
    | RELATIVES
    | NEGATIONS
    | PERSONAL
    | frozenset(
        "i you it we me us if then else when while where why how there here so too very also just only even still yet "
        "again ever always often sometimes usually although though because unless whereas whether once instead both "
        "either not all most more many much several other such same own what everything everyone nothing something".split()
    )
)
NEVER_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december section chapter figure table appendix part page version note tip warning example ok "
    "todo fixme tbd asap fyi utc gmt am pm ad bc cd dvd pc ram cpu gpu ii iii iv vi vii viii ix "
    "north south east west i american british french german italian spanish dutch swedish russian chinese japanese indian "
    "european african asian english canadian australian brazilian polish".split()
)
"""Capitalised in running text without naming a thing of their own."""

KINDS_OF_THINGS = frozenset(
    "python python3 perl java javascript typescript ruby c c++ c# go rust haskell ocaml lua php tcl r lisp scheme fortran unix "
    "linux windows dos ms-dos macos posix x x11 http https html html5 xml json yaml sql gui cli api tcp ip udp usb pdf "
    "node.js".split()
)
"""Before a noun they say of what kind a thing is, and do not name it: the Java package, a DOS game."""

HEADS: Mapping[str, EntityType] = {
    **dict.fromkeys(TECHNOLOGY_HEADS, "technology"),
    **dict.fromkeys(DOCUMENT_HEADS, "document"),
    **dict.fromkeys(PERSON_HEADS, "person"),
    **dict.fromkeys(ORGANISATION_HEADS, "organization"),
    **dict.fromkeys(COMPANY_HEADS, "organization"),
    **dict.fromkeys(PROJECT_HEADS, "project"),
}
"""What something is of which the text says that it is a ...; the later lists win."""
