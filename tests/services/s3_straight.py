"""Moto's server with a straight way to its S3: python s3_straight.py BUCKET PORT.

Moto finds out for each request which of Amazon's services it is meant for, and logs it: two fifths of the time. Another third
goes to the listings that LanceDB asks for before it reads, which moto writes by Amazon's model of every reply.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, TypeAlias, cast
from xml.sax.saxutils import escape

from moto.moto_server import werkzeug_app
from moto.s3 import responses
from werkzeug.serving import run_simple

Environment: TypeAlias = dict[str, object]
Application: TypeAlias = Callable[[Environment, Callable[..., object]], Iterable[bytes]]
Reply: TypeAlias = tuple[int, dict[str, str], str]


class _Moto(Protocol):
    """What is used of moto's server."""

    DomainDispatcherApplication: Callable[[Callable[[str], Application]], Application]
    create_backend_app: Callable[[str], Application]


class _Result(Protocol):
    """What is used of moto's result of an action."""

    result: Mapping[str, object]


class _Response(Protocol):
    """What is used of moto's response to a request."""

    data: Mapping[str, object]


class _Responses(Protocol):
    serialized: Callable[[_Response, _Result], Reply]


class _S3(Protocol):
    """What is used of moto's S3."""

    S3Response: _Responses


def write_listings_quickly() -> None:
    """Have moto's S3 write its listings without a model."""
    kind = cast("_S3", responses).S3Response
    by_the_model = kind.serialized

    def serialized(response: _Response, result: _Result) -> Reply:
        if response.data.get("Action") != "ListObjectsV2":
            return by_the_model(response, result)
        return 200, {"Content-Type": "application/xml"}, _element("ListBucketResult", result.result)

    kind.serialized = serialized


def _element(name: str, value: object) -> str:
    if isinstance(value, list):
        return "".join(_element(name, each) for each in cast("list[object]", value))
    if isinstance(value, Mapping):
        within = cast("Mapping[str, object]", value)
        return f"<{name}>{''.join(_element(*each) for each in within.items())}</{name}>"
    return f"<{name}>{str(value).lower() if isinstance(value, bool) else escape(str(value))}</{name}>"


def application(bucket: str) -> Application:
    """Return what answers for a bucket straight away, and leaves users and all else to moto's own server."""
    moto = cast("_Moto", werkzeug_app)
    straight = moto.create_backend_app("s3")
    other = moto.DomainDispatcherApplication(moto.create_backend_app)

    def answer(environment: Environment, start: Callable[..., object]) -> Iterable[bytes]:
        path = str(environment["PATH_INFO"])
        return (straight if path.startswith(f"/{bucket}") else other)(environment, start)

    return answer


if __name__ == "__main__":
    write_listings_quickly()
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    run_simple("127.0.0.1", int(sys.argv[2]), application(sys.argv[1]), threaded=True)
