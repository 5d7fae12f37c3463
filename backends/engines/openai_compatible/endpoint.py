"""A chat endpoint: requests with a JSON schema for the answer, replies of limited size, one deadline for both."""

import asyncio
import base64
from collections.abc import Sequence
from typing import Final

import httpx2
import orjson
from pydantic import BaseModel, JsonValue

from backends.engines.openai_compatible.errors import refusal, translate
from backends.engines.openai_compatible.settings import OpenAICompatibleSettings
from backends.engines.openai_compatible.structured_output import answer_of, schema_of
from backends.ports.errors import Timeout, Unavailable, Unusable
from backends.ports.language import AnswerT

MAX_REPLY_BYTES: Final = 4 * 1024 * 1024
"""The longest answers take some ten kilobytes; what sends more is no chat endpoint, and would fill the memory."""
PING_TIMEOUT_S: Final = 5.0
"""`entrepot check` and health wait for it, so it is shorter than the time for an answer."""

_FORMAT_REFUSED: Final = (400, 422, 501)
"""Statuses of an endpoint that does not support `response_format` or the schema."""
_NO_LIST: Final = (404, 405, 501)
"""Statuses of an endpoint that works but lists no models."""


class ChatEndpoint:
    """A model behind `/chat/completions`."""

    def __init__(self, settings: OpenAICompatibleSettings) -> None:
        self._settings = settings
        self._refuses_format: set[type[BaseModel]] = set()
        key = settings.api_key
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key is not None else {}
        url = httpx2.URL(settings.base_url)
        # One deadline covers the whole call; the client's own timeouts apply to each read. Loading certificates takes a
        # quarter of a second; plain HTTP never needs them, because redirects are not followed.
        self._client = httpx2.AsyncClient(headers=headers, timeout=None, verify=url.scheme == "https")
        self.place = f"the chat endpoint at {url.scheme}://{url.netloc.decode('ascii')}{url.path}"

    @property
    def model(self) -> str:
        """The model's name as the endpoint knows it."""
        return self._settings.model

    async def answer(
        self, prompt: str, shape: type[AnswerT], *, instructions: str = "", images: Sequence[bytes] = ()
    ) -> AnswerT:
        """Request JSON with the schema of `shape`. An endpoint that refuses a schema is asked in the prompt alone."""
        schema = schema_of(shape)
        question = self._question(_content(prompt, images), instructions, schema)
        form: JsonValue = {"name": shape.__name__[:64], "schema": schema, "strict": True}
        held: JsonValue = {**question, "response_format": {"type": "json_schema", "json_schema": form}}
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                status, body = 0, b""
                if shape not in self._refuses_format:
                    status, body = await self._send("POST", "chat/completions", held)
                if shape in self._refuses_format or status in _FORMAT_REFUSED:
                    status, body = await self._send("POST", "chat/completions", question)
                    if status == 200:
                        self._refuses_format.add(shape)
        except TimeoutError:
            raise Timeout(f"{self.place} did not answer within {self._settings.timeout_s:g} seconds") from None
        if status // 100 != 2:
            raise refusal(status, body, self.place)
        return answer_of(body, shape, self.place)

    async def ping(self) -> None:
        """Request the list of models, which is free. Raises `Unavailable`, `Timeout` and `Unusable`."""
        try:
            async with asyncio.timeout(min(PING_TIMEOUT_S, self._settings.timeout_s)):
                status, body = await self._send("GET", "models", None)
        except TimeoutError:
            raise Timeout(f"{self.place} did not answer within {PING_TIMEOUT_S:g} seconds") from None
        if status // 100 != 2 and status not in _NO_LIST:
            raise refusal(status, body, self.place)

    async def close(self) -> None:
        """Close the connections. Repeatable."""
        await self._client.aclose()

    def _question(self, content: JsonValue, instructions: str, schema: JsonValue) -> dict[str, JsonValue]:
        form = f"Answer with one JSON object of this schema and with nothing else: {orjson.dumps(schema).decode()}"
        return {
            "model": self._settings.model,
            "messages": [
                {"role": "system", "content": f"{instructions}\n\n{form}".strip()},
                {"role": "user", "content": content},
            ],
            "max_tokens": self._settings.max_tokens,
            "temperature": 0,
        }

    async def _send(self, method: str, path: str, content: JsonValue) -> tuple[int, bytes]:
        """Return the status and the body of the response."""
        if self._client.is_closed:
            raise Unavailable(f"{self.place}: the store is closed")
        url = f"{self._settings.base_url.rstrip('/')}/{path}"
        sent = None if content is None else orjson.dumps(content)
        body = bytearray()
        try:
            async with self._client.stream(
                method, url, content=sent, headers={"Content-Type": "application/json"}
            ) as reply:
                async for piece in reply.aiter_bytes():
                    body += piece
                    if len(body) > MAX_REPLY_BYTES:
                        raise Unusable(f"{self.place} answers with more than {MAX_REPLY_BYTES} bytes")
                return reply.status_code, bytes(body)
        except httpx2.HTTPError as error:
            raise translate(error, self.place) from error


def _content(prompt: str, images: Sequence[bytes]) -> JsonValue:
    """Return the content of the user's message: the text, or a list of parts, since many endpoints take only texts."""
    if not images:
        return prompt
    urls = (f"data:image/png;base64,{base64.b64encode(image).decode('ascii')}" for image in images)
    pictures: list[JsonValue] = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": prompt}, *pictures]
