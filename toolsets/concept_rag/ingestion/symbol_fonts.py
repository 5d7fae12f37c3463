"""The characters of the fonts Symbol and Wingdings in Unicode; kept separate because they are a table."""

from typing import Final

_GREEK: Final = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
"""The font Symbol from 0x20."""
_SIGNS: Final = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
"""The font Symbol from 0xA0; 0xF0 is no character."""
_SYMBOL: Final = {
    code: char
    for first, chars in ((0x20, _GREEK), (0xA0, _SIGNS))
    for code, char in enumerate(chars, first)
    if char != "\0"
}  # fmt: skip
_WINGDINGS: Final = dict(zip(
    b"\x21\x22\x23\x28\x2a\x41\x43\x44\x45\x46\x47\x48\x4a\x4b\x4c\x4e\x5b\x6c\x6d\x6e\x6f\x71\x72\x73\x75\x76\x77"
    b"\x9e\x9f\xa1\xa7\xa8\xab\xd5\xd8\xdf\xe0\xe1\xe2\xe8\xef\xf0\xf1\xf2\xf3\xf4\xfb\xfc\xfd\xfe",
    "✏✂✁☎✉✌👍👎☜☞☝☟☺😐☹☠☯●❍■□❑❒⬧◆❖⬥"
    "·•○▪☐★⌫➢←→↑↓➔⇦⇨⇧⇩⬄⇳✗✓☒☑",
    strict=True,
))  # fmt: skip
_WINGDINGS_2: Final = dict(zip(b"\x4f\x50\x51\x52\x53\x54\xa3", "✗✓☒☑☒☒☐", strict=True))
_FONTS: Final = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def symbol(font: str, code: str) -> str:
    """Return the character with the hexadecimal `code` in a font; "" if it is not known.

    Word adds 0xF000 to the codes of symbol fonts. The codes of other fonts are those of Unicode.
    """
    try:
        value = int(code[:6], 16)
    except ValueError:
        return ""
    known = _FONTS.get(font.casefold())
    if known is not None and (value < 0x100 or 0xF000 <= value < 0xF100):
        return known.get(value & 0xFF, "")
    private_or_surrogate = 0xD800 <= value < 0xF900
    return chr(value) if 0x20 <= value < 0x10000 and not private_or_surrogate else ""
