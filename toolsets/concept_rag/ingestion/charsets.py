"""Guesses an undeclared encoding by the letters of languages, and their positions in words."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

USUAL: Final = "cp1252"
"""The Western European encoding, by far the most common one of texts that are not UTF-8."""
_AHEAD: Final = 0.15
"""The least score by which another encoding must exceed the usual one."""
_SAMPLE: Final = 8_192
"""The number of bytes around non-ASCII bytes from which an encoding is guessed."""
_FOREIGN: Final = re.compile(rb"(?:[\x00-\x7f]{0,8}[\x80-\xff])+[\x00-\x7f]{0,8}")
_WESTERN: Final = ("cp1252", "mac_roman", "cp850", "cp437")
_CENTRAL: Final = ("cp1250", "iso8859_2")
_CYRILLIC: Final = ("cp1251", "koi8_r", "iso8859_5", "cp866")
_SIGNS: Final = frozenset("©®™£€¥§°–—…•“”„‘’‚«»‹›¿¡·×½¼¾\u00a0。、，．：；！？「」『』（）《》・　")
"""Characters other than letters that occur in texts of many languages."""
_BETWEEN_LETTERS: Final = frozenset("’‘·\u00ad\u00a0–—…。、，：；！？「」『』（）《》・　")
_RARE: Final = 0.5
"""The score of a letter that is rare in a language."""
_WRONG: Final = -1.0
"""A sign that the language never has weighs more than any frequent letter."""


@dataclass(frozen=True, slots=True)
class _Language:
    """The non-ASCII letters that identify a language or a group of languages."""

    encodings: tuple[str, ...]
    letters: str
    """In lower case; for non-Latin scripts, the most frequent letters."""
    others: tuple[tuple[int, int], ...] = ()
    """Ranges of code points of the script's other letters, as first and last."""


_IDEOGRAPHS: Final = ((0x4E00, 0x9FFF),)
_LANGUAGES: Final = (
    _Language(_WESTERN, "éèêëàâçîïôùûœæÿ"),  # French
    _Language(_WESTERN, "äöüß"),  # German
    _Language(_WESTERN, "áéíóúñüçº"),  # Spanish
    _Language(_WESTERN, "áâãàçéêíóôõúü"),  # Portuguese
    _Language(_WESTERN, "àèéìòùíîó"),  # Italian
    _Language(_WESTERN, "åäöæøé"),  # Nordic languages
    # Icelandic; Turkish encodings have other letters in three of these positions.
    _Language(_WESTERN, "áéíóúæö", ((0xF0, 0xF0), (0xFD, 0xFE))),
    _Language(_CENTRAL, "ąćęłńóśźż"),  # Polish
    _Language(_CENTRAL, "áčďéěíňóřšťúůýžľĺŕôä"),  # Czech and Slovak
    _Language(_CENTRAL, "áéíóöőúüű"),  # Hungarian
    _Language(_CENTRAL, "čćđšž"),  # Croatian and Slovene
    _Language(_CENTRAL, "ăâîşţ"),  # Romanian
    _Language(("cp1254",), "çğıöşüâîû"),  # Turkish
    _Language(("cp1257",), "ąčęėįšųūžāēģīķļņõäöü"),  # Baltic languages
    _Language(_CYRILLIC, "оеаинтсрвлкмдпуяыьгзб", ((0x0400, 0x045F), (0x0490, 0x0491))),
    _Language(("cp1253",), "αειονστηρκπυλμςάίόέήώ", ((0x0386, 0x03CE),)),
    _Language(("cp1255",), "יוהלארמתבשנקטדעפ", ((0x05D0, 0x05EA),)),
    _Language(("cp1256",), "اليمونترعبدة", ((0x0621, 0x06D3),)),
    _Language(
        ("cp932", "euc_jp"),
        "のにはをたがでとしてるいなすかられこもまよあうくき一人日大年者本用的動電路方",
        ((0x3041, 0x30FE), *_IDEOGRAPHS),
    ),
    _Language(
        ("gb18030",),
        "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种"
        "事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日者意无力它与长把机十民第公"
        "此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合"
        "回特代内信表化老给世位次度门任常先海通教儿东神将电数",
        _IDEOGRAPHS,
    ),
    _Language(
        ("big5",),
        "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種"
        "事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日者意無力它與長把機十民第公"
        "此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合"
        "回特代內信表化老給世位次度門任常先海通教兒東神將電數",
        _IDEOGRAPHS,
    ),
    _Language(("cp949",), "이다는을를의에가고하한지로은기사서도나자인대해시어리그아스수들전있", ((0xAC00, 0xD7A3),)),
)  # fmt: skip


@dataclass(slots=True)
class _Placed:
    """The non-ASCII characters of a text by their position."""

    letters: Counter[str] = field(default_factory=Counter[str])
    """Letters at plausible positions in words, in lower case."""
    signs: int = 0
    """Including letters that stand alone."""
    wrong: int = 0
    neutral: int = 0


def guessed_encoding(data: bytes) -> str:
    """Return the name of the encoding that fits `data` best; `USUAL` unless another one is clearly better."""
    sample = telling_sample(data)
    fits: dict[str, float] = {}
    for encoding in dict.fromkeys(each for language in _LANGUAGES for each in language.encodings):
        placed = _placed(sample.decode(encoding, "replace"))
        fits[encoding] = max(_fit(placed, language) for language in _LANGUAGES if encoding in language.encodings)
    best = max(fits, key=lambda encoding: fits[encoding])
    return best if fits[best] > fits[USUAL] + _AHEAD else USUAL


def telling_sample(data: bytes) -> bytes:
    """Return the non-ASCII bytes and the bytes around them, up to `_SAMPLE` bytes."""
    pieces: list[bytes] = []
    size = 0
    for match in _FOREIGN.finditer(data):
        pieces.append(match[0][: _SAMPLE - size])
        size += len(pieces[-1])
        if size >= _SAMPLE:
            break
    return b"\n".join(pieces)


def _placed(text: str) -> _Placed:
    placed = _Placed()
    for before, each, after in zip("\n" + text, text, text[1:] + "\n", strict=False):
        if each.isascii():
            continue
        if each in _SIGNS:
            if before.isalpha() and after.isalpha() and each not in _BETWEEN_LETTERS:
                placed.wrong += 1
            else:
                placed.signs += 1
        elif not each.isalpha():
            # Superscripts and similar may follow a letter; control and replacement characters have no valid position.
            is_sign = each in "²³¹ªº" and not after.isalpha() and not before.isspace()
            if is_sign:
                placed.neutral += 1
            else:
                placed.wrong += 1
        elif each.isupper() and before.isupper():
            # A single word may be in capitals; a whole text in capitals is more likely in another encoding.
            placed.neutral += 1
        elif not _belongs(before, each, after):
            placed.wrong += 1
        elif before.isalnum() or after.isalnum():
            placed.letters[each.lower()] += 1
        else:
            # A letter alone tells no more than the sign that it is in another encoding, as in "© 2019" and "¼ cup".
            placed.signs += 1
    return placed


def _belongs(before: str, letter: str, after: str) -> bool:
    """Return whether a letter may be between two characters: words have one script, and capitals only at the beginning."""
    script = _script(letter)
    if script == "halfwidth":
        return False
    if script == "ideographic":
        return not (before.isascii() and before.isalpha() and after.isascii() and after.isalpha())
    if any(each.isdigit() or (each.isalpha() and _script(each) != script) for each in (before, after)):
        return False
    if letter in "ςךםןףץ":
        return not after.isalpha()
    return not (letter.isupper() and before.islower()) and not (
        letter.islower() and before.isupper() and after.isupper()
    )


def _script(letter: str) -> str:
    code = ord(letter)
    if code < 0x250:
        return "latin"
    if 0x2E80 <= code < 0xAC00:
        return "ideographic"
    return unicodedata.name(letter, "?").partition(" ")[0].lower()


def _fit(placed: _Placed, language: _Language) -> float:
    """Return the mean score of the non-ASCII characters, from -1 to 1."""
    total = placed.signs + placed.wrong + placed.neutral + placed.letters.total()
    if total == 0:
        return 0.0
    frequent = frozenset(language.letters)
    score = 0.8 * placed.signs + _WRONG * placed.wrong
    for letter, count in placed.letters.items():
        if letter in frequent:
            score += count
        elif any(first <= ord(letter) <= last for first, last in language.others):
            score += _RARE * count
    return score / total
