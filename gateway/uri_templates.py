"""URI templates of level 1 (RFC 6570): literal text, and variables that are whole segments between slashes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from gateway.errors import Refused

MAX_URI = 2_000
"""The most characters of a URI."""

_LITERAL = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%-]*")
_VARIABLE = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")
_NO_VALUE = re.compile(r"[?#{}]|%(?![0-9A-Fa-f]{2})|%00")
"""What no expansion of a variable contains, and NUL, which no toolset can store."""


@dataclass(frozen=True, slots=True)
class UriTemplate:
    """A parsed template."""

    text: str
    segments: tuple[str, ...]
    """The texts between slashes, empty for a variable."""
    variables: Mapping[int, str]
    """The names of the variables by index of the segment."""

    @property
    def shape(self) -> tuple[str, ...]:
        """The template without the names of its variables; templates of one shape match the same URIs."""
        return tuple("{}" if at in self.variables else segment for at, segment in enumerate(self.segments))

    @property
    def order(self) -> tuple[tuple[bool, ...], str]:
        """The sort key: of two templates that match a URI, the one with more literal segments at the front comes first."""
        return tuple(at in self.variables for at in range(len(self.segments))), self.text

    def match(self, uri: str) -> Mapping[str, str] | None:
        """Return the decoded values of the variables, None if the URI does not match."""
        segments = uri.split("/")
        if len(uri) > MAX_URI or len(segments) != len(self.segments):
            return None
        values: dict[str, str] = {}
        for at, (segment, literal) in enumerate(zip(segments, self.segments, strict=True)):
            if at not in self.variables:
                if segment != literal:
                    return None
                continue
            if not segment or _NO_VALUE.search(segment):
                return None
            try:
                values[self.variables[at]] = unquote(segment, errors="strict")
            except UnicodeDecodeError:
                return None
        return values


def uri_template(text: str, toolset: str) -> UriTemplate:
    """Parse a template. Raises `Refused` if it is not of level 1, or a variable is not a whole segment."""
    segments = text.split("/")
    found = {at: match[1] for at, segment in enumerate(segments) if (match := _VARIABLE.fullmatch(segment))}
    literal = all(_LITERAL.fullmatch(segment) for at, segment in enumerate(segments) if at not in found)
    if not (
        literal and found and len(set(found.values())) == len(found) and _SCHEME.match(text) and len(text) <= MAX_URI
    ):
        raise Refused(
            f"The resource template {text!r} of the toolset {toolset} cannot be served: it begins with a scheme, such as "
            "library://, and each of its variables is one whole segment, such as {id}, with a name of its own."
        )
    return UriTemplate(text, tuple("" if at in found else segment for at, segment in enumerate(segments)), found)
