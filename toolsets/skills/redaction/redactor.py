"""Takes out of a text what must be neither stored nor sent away."""

import re
from typing import Final

from toolsets.skills.redaction.addresses import EMAILS, LOCATIONS
from toolsets.skills.redaction.apposition import APPOSITIONS, GROUPED_KEYS, LISTS
from toolsets.skills.redaction.keys import BLOCKS, MARKED, UNMARKED
from toolsets.skills.redaction.numbers import NUMBERS
from toolsets.skills.redaction.passwords import PASSWORDS
from toolsets.skills.redaction.replacement import Rule
from toolsets.skills.redaction.requests import REQUESTS

_RULES: Final[tuple[Rule, ...]] = (
    *BLOCKS,
    *REQUESTS,
    *MARKED,
    *GROUPED_KEYS,
    *EMAILS,
    *PASSWORDS,
    *APPOSITIONS,
    *NUMBERS,
    *LISTS,
    *LOCATIONS,
    *UNMARKED,
)
"""What is told by its surroundings goes before what is told by its form, so that no rule takes half of a secret."""
_INVISIBLE = re.compile("[\\u00ad\\u180e\\u200b\\u2060\\ufeff]")
"""Characters that show nothing and join nothing; inside a secret they would hide it from every rule."""


def redact(text: str) -> str:
    """Return `text` with a readable placeholder for each secret and personal address, such as `[email]` or `[password]`.

    Removed are e-mail addresses, telephone numbers, public IP addresses, card, account and social security numbers,
    expiry dates of cards, dates of birth, codes that were sent, passwords, tokens, API keys, licence keys and private
    keys. Versions, ports, commits, digests, UUIDs, error codes and private IP addresses stay: steps need them, and
    they are nobody's.
    Redacting twice changes nothing more. Takes time linear in the length: 2 to 6 seconds for a megabyte, so callers run
    it in a thread.
    """
    text = _INVISIBLE.sub("", text)
    for rule in _RULES:
        text = rule(text)
    return text
