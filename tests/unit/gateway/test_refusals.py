"""Who words the answer to a refused request."""

import json

from backends.ports.errors import Conflict, Unavailable
from gateway.refusals import OWN, Refusal, Refusals, json_response
from toolsets.spec import HttpReply, HttpRequest, RouteEnvelope, RouteSpec

GONE = Refusal(413, "body_too_large", "The body is too large.")
OURS = HttpReply(413, {"error": "body_too_large", "detail": "The body is too large."})


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
    assert known.reply("/a", GONE) == HttpReply(400, ["first", 413, "The body is too large."])
    assert known.reply("/b", GONE) == OURS
    assert refusals(None).reply("/a", GONE) == OURS


def test_paths_below_a_route_have_its_envelope() -> None:
    known = refusals(Mapped("first"))
    for path in ("/a/", "/a/b", "/a/b/"):
        assert known.reply(path, GONE) == HttpReply(400, ["first", 413, "The body is too large."])
    for path in ("/ab", "/", "", "/b/a"):
        assert known.reply(path, GONE) == OURS


def test_the_gateway_answers_where_an_envelope_fails() -> None:
    assert refusals(Failing("x")).reply("/a", GONE) == OURS


def test_a_response_carries_the_headers_of_the_refusal_whatever_its_words() -> None:
    response = refusals(Mapped("x")).response("/a", GONE, {"Allow": "GET"})
    assert (response.status_code, response.headers["allow"]) == (400, "GET")
    assert response.headers["content-type"] == "application/json"


def code_of(reply: HttpReply) -> tuple[int, object]:
    """Return status and code of a reply in the gateway's own form; it has a sentence, and nothing else."""
    assert isinstance(reply.body, dict)
    assert list(reply.body) == ["error", "detail"]
    assert str(reply.body["detail"]).endswith(".")
    return reply.status, reply.body["error"]


def test_errors_of_stores_have_a_status_by_whether_a_retry_helps() -> None:
    assert code_of(OWN.failed(Unavailable("down"))) == (503, "service_unavailable")
    assert OWN.failed(Conflict("lost")).status == (503 if Conflict("lost").retryable else 500)
    assert code_of(OWN.failed(ValueError("secret"))) == (500, "internal_error")
    assert "secret" not in str(OWN.failed(ValueError("secret")).body)


def test_what_goes_wrong_around_a_route_without_an_envelope_has_a_code_and_a_sentence() -> None:
    assert code_of(OWN.refused(400, "The body has more than 20000 values.")) == (400, "bad_request")
    assert code_of(OWN.timed_out(0.5)) == (504, "timeout")
    assert code_of(OWN.too_large(10)) == (500, "reply_too_large")


def test_a_lone_surrogate_does_not_end_a_reply() -> None:
    assert json.loads(bytes(json_response(HttpReply(200, {"a": "b\ud800"})).body)) == {"a": "b?"}
