"""Who words the answer to a refused request."""

import json

from backends.ports.errors import Conflict, Unavailable
from gateway.refusals import OWN, Refusal, Refusals, json_response
from toolsets.spec import HttpReply, HttpRequest, RouteEnvelope, RouteSpec

GONE = Refusal(413, "body_too_large", "The body is too large.")


class Mapped:
    """Words everything as status 400 with a name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def refused(self, status: int, reason: str) -> HttpReply:
        return HttpReply(400, [self._name, status, reason])

    def timed_out(self, seconds: float) -> HttpReply:
        return HttpReply(400, [self._name, seconds])

    def failed(self, error: Exception) -> HttpReply:
        return HttpReply(400, [self._name, type(error).__name__])

    def too_large(self, limit: int) -> HttpReply:
        return HttpReply(400, [self._name, limit])


class Failing(Mapped):
    """Fails at its one task."""

    def refused(self, status: int, reason: str) -> HttpReply:
        raise RuntimeError(reason)


async def answer(request: HttpRequest) -> HttpReply:
    return HttpReply(200, request.path)


def refusals(*envelopes: RouteEnvelope | None) -> Refusals:
    methods = ("GET", "POST", "PUT")
    return Refusals(
        RouteSpec(method, "/a", answer, envelope) for method, envelope in zip(methods, envelopes, strict=False)
    )


def test_the_first_envelope_of_a_path_words_its_refusals() -> None:
    known = refusals(None, Mapped("first"), Mapped("second"))
    assert known.knows("/a")
    assert known.reply("/a", GONE) == HttpReply(400, ["first", 413, "The body is too large."])
    assert not known.knows("/b")
    assert known.reply("/b", GONE) == HttpReply(413, {"error": "body_too_large"})
    assert refusals(None).reply("/a", GONE) == HttpReply(413, {"error": "body_too_large"})


def test_what_lies_below_a_path_is_worded_as_it_is() -> None:
    known = refusals(Mapped("first"))
    for path in ("/a/", "/a/b", "/a/b/"):
        assert known.knows(path)
        assert known.reply(path, GONE) == HttpReply(400, ["first", 413, "The body is too large."])
    for path in ("/ab", "/", "", "/b/a"):
        assert not known.knows(path)
        assert known.reply(path, GONE) == HttpReply(413, {"error": "body_too_large"})


def test_the_gateway_answers_where_an_envelope_fails() -> None:
    assert refusals(Failing("x")).reply("/a", GONE) == HttpReply(413, {"error": "body_too_large"})


def test_a_response_carries_the_headers_of_the_refusal_whatever_its_words() -> None:
    response = refusals(Mapped("x")).response("/a", GONE, {"Allow": "GET"})
    assert (response.status_code, response.headers["allow"]) == (400, "GET")
    assert response.headers["content-type"] == "application/json"


def test_errors_of_stores_have_a_status_by_whether_a_retry_helps() -> None:
    assert OWN.failed(Unavailable("down")) == HttpReply(503, {"error": "service_unavailable"})
    assert OWN.failed(Conflict("lost")).status == (503 if Conflict("lost").retryable else 500)
    assert OWN.failed(ValueError("secret")) == HttpReply(500, {"error": "internal_error"})


def test_a_lone_surrogate_does_not_end_a_reply() -> None:
    assert json.loads(bytes(json_response(HttpReply(200, {"a": "b\ud800"})).body)) == {"a": "b?"}
