"""Moto's server with a straight way to its S3: python s3_straight.py BUCKET PORT.

Moto finds out for each request which of Amazon's services it is meant for, and logs it: two fifths of the time.
"""

import logging
import sys
from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias, cast

from moto.moto_server import werkzeug_app
from werkzeug.serving import run_simple

Environment: TypeAlias = dict[str, object]
Application: TypeAlias = Callable[[Environment, Callable[..., object]], Iterable[bytes]]


class _Moto(Protocol):
    """What is used of moto's server."""

    DomainDispatcherApplication: Callable[[Callable[[str], Application]], Application]
    create_backend_app: Callable[[str], Application]


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
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    run_simple("127.0.0.1", int(sys.argv[2]), application(sys.argv[1]), threaded=True)
