"""Verbs that steps begin with, and their forms."""

from collections.abc import Mapping
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


def gerund(verb: str) -> str:
    """Return the form in -ing of a verb's base form."""
    if verb in _DOUBLING and verb not in _ENDS_IN_G:
        return f"{verb}{verb[-1]}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    return f"{verb}ing"


def _bases() -> Mapping[str, str]:
    return {gerund(verb): verb for verb in IMPERATIVES if verb.isascii() and "'" not in verb}


BASES: Final = _bases()
"""The base form of each verb by its form in -ing."""
