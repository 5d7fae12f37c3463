"""Verbs that steps begin with, and their forms."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

IMPERATIVES: Final = frozenset(
    """accept access activate add adjust agree align allow always answer append apply approve archive ask assign attach
    authenticate authorize avoid back backup begin bind block boot bring browse build burn buy bypass calculate
    calibrate call cancel change charge check choose clean clear click clone close collect combine commit
    compare compile complete compress configure confirm connect consider consult contact continue convert copy
    correct count create customize cut deactivate decrease decrypt define delete deny deploy deselect detach
    defrost descale determine dial disable disconnect dismiss dismount divide do dock don't double-click downgrade download
    downvote drag drain drop duplicate edit eject empty enable encrypt end enlarge ensure enter erase examine exclude
    execute exit expand export extend extract fill filter find finish fix flash flush follow force format free
    generate get give go grant group hand hide hit hold hover identify ignore import include increase initialize
    insert inspect install invite issue join keep kill launch lay leave lift limit link list load locate lock log
    log-in look lower make manage mark match maximize measure merge migrate minimize modify mount move mute name
    navigate never note obtain omit open order override pair paste patch pause perform pick pin ping place plug point
    power prefix prepare press prevent print proceed provide prune pull purge push put quit raise re-add
    re-enable re-enter re-insert re-install re-pair re-run read reapply reboot rebuild recalibrate reconnect record recover
    recreate redeploy redirect redo reduce reenter refer refill refresh regenerate register reinsert reinstall relaunch
    release reload relogin rely remember remount remove rename renew reopen repair repeat replace report request
    rerun rescan reseat reserve reset resize resolve restart restore resume retry return revert review revoke rinse
    right-click rollback rotate run save scan schedule scroll search see select send separate set share shorten
    shut sign simply skip sort specify split start stop store subscribe substitute swipe switch sync synchronize
    take tap temporarily test tick toggle transfer trigger trim trust try turn type unblock uncheck uncomment
    undo undock unfreeze uninstall unlink unlock unmount unmute unpack unpair unplug unselect unset unsubscribe
    unzip update upgrade upload use validate verify view visit wait watch wear whitelist wipe withdraw work wrap
    write zip zoom""".split()
)
_DOUBLING: Final = frozenset(
    "run set put get stop plug unplug log reset cut drop swap begin scan map tap trim wrap shut quit hit submit"
    " permit pin ping zip unzip "
    "drag pop clip unpin sit let plan commit".split()
)
_ENDS_IN_G: Final = frozenset({"ping"})
_PAST: Final = (
    "reset re-enabled enabled unlocked refunded extended added removed changed updated fixed restarted cleared"
    " issued credited granted "
    "upgraded activated deactivated disabled reactivated corrected adjusted cancelled canceled moved merged"
    " restored released increased "
    "raised lowered rebuilt resynced synced assigned whitelisted unblocked switched reverted deleted created"
    " replaced sent renewed reissued "
    "rolled pushed applied deployed migrated transferred converted waived re-sent resent repaired lifted set"
).split()
DONE: Final = frozenset(_PAST)
"""Past forms of what support does on its own side."""


_NOUNS_TOO: Final = {"backup": 60, "log-in": 60, "login": 60, "rollback": 60}
"""Common imperatives that WordNet has only as nouns, with a percentage as in the list."""
_PREFIXES: Final = ("un", "re", "de", "dis")
_PARTICLES: Final = frozenset("about back by down in off on out over through to up".split())
_IRREGULAR: Final[Mapping[str, str]] = {
    past: base
    for past, _, base in (
        pair.partition(":")
        for pair in (
            "ate:eat bent:bend blew:blow bought:buy brought:bring built:build chose:choose cut:cut did:do drew:draw drove:drive"
            " dug:dig fed:feed found:find gave:give got:get held:hold hung:hang kept:keep laid:lay left:leave lent:lend let:let"
            " made:make put:put quit:quit ran:run reset:reset rewrote:rewrite sent:send set:set shook:shake shut:shut slid:slide"
            " spun:spin split:split stuck:stick swept:sweep threw:throw took:take tore:tear undid:undo unwound:unwind went:go"
            " wound:wind wrote:write"
        ).split()
    )
}


@cache
def _noun_shares() -> Mapping[str, int | None]:
    """Return the known verbs, each with the percentage of its uses as a noun, or None if it is no noun."""
    text = (files("toolsets.skills.extraction") / "lexicon" / "verbs.txt").read_text(encoding="utf-8")
    rows = (line.partition(" ") for line in text.splitlines())
    return {verb: int(share) if share else None for verb, _, share in rows}


def is_verb(word: str) -> bool:
    """Return whether a word in lower case is the base form of a verb, which may have a prefix: "untick", "long-press"."""
    return word in IMPERATIVES or word in _noun_shares() or _without_prefix(word) is not None


def noun_share(verb: str) -> int | None:
    """Return the percentage of the uses of a verb's base form as a noun; None if it is no noun, or unknown."""
    return _NOUNS_TOO.get(verb, _noun_shares().get(verb))


def _without_prefix(word: str) -> str | None:
    before, hyphen, last = word.rpartition("-")
    if hyphen:
        return last if before.isalpha() and last not in _PARTICLES and is_verb(last) else None
    stems = (word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix))
    return next((stem for stem in stems if len(stem) > 2 and (stem in IMPERATIVES or stem in _noun_shares())), None)


def base_of_gerund(word: str) -> str | None:
    """Return "restart" for "restarting" in lower case; None if the word is no form in -ing of a known verb."""
    if not word.endswith("ing") or len(word) < 5:
        return None
    return _GERUNDS.get(word) or _base_of_stem(word.removesuffix("ing"))


def base_of_past(word: str) -> str | None:
    """Return "restart" for "restarted" in lower case; None if the word is no past form of a known verb."""
    if (base := _IRREGULAR.get(word)) is not None:
        return base
    if not word.endswith("ed") or len(word) < 5:
        return None
    if word.endswith("ied"):
        return known if is_verb(known := f"{word[:-3]}y") else None
    stem = word.removesuffix("ed")
    return _GERUNDS.get(f"{stem}ing") or _base_of_stem(stem)


def third_person(word: str) -> str | None:
    """Return "take" for "takes" in lower case; None if the word is no such form of a known verb."""
    if not word.endswith("s") or word.endswith("ss") or len(word) < 4:
        return None
    endings = ("ies", "y"), ("es", ""), ("s", "")
    bases = (f"{word.removesuffix(ending)}{base}" for ending, base in endings if word.endswith(ending))
    return next((base for base in bases if is_verb(base)), None)


def _base_of_stem(stem: str) -> str | None:
    """Return the verb to which -ing or -ed was added; before them a final e is dropped, or the last letter doubled."""
    if stem[-1:] == stem[-2:-1] and not is_verb(stem):
        return stem[:-1] if is_verb(stem[:-1]) else None
    # After a single vowel a single consonant would be doubled, so that "wiping" belongs to "wipe".
    doubles = len(stem) > 2 and stem[-1] not in "aeiouwxy" and stem[-2] in "aeiou" and stem[-3] not in "aeiou"
    short = doubles and sum(letter in "aeiou" for letter in stem) == 1
    bases = (f"{stem}e", stem) if short else (stem, f"{stem}e")
    return next(filter(is_verb, bases), None)


def gerund(verb: str) -> str:
    """Return the form in -ing of a verb's base form."""
    if verb in _DOUBLING and verb not in _ENDS_IN_G:
        return f"{verb}{verb[-1]}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    return f"{verb}ing"


_GERUNDS: Final = {gerund(verb): verb for verb in IMPERATIVES if verb.isascii() and "'" not in verb}
"""The base forms of the common verbs by their forms in -ing."""
