"""Small documents for tests of the analysis: blocks by kind, and texts long enough to be cut."""

from toolsets.concept_rag.ingestion.document import Block, BlockKind, ParsedDocument


def heading(text: str, level: int = 1, page: int = 1) -> Block:
    return Block("heading", text, page, level)


def block(text: str, kind: BlockKind = "paragraph", page: int = 1) -> Block:
    return Block(kind, text, page)


def document(*blocks: Block, title: str = "") -> ParsedDocument:
    pages = max((each.page for each in blocks), default=1)
    return ParsedDocument("text", title, "", "", pages, blocks)


CIRCUITS = (
    "An electronic circuit carries electric current between components such as resistors, capacitors and diodes.",
    "The resistor limits the current, and the voltage across it is proportional to the current that flows.",
    "A capacitor stores charge, so the voltage across a capacitor cannot change at once.",
    "In an RC circuit the capacitor is charged through a resistor, and the time constant is their product.",
    "A diode lets current pass in one direction only, which makes it useful for rectifying alternating voltage.",
    "The oscilloscope shows how the voltage of an electronic circuit changes with time.",
    "A transistor amplifies a small signal, and two of them form the input of an operational amplifier.",
    "The operational amplifier compares two voltages and multiplies their difference by a large factor.",
)
LEDGERS = (
    "Double-entry bookkeeping records every transaction in two accounts, once as a debit and once as a credit.",
    "The balance sheet lists assets and liabilities, and their difference is the equity of the owner.",
    "An invoice tells the customer what is owed, and the payment is posted to the bank account.",
    "Depreciation spreads the cost of an asset over the years in which it is used.",
    "The accountant closes the books at the end of the year and prepares the tax return.",
    "An expense account collects what was spent on rent, salaries and supplies.",
)
