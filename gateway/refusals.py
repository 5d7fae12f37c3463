"""Replies to requests that the gateway refuses, in the form of the toolset whose path was requested."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import Response

from backends.ports.errors import StoreError
from gateway.surrogates import encoded
from toolsets.spec import HttpReply, RouteEnvelope, RouteSpec

log = logging.getLogger("entrepot.http")


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a request does not reach a handler."""

    status: int
    code: str
    """The code of the reason in the gateway's own form: `{"error": CODE, "detail": SENTENCE}`."""
    sentence: str
    """The reason as a sentence, for the gateway's own form and for a toolset's envelope."""


class Refusals:
    """Words refusals with the envelope of a toolset's route, or in the gateway's own form for other paths."""

    def __init__(self, routes: Iterable[RouteSpec]) -> None:
        """Collect the envelopes of the routes; if the methods of a path have several, the first one is used."""
        self._envelopes: dict[str, RouteEnvelope] = {}
        """By path; paths below it use the same envelope."""
        for route in routes:
            if route.envelope is not None:
                self._envelopes.setdefault(route.path, route.envelope)

    def reply(self, path: str, refusal: Refusal) -> HttpReply:
        """Return the reply to a refused request for `path`."""
        envelope = self._envelope(path)
        if envelope is not None:
            try:
                return envelope.refused(refusal.status, refusal.sentence)
            except Exception:  # a refused request must get a reply even if the envelope fails
                log.exception("The envelope of %s failed", path)
        return _own(refusal.status, refusal.code, refusal.sentence)

    def response(self, path: str, refusal: Refusal, headers: Mapping[str, str] | None = None) -> Response:
        """Return the reply as an HTTP response with these headers."""
        return json_response(self.reply(path, refusal), headers)

    def _envelope(self, path: str) -> RouteEnvelope | None:
        below = (known for known in self._envelopes if path == known or path.startswith(f"{known}/"))
        return self._envelopes.get(max(below, key=len, default=path))


class OwnEnvelope:
    """The gateway's form for failures around a route without an envelope: `{"error": CODE, "detail": SENTENCE}`."""

    def refused(self, status: int, reason: str) -> HttpReply:
        """Return the reason as the detail; the code is the status's name, such as `bad_request`."""
        return _own(status, HTTPStatus(status).name.lower(), reason)

    def timed_out(self, seconds: float) -> HttpReply:
        """Return the reply to a request that passed its deadline."""
        return _own(504, "timeout", f"The request took longer than {seconds:g} s.")

    def failed(self, error: Exception) -> HttpReply:
        """Return the reply to an error that the route did not catch."""
        if isinstance(error, StoreError) and error.retryable:
            return _own(503, "service_unavailable", "A store does not answer; the same request may succeed later.")
        return _own(500, "internal_error", "Something unforeseen went wrong; the server's log says more.")

    def too_large(self, limit: int) -> HttpReply:
        """Return the reply in place of one that is too large to be sent."""
        return _own(500, "reply_too_large", f"The reply would have more than {limit} bytes; ask for less.")


OWN = OwnEnvelope()


def _own(status: int, code: str, sentence: str) -> HttpReply:
    return HttpReply(status, {"error": code, "detail": sentence})


def json_response(reply: HttpReply, headers: Mapping[str, str] | None = None) -> Response:
    """Return a reply as an HTTP response; lone surrogates become question marks."""
    return Response(encoded(reply.body)[0], reply.status, headers, "application/json")
