"""A small library in all six formats, written by the suite itself: eleven documents, one of them under two names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from contracts.documents import docx, docx_image, docx_paragraph, epub, html, markdown, page, pdf, png

RELAYS: Final = "Relays and Contactors"
CAPACITORS: Final = "Capacitors in Practice"
BREAD: Final = "Bread at Home"
OVENS: Final = "Ovens and Their Heat"
BEES: Final = "Keeping Bees"
TIDES: Final = "Tides and Currents"
GARDEN: Final = "Notes of a Gardener"
SOLDERING: Final = "Soldering for Beginners"
SAILING: Final = "Sailing by the Stars"
YEAST: Final = "Yeast under the Microscope"

LEDGER: Final = "The Harbour Ledger"
TITLES: Final = frozenset((RELAYS, CAPACITORS, BREAD, OVENS, BEES, TIDES, GARDEN, SOLDERING, SAILING, YEAST, LEDGER))

SEA: Final = "Matters of the Sea"
STARS: Final = "Finding the Way by Stars"
TAXONOMY: Final = f"""
[[category]]
name = "{SEA}"
description = "The sea, its tides, tidal streams and currents."
aliases = ["Oceans", "Blue Water"]
keywords = ["tide", "tidal stream", "tide table", "spring tide"]

[[category]]
name = "{STARS}"
parent = "{SEA}"
description = "Celestial navigation: sailing and the position of a boat by the stars, with sextant and almanac."
aliases = ["Astronavigation"]
related = ["Astronomy"]
keywords = ["celestial navigation", "star", "sailing", "sextant"]
"""
"""Categories beside the shipped ones, a parent and its child."""

SHIPS: Final = ("Quillermane", "Brastovar", "Zephyntha")
"""Names that stand once each in a document of many chunks that are much alike."""

SECOND_NAME: Final = "copies/bees-again.html"
"""The same bytes as `bees.html`."""
IN_THE_REFERENCES: Final = "zymurgists"
"""A word that stands in a list of references only."""

_RELAYS: Final = (
    "A relay is a switch that a small current operates. The current flows through a coil, and the magnetic field of the coil "
    "pulls an armature, which closes the contacts of the relay.",
    "The circuit of the coil and the circuit of the load have no connection. A relay therefore keeps a microcontroller "
    "apart from the mains voltage that it switches.",
    "When the current of the coil is switched off, the magnetic field collapses and induces a high voltage. A flyback diode "
    "across the coil gives the current a way round, so that the transistor survives.",
    "Contacts bounce for some milliseconds after they close. A capacitor across the contacts, or a delay in the program of "
    "the microcontroller, hides the bounce of the contacts.",
    "A contactor is a large relay for motors. Its contacts carry hundreds of amperes, and an arc chute puts out the arc when "
    "the contactor opens.",
)
_CAPACITORS: Final = (
    (
        "What a capacitor does",
        "A capacitor stores electric charge on two plates with an insulator between them. The insulator is called the "
        "dielectric. The larger the plates and the thinner the dielectric, the larger the capacitance.",
    ),
    (
        "Electrolytic capacitors",
        "An electrolytic capacitor has a large capacitance in a small can, and it has a polarity. Connected the wrong way "
        "round, the electrolytic capacitor heats up and bursts.",
    ),
    (
        "Smoothing",
        "Behind a rectifier a smoothing capacitor fills the gaps between the half waves. The ripple voltage falls with the "
        "capacitance and grows with the current of the load.",
    ),
)
_BREAD: Final = """# Bread at Home

## The starter

A sourdough starter is flour and water in which wild yeast and bacteria live. The baker feeds the sourdough starter every
day with fresh flour. After a week the sourdough starter doubles within hours and smells of apples.

## The dough

Knead flour, water, salt and sourdough starter for ten minutes. Gluten forms while you knead, and the gluten holds the
bubbles that the yeast makes. Let the dough rise in a warm place until it has doubled.

## The bake

Heat the oven with a baking stone for an hour. Steam in the oven keeps the crust of the bread soft at first, so that the
loaf can rise. The crust browns when the steam is let out.

## References

1. A. Miller, The Loaf, Crumb Press, 1998, pp. 12-40.
2. B. Baker and C. Cook, Proc. of the Society of Zymurgists, vol. 3, 2004, pp. 7-19.
3. D. Crust, Journal of Cereal Science, vol. 12, 2011, pp. 101-118.
"""
_OVENS: Final = (
    "An oven heats food by radiation from its walls and by hot air. A baking stone in the oven stores heat and gives it to the "
    "bread from below.",
    "A wood oven is heated with a fire on its floor. The baker sweeps out the embers, and the bricks of the oven bake the bread "
    "with the heat that they have stored.",
    "Steam moves heat to the surface of the dough. An oven for bread has a valve that lets steam in at the start and out at "
    "the end.",
)
_BEES: Final = (
    "<h1>Keeping Bees</h1><p>A colony of honey bees has one queen, some hundred drones and up to fifty thousand workers. The "
    "queen bee lays all the eggs of the colony. The workers build the honeycomb, feed the larvae and gather nectar and "
    "pollen.</p><h2>Swarming</h2><p>In spring the colony may swarm: the old queen bee leaves the hive with half of the workers. "
    "A beekeeper prevents the swarm by giving the colony room, or catches the swarm and puts it into an empty hive.</p>"
    "<h2>Honey harvest</h2><p>The beekeeper takes frames of honeycomb out of the hive when the cells are capped. Honey is spun "
    "out of the honeycomb in an extractor. Enough honey stays in the hive for the winter.</p>"
    "<table><caption>Table 1: Honey by month</caption><tr><th>Month</th><th>Honey</th></tr><tr><td>May</td><td>4 kg</td></tr>"
    "<tr><td>June</td><td>9 kg</td></tr></table>"
)
_TIDES: Final = (
    (
        "Tides and Currents",
        "The tide is the rise and fall of the sea that the gravity of the moon and the sun causes. High tide comes about every "
        "twelve hours and twenty-five minutes.",
        "When sun and moon stand in one line, their gravity adds up to a spring tide. At half moon the neap tide is the weakest.",
    ),
    (
        "Reading a tide table",
        "A tide table gives the time and the height of high tide and low tide for a harbour. The rule of twelfths tells how far "
        "the water has risen between low tide and high tide.",
    ),
    (
        "Tidal streams",
        "The tidal stream is the current that the tide makes. A sailor looks for slack water to pass a narrow channel, for the "
        "tidal stream may run faster than the boat sails.",
    ),
)
_GARDEN: Final = """Notes of a Gardener
===================

by Flora Greenwood

Copyright 2019

Tomatoes want a warm bed and a stake. The gardener pinches out the side shoots of the tomato plant once a week. A tomato plant
that stands in the rain gets blight.

Compost feeds the soil. The gardener piles leaves, grass and kitchen waste into a compost heap and turns the compost heap after
a month. Earthworms do the rest of the work.

Bees visit the flowers of the bean and of the apple tree. A gardener who plants lavender feeds the honey bees of the
neighbour, and pollination gives him more apples.
"""
_SOLDERING: Final = (
    "Solder joins metals at a temperature at which they do not melt themselves. Heat the joint with the soldering iron, and let "
    "the solder flow into the joint.",
    "Flux removes the oxide from the metal. Solder for electronics has a core of flux; without flux the solder forms beads and "
    "the joint stays cold.",
    "A circuit board gets its small parts first: resistors, then the capacitor and the diode, and at last the relay. Mind the "
    "polarity of the diode and of the electrolytic capacitor.",
)
_SAILING: Final = (
    (
        "Sailing by the Stars",
        "Celestial navigation finds the position of a boat from the height of stars. The navigator measures the angle between a "
        "star and the horizon with a sextant.",
        "The almanac gives the place of each star for every second. Celestial navigation needs an exact clock, since four "
        "seconds are a nautical mile.",
    ),
    (
        "Near the coast",
        "Near the coast the sailor steers by lighthouses and reckons with the tidal stream. Celestial navigation gives way to "
        "the compass and the tide table.",
    ),
)
_YEAST: Final = (
    "Yeast is a fungus of a single cell. Under the microscope the yeast cell buds: a daughter cell grows on the mother cell and "
    "parts from it.",
    "Fermentation turns sugar into alcohol and carbon dioxide. Bread rises by the carbon dioxide of fermentation, and beer keeps "
    "the alcohol of fermentation.",
    "Wild yeast lives on fruit and on grain. A sourdough starter is a culture of wild yeast and lactic acid bacteria that a "
    "baker keeps for years.",
)
_TABLE: Final = "| Part | Melts at |\n|---|---|\n| Tin | 232 C |\n| Lead | 327 C |\n| Solder | 183 C |\n"


def documents() -> Mapping[str, bytes]:
    """Return the files of the library by their names, the same bytes each time."""
    bees = html(_BEES, title=BEES, author="Melissa Hive", date="2015-04-01")
    return {
        "bees.html": bees,
        "bread.md": markdown(_BREAD, title=BREAD, author="Anna Miller", date="2020-01-02"),
        "capacitors.epub": _capacitors(),
        SECOND_NAME: bees,
        "garden.txt": _GARDEN.encode(),
        "ledger.txt": _ledger().encode(),
        "ovens.html": html("".join(f"<p>{text}</p>" for text in _OVENS), title=OVENS, author="Anna Miller"),
        "relays.docx": _relays(),
        "sailing.pdf": pdf(_SAILING, title=SAILING, author="Vera Harbour", year="2011"),
        "soldering.md": markdown(
            "\n\n".join((*_SOLDERING, "Table 1: Melting points", _TABLE)), title=SOLDERING, author="", date=""
        ),
        "tides.pdf": pdf(_TIDES, title=TIDES, author="Vera Harbour", year="2013"),
        "yeast.docx": docx(
            list(map(docx_paragraph, _YEAST)), title=YEAST, author="Pia Lab", created="2018-03-03T08:00:00Z"
        ),
    }


def write(folder: Path) -> None:
    """Write the library into a folder."""
    for name, content in documents().items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _ledger() -> str:
    """Return a text of some fifty chunks: a day of a harbour is like any other one."""
    ships: Mapping[int, str] = dict(zip((31, 83, 127), SHIPS, strict=True))
    days = (
        f"On day {day} of the year the harbour master wrote into the ledger that the ship "
        f"{ships.get(day, _NAMES[day % len(_NAMES)])} came in with {day * 7 % 90 + 10} barrels of "
        f"{_GOODS[day % len(_GOODS)]} and {day * 11 % 70 + 5} sacks of {_GOODS[day * 3 % len(_GOODS)]}. The toll was "
        f"{day % 9 + 2} crowns, paid by the captain at the gate of the harbour before the cargo went ashore."
        for day in range(1, 150)
    )
    return f"{LEDGER}\n{'=' * len(LEDGER)}\n\nby Vera Harbour\n\n" + "\n\n".join(days) + "\n"


_NAMES: Final = ("Morning Star", "Anna Maria", "Grey Goose", "Hopewell", "Two Sisters", "North Wind", "Fair Trade")
_GOODS: Final = ("salt", "herring", "tar", "rye", "linen", "wax", "oil", "timber", "malt", "glass", "iron")


def _relays() -> bytes:
    pictures = (
        ("i1", "Figure 1: Flowchart of the test of a relay and its coil"),
        ("i2", "Figure 2: Circuit diagram with a relay, a transistor and a flyback diode"),
        ("i3", "Figure 3: Plot of the current of the coil versus time"),
        ("i4", "Table 1: Relays and the voltage of their coil"),
    )
    body = [docx_paragraph(RELAYS, style="Heading1"), *map(docx_paragraph, _RELAYS[:3])]
    for name, caption in pictures:
        body += [docx_paragraph("", content=docx_image(name)), docx_paragraph(caption, style="Caption")]
    body += map(docx_paragraph, _RELAYS[3:])
    media = {name: png(seed=number) for number, (name, _) in enumerate(pictures, start=1)}
    return docx(body, title=RELAYS, author="Ohm Spark", created="2017-06-05T08:00:00Z", media=media)


def _capacitors() -> bytes:
    pages = [page(f"<h1>{heading}</h1><p>{text}</p>") for heading, text in _CAPACITORS]
    picture = "<img src='wave.png' alt='Waveform behind a smoothing capacitor'/>"
    pages.append(page(f"<h1>Measured</h1><p>The ripple voltage of a smoothing capacitor.</p>{picture}"))
    manifest = "<item id='wave' href='text/wave.png' media-type='image/png'/>"
    return epub(
        pages,
        title=CAPACITORS,
        author="Ohm Spark",
        date="2019-02-02",
        files={"text/wave.png": png(seed=9)},
        manifest=manifest,
    )
