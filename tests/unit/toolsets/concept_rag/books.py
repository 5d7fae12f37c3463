"""A small library of six documents on different subjects, which the tests of search and tools ingest and ask."""

from collections.abc import Mapping
from typing import Final

from tests.support.documents import docx, docx_image, docx_paragraph, html, markdown, png

RELAYS: Final = "Notes on Relays"
TOMATOES: Final = "Growing Tomatoes"
VIOLINS: Final = "The Baroque Violin"
CARS: Final = "Care of the Automobile"
CIRCUITS: Final = "Debouncing Relays in Practice"
ORCHESTRA: Final = "Seats of the Orchestra"

_RELAYS = """\
# Switching

A relay is a switch that a small current operates. It keeps the circuit of the coil apart from the circuit of the load.

# Bounce

The contacts of a relay bounce for some milliseconds after they close. A debounce circuit waits until they have come to rest.

# References

- [1] P. Horowitz and W. Hill. The Art of Electronics. Cambridge University Press, 1989.
- [2] C. Mead. Contacts of the relay. Journal of Switching, vol. 3, pp. 14-19, 1972.
- [3] R. Gurevich. Electric Relays. CRC Press, 2006. ISBN 978-0849341885.
"""
_TOMATOES = """\
# Soil

Tomatoes want deep soil with much compost. Water the plants in the morning, and never wet the leaves.

# Blight

Blight shows as brown spots on the leaves. Remove the leaves at once; the fungus survives the winter in the soil.
"""
_VIOLINS = """\
# Strings

The baroque violin has strings of sheep gut. The bow of the baroque violin bends outwards, and its tension is lower.

# Pitch

Players of the baroque violin tune to a pitch of 415 hertz. The bridge is lower than that of the modern violin.
"""
_CARS = """\
<h1>Brakes</h1><p>The brake fluid of an automobile takes up water. Change the brake fluid of the automobile every two years.</p>
<h1>Oil</h1><p>The engine oil of an automobile is changed after ten thousand kilometres. Old engine oil wears the engine.</p>
"""


def books() -> Mapping[str, bytes]:
    """The documents by a file name."""
    return {
        "relays.md": markdown(_RELAYS, title=RELAYS, author="Ada Example"),
        "tomatoes.md": markdown(_TOMATOES, title=TOMATOES, author="Grace Grower"),
        "violins.md": markdown(_VIOLINS, title=VIOLINS, author="Carl Bow"),
        "cars.html": html(_CARS, title=CARS, author=""),
        "circuits.docx": _with_pictures(
            CIRCUITS,
            "A relay with a debounce circuit switches once. The capacitor of the debounce circuit takes up the bounce.",
            {"one": ("Figure 1. A debounce circuit with a relay.", 1), "two": ("Figure 2. A capacitor.", 2)},
        ),
        "orchestra.docx": _with_pictures(
            ORCHESTRA,
            "The seats of the orchestra follow the conductor. The first violin sits left of the conductor.",
            {"three": ("Diagram 1. Seats of the orchestra around the conductor.", 3)},
        ),
    }


def _with_pictures(title: str, text: str, pictures: Mapping[str, tuple[str, int]]) -> bytes:
    body = [docx_paragraph(title, style="Heading1"), docx_paragraph(text)]
    for name, (caption, _) in pictures.items():
        body += [docx_paragraph("", content=docx_image(name)), docx_paragraph(caption, style="Caption")]
    return docx(body, title=title, media={name: png(200 + seed, 120) for name, (_, seed) in pictures.items()})
