"""Each error status becomes a store error."""

import pytest

from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable
from tests.engines.openai_compatible.conftest import problem
from tests.support.chat import Chat, Reply, fails


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (fails(400, "maximum context length is 4096 tokens"), InvalidInput),
        (fails(413, "too large"), InvalidInput),
        (fails(429, "slow down"), Unavailable),
        (fails(500, "oops"), Unavailable),
        (fails(503, "loading the model"), Unavailable),
        (Reply(502, b"<html>Bad gateway</html>"), Unavailable),
        (fails(504, "upstream"), Timeout),
    ],
)
async def test_an_error_status_has_the_matching_store_error(
    endpoint: Chat, reply: Reply, kind: type[StoreError]
) -> None:
    endpoint.answering = lambda _: reply
    assert str(reply.status) in await problem(endpoint, kind)
