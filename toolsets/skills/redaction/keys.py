"""Removes credentials of programs: private keys, API keys, tokens and random strings."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from toolsets.skills.redaction.replacement import (
    LICENCE_KEY,
    PRIVATE_KEY,
    TOKEN,
    Rule,
    Span,
    group_rule,
    in_long_words,
    near_cues,
    replace_spans,
)

_KNOWN_PREFIXES: Final = """
    LTAI AIza ya29. GOCSPX- 1//0 ATATT3 ATCTT3 AKCp
    ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glptt- glrt- glcbt- gldt- glsoat- glft- glimt- glagent- gloas- GR1348941
    xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe. xoxe- xapp- sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_
    whsec_ sk- npm_ pypi- rubygems_ dckr_pat_ dckr_oat_ hf_ dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ SG.
    sq0atp- sq0csp- sq0idp- EAA dp.pt. dp.st. dp.ct. dp.sa. hvs. hvb. hvr. HRKU- lin_api_ lin_oauth_ ntn_ figd_ glsa_ glc_
    NRAK- NRJS- NRII- sntrys_ sntryu_ phc_ phx_ sbp_ PMAK- ops_eyJ AGE-SECRET-KEY-1 r8_ tskey- gsk_ xai- pplx- tfp_ p8e-
    fm1r_ fm2_ fo1_ nfp_ bkua_ CCIPAT_ CFPAT- dt0c01. EZAK EZTK fio-u- pnu_ rdme_ tk-us- sgp_ sbg_ AQVN CLOJARS_
    duffel_test_ duffel_live_ pat-na1- pat-eu1- tvly-
""".split()
"""Prefixes by which services mark their keys; some also begin words, so the characters after them are checked."""

_KNOWN = re.compile(
    rf"(?<![A-Za-z0-9])(?=[\w.~+/=-]{{15}})(?:{'|'.join(map(re.escape, _KNOWN_PREFIXES))})[\w.~+/=-]{{12,}}"
)
_SHAPES = re.compile(
    r"""(?<![A-Za-z0-9_-])(?=\$|[\w~:./-]{11})(?:
      eyJ[\w-]{8,}(?:\.[\w-]*){0,4}                                    # JSON web tokens, also cut ones
    | (?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}(?!\w)  # AWS
    | (?:AC|SK|PK|MG|SM)[0-9a-f]{32}(?!\w)                              # Twilio
    | (?:key-|dapi|pul-|sha256~)[0-9a-f]{32,64}(?!\w)                    # Mailgun, Databricks, Pulumi
    | secret_[A-Za-z0-9]{30,}                                           # Notion
    | [0-9a-f]{32}-us\d{1,2}(?!\w)                                      # Mailchimp
    | \d{8,10}:AA[\w-]{30,}                                             # Telegram
    | [MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}                          # Discord
    | \w{14}\.atlasv1\.[\w-]{40,}                                      # Terraform
    | \w{3}\dQ~[\w.~-]{31,}                                            # Azure AD
    | pat\w{14}\.[0-9a-f]{32,}                                         # Airtable
    | \d/\d{16}:[0-9a-f]{32}                                            # Asana
    | v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}                                 # Cloudflare
    | A3-[A-Z0-9]{6}-[A-Z0-9]{5,11}(?:-[A-Z0-9]{5,6}){3,4}              # 1Password
    )
    | \$(?:2[aby]?|apr1|1|5|6|y|argon2(?:id|i|d)|scrypt)\$[\w./$=,+-]{16,}  # hashes of passwords""",
    re.VERBOSE,
)
_WEBHOOK = re.compile(
    r"(?i)\bhttps?://(?:hooks\.slack\.com/(?:services|workflows|triggers)"
    r"|(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks"
    r"|[\w.-]{1,80}\.webhook\.office\.com|hooks\.zapier\.com/hooks|outlook\.office\.com/webhook"
    r"|maker\.ifttt\.com/trigger)"
    r"/([^\s\"'<>)\]]{6,})"
)
_LICENCE_KEY = re.compile(
    r"(?<![\w-])(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?!\w|-\w)|(?<![\w-])(?:[A-Z0-9]{4}-){4,7}[A-Z0-9]{4}(?!\w|-\w)"
    r"|(?<![\w-])(?:\d{6}-){7}\d{6}(?!\w|-\w)"
)
"""The last form is BitLocker's recovery key."""
_SEED = re.compile(
    r"(?i)\b(?:2fa|totp|otp|mfa|authenticator)\b[^\n]{0,20}?\b(?:secret|key"
    r"|seed)\b[^\n]{0,20}?(?-i:(?<!\w)([A-Z2-7]{16,64})(?!\w))"
)

_GROUPS = re.compile(r"-[A-Z0-9]{4,6}-[A-Z0-9]{4,6}-")
"""The character that every licence key contains; a pattern that begins with a fixed character is found fast."""
_GROUPED_KEYS: Final = group_rule(_LICENCE_KEY, LICENCE_KEY)

_PEM_LABEL = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
_PEM_EDGE = re.compile(rf"-{{4,5}} ?(BEGIN|END) {_PEM_LABEL} ?-{{4,5}}")
_KEY_HEADER = re.compile(r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/=\\]+")
_PUTTY = re.compile(r"(?m)^Private-Lines: *\d+[ \t]*\n((?:[A-Za-z0-9+/=]{1,80}[ \t]*(?:\n|\Z))+)")

_RUN = re.compile(r"(?<![A-Za-z0-9+/_~-])[A-Za-z0-9+/_~-]{20,}={0,2}")
_PIECE = re.compile(r"[A-Za-z0-9+_~-]{20,}")
_HEX = re.compile(r"(?i)(?:0x)?[0-9a-f]+(?:[-:][0-9a-f]+)*")
_SECRET_BEFORE = re.compile(
    r"(?i)\b(?:\w*key|\w*token|\w*secret|pass\w*|credentials?|auth\w*|bearer|cookie|session\w*|signature|sig)\b"
)
_DIGEST_BEFORE = re.compile(
    r"(?i)fingerprint|commit|checksum|sha-?\d|sha\b|md5|digest|revision|\bbuild|hash|uuid|guid|image|\bkey ?id"
    r"|public key"
)
_LONGEST_KEY = 16 * 1024
"""The most characters between the marks of a PEM block; the longest RSA key in use has 13 kB."""
_SAME_LINE = 60
"""The number of characters before a hexadecimal string that are searched for a word that says what it is."""


def _private_keys(text: str) -> str:
    return replace_spans(text, _key_blocks(text), PRIVATE_KEY)


def _key_blocks(text: str) -> Iterator[Span]:
    """Yield PEM blocks from their first to their last mark; of an incomplete block also the lines that look like a key."""
    begun: Span | None = None
    done = 0
    for edge in _PEM_EDGE.finditer(text):
        begins = edge.group(1) == "BEGIN"
        if begun is not None and (begins or edge.start() - begun[1] > _LONGEST_KEY):
            done = _end_of_lines(text, begun[1])
            yield begun[0], done
            begun = None
        if begins:
            begun = edge.span()
            continue
        yield (begun[0] if begun is not None else _start_of_lines(text, edge.start(), done)), edge.end()
        begun, done = None, edge.end()
    if begun is not None:
        yield begun[0], _end_of_lines(text, begun[1])


def _end_of_lines(text: str, at: int) -> int:
    """Return the end of the lines of a key that begin at `at`: before the first line that is not a key's."""
    end = at
    while end < len(text):
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        line = text[end:stop]
        if not _is_key_line(line):
            first = re.match(r"[ \t>]*[A-Za-z0-9+/=\\]{16,}", line)
            return end + first.end() if first is not None else max(at, end - 1)
        end = min(stop + 1, len(text))
    return end - 1 if end > at and text[end - 1] == "\n" else end


def _start_of_lines(text: str, at: int, floor: int) -> int:
    """Return the beginning of the lines of a key that end at `at`; it is not before `floor`."""
    start = at
    while start > floor:
        before = max(text.rfind("\n", floor, start - 1) + 1, floor)
        line = text[before:start]
        if not _is_key_line(line) or (not line.strip() and start != at):
            break
        start = before
    return start


def _is_key_line(line: str) -> bool:
    """Return whether a line is blank, a header of a key or only base64, ignoring quote marks and the like around it."""
    bare = line.strip(" \t\r\n>|\"',+")
    if not bare or (len(bare) <= 100 and _KEY_HEADER.match(bare)):
        return True
    return _BASE64_LINE.fullmatch(bare) is not None and (len(bare) >= 16 or re.search(r"[\d+/=]", bare) is not None)


def _known(text: str) -> str:
    spans = (match.span() for match in in_long_words(_KNOWN, text))
    return replace_spans(text, (_trimmed(text, span) for span in spans if _follows_prefix(text[slice(*span)])), TOKEN)


def _shaped(text: str) -> str:
    spans = (match.span() for match in in_long_words(_SHAPES, text))
    return replace_spans(text, spans, TOKEN)


def _follows_prefix(found: str) -> bool:
    """Return whether the text after a known prefix may be a key, not the rest of a hyphenated word or an identifier."""
    return any(c.isdigit() for c in found[4:]) or (
        any(c.isupper() for c in found[4:]) and any(c.islower() for c in found)
    )


def _licence_keys(text: str) -> str:
    return _GROUPED_KEYS(text) if _GROUPS.search(text) is not None else text


def _trimmed(text: str, span: Span) -> Span:
    start, stop = span
    while stop > start and text[stop - 1] in ".-/":
        stop -= 1
    return start, stop


def _random_strings(text: str) -> str:
    return replace_spans(text, _random_spans(text), TOKEN)


def _random_spans(text: str) -> Iterator[Span]:
    for match in in_long_words(_RUN, text):
        run, start = match.group(), match.start()
        if _is_digest(text, match.span()):
            continue
        if is_random(run) or (_HEX.fullmatch(run) and len(run) >= 24 and _said_secret(text, start)):
            yield match.span()
            continue
        pieces = ((start + piece.start(), start + piece.end()) for piece in _PIECE.finditer(run))
        yield from ((begin, end) for begin, end in pieces if is_random(text[begin:end]))


def _is_digest(text: str, span: Span) -> bool:
    """Return whether a run is a digest in base64 after the name of its algorithm: "SHA256:47DEQpj8...", "sha512-z4PhNX7v..."."""
    start, stop = span
    found = (_DIGEST.match(text, max(0, start - before), stop) for before in _BEFORE_DIGESTS)
    return any(match is not None and match.end() == stop for match in found)


_BEFORE_DIGESTS: Final = (0, *sorted({len(f"sha{name}:") for name in ("1", "-1", "256", "-256")}))
"""How far before a run the name of the algorithm may begin; the run may contain it."""
_DIGEST = re.compile(
    r"(?i)(?:sha-?1[:-][a-z0-9+/]{27}|sha-?256[:-][a-z0-9+/]{43}|sha-?384[:-][a-z0-9+/]{64}|sha-?512[:-][a-z0-9+/]{86})={0,2}"
)


def _said_secret(text: str, at: int) -> bool:
    """Return whether the words before a hexadecimal string call it a secret, and do not call it a digest or an id."""
    line = text[max(text.rfind("\n", 0, at) + 1, at - _SAME_LINE) : at]
    return _SECRET_BEFORE.search(line) is not None and _DIGEST_BEFORE.search(line) is None


def is_random(run: str) -> bool:
    """Return whether a string looks random, by how often it changes between capitals, small letters and digits.

    Of 62 characters drawn evenly, 62 in 100 neighbours differ in kind, of 36 it is 40; identifiers made of words stay
    under 30. Hexadecimal strings never count as random, because commits, digests and UUIDs are kept.
    """
    run = run.strip("=-_~+/")
    if len(run) < 20 or _HEX.fullmatch(run):
        return False
    kinds = ["U" if c.isupper() else "L" if c.islower() else "D" for c in run if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds)) / len(run)
    needed = {3: 0.36, 2: 0.33 if "D" in kinds else 0.40}.get(len(set(kinds)), 1.0)
    return changes >= needed and (len(set(kinds)) == 3 or len(run) >= 24) and _entropy(run) >= 3.3


def _entropy(run: str) -> float:
    """Return the Shannon entropy of the characters, in bits."""
    return -sum(n / len(run) * math.log2(n / len(run)) for n in Counter(run).values())


BLOCKS: Final[tuple[Rule, ...]] = (_private_keys, group_rule(_PUTTY, PRIVATE_KEY))
"""Run first: other rules would replace parts of them."""
MARKED: Final[tuple[Rule, ...]] = (
    near_cues(group_rule(_WEBHOOK, TOKEN), "://"),
    _known,
    _shaped,
    _licence_keys,
    near_cues(group_rule(_SEED, TOKEN), "2fa", "otp", "mfa", "authenticator"),
)
"""Keys that are recognised by their form."""
UNMARKED: Final[tuple[Rule, ...]] = (_random_strings,)
"""Runs last, so that the more specific placeholders of other rules are used first."""
