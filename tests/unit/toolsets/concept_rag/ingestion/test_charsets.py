"""An encoding that is not declared is guessed by the letters of languages."""

import pytest

from toolsets.concept_rag.ingestion.charsets import USUAL, guessed_encoding, telling_sample
from toolsets.concept_rag.ingestion.encodings import decode_markup, decode_text

SHORT = {
    "fr": ("Une crêpe à Orléans; où êtes-vous passé, garçon ? Là-bas, près du chêne.", ["cp1252"]),
    "de": ("Der Weg führt zu großen Bäumen und schönen Häusern.", ["cp1252", "mac_roman", "cp850"]),
    "de, one word": ("Er ging durch die Stadt und sah das Schloß.", ["cp1252"]),
    "es": ("El señor Peña llegó mañana. ¿Qué tal? ¡Adiós, niño!", ["cp1252"]),
    "it": ("La città è più bella perché c'è il sole; così va la virtù.", ["cp1252"]),
    "pt": ("A função não está à disposição dos irmãos; coração.", ["cp1252"]),
    "en": ("It costs a commission of £100, that is naïve; a café’s “résumé” – 25 °C, ±5 %, 3 m².", ["cp1252"]),
    "en, signs": ("© 2019 The Company … all for £5", ["cp1252"]),
    "en, a price": ("A commission of £100 is due.", ["cp1252"]),
    "pl": ("Zażółć gęślą jaźń; mały chłopiec idzie ścieżką do łąki.", ["cp1250", "iso8859_2"]),
    "cs": ("Příliš žluťoučký kůň úpěl ďábelské ódy.", ["cp1250"]),
    "tr": ("Kırmızı ağaç dağın ardında, güneş batıyor, şehir ışıl ışıl.", ["cp1254"]),
    "ru": ("Реле замыкает цепь нагрузки. Москва и область.", ["koi8-r", "cp1251", "iso8859_5", "cp866"]),
    "el": ("Ο ηλεκτρονόμος είναι διακόπτης που λειτουργεί με μικρό ρεύμα.", ["cp1253"]),
    "he": ("הממסר הוא מתג המופעל על ידי זרם קטן של חשמל.", ["cp1255"]),
    "ja": ("継電器は小さな電流で動作するスイッチです。", ["shift_jis", "euc-jp"]),
    "zh": ("继电器是一种用小电流操作的开关。它把线圈电路和负载电路分开。", ["gb18030"]),
    "zh, Taiwan": ("繼電器是一種用小電流操作的開關。它把線圈電路和負載電路分開。", ["big5"]),
    "ko": ("계전기는 작은 전류로 동작하는 스위치이다. 회로를 나누는 데 쓴다.", ["cp949"]),
}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(text, encoding, id=f"{name} in {encoding}")
        for name, (text, encodings) in SHORT.items()
        for encoding in encodings
    ],
)
def test_short_texts_are_read_as_what_they_are(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text
    assert decode_markup(f"<html><body><p>{text}</p></body></html>".encode(encoding)).count(text) == 1


def test_one_line_that_is_not_ascii_decides_nothing_strange() -> None:
    text = "Plain English words of a long text.\n" * 1_200 + "© 2019 The Company … £5\n"
    assert decode_text(text.encode("cp1252")) == text
    assert decode_text(text.replace("\n", " ").encode("cp1252")).endswith("© 2019 The Company … £5 ")


@pytest.mark.parametrize("data", [b"", b"plain", b"\xe9"])
def test_without_evidence_the_usual_encoding_is_guessed(data: bytes) -> None:
    assert guessed_encoding(data) == USUAL


@pytest.mark.parametrize(
    "text",
    [
        "© 2019 The Company",
        "Add ¼ cup of milk.",
        "Add ¾ cup, and ½ spoon.",
        "Windows ® 10",
        "À la carte",
        "Il a à lire",
    ],
)
def test_a_sign_alone_is_no_letter_of_another_encoding(text: str) -> None:
    assert guessed_encoding(text.encode(USUAL)) == USUAL


def test_an_encoding_is_guessed_from_what_is_around_the_bytes_that_tell() -> None:
    word = "Größe".encode("cp1252")
    assert telling_sample(b"plain " * 1_000) == b""
    assert telling_sample(b"x" * 50 + word + b"y" * 50) == b"x" * 6 + word + b"y" * 7
    assert len(telling_sample(word * 10_000)) <= 9_000
