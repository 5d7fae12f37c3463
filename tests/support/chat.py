"""A chat endpoint on loopback that replays what it is told to, and keeps what it was asked."""

import base64
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, model_validator

_PNG_URL = "data:image/png;base64,"


class ImageUrl(BaseModel):
    """Where an image is."""

    model_config = ConfigDict(extra="forbid")

    url: str


class Part(BaseModel):
    """A part of a message that is no mere text."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["text", "image_url"]
    text: str | None = None
    image_url: ImageUrl | None = None


class Message(BaseModel):
    """One message of a question."""

    role: str
    parts: list[Part]
    is_plain: bool = False
    """Whether its content is a text instead of a list of parts."""

    @model_validator(mode="before")
    @classmethod
    def _parted(cls, message: JsonValue) -> JsonValue:
        """Take the content as endpoints do, a text or a list of parts."""
        if not isinstance(message, dict) or "content" not in message:
            return message
        content = message["content"]
        if isinstance(content, str):
            return {"role": message["role"], "parts": [{"type": "text", "text": content}], "is_plain": True}
        return {"role": message["role"], "parts": content}

    @property
    def content(self) -> str:
        """The text."""
        return "".join(part.text or "" for part in self.parts)

    @property
    def images(self) -> list[bytes]:
        """The PNG files."""
        urls = [part.image_url.url for part in self.parts if part.image_url is not None]
        assert all(url.startswith(_PNG_URL) for url in urls)
        return [base64.b64decode(url.removeprefix(_PNG_URL), validate=True) for url in urls]


class Asked(BaseModel):
    """A question as it came in; `key` is the Authorization header."""

    model: str
    messages: list[Message]
    response_format: dict[str, JsonValue] | None = None
    max_tokens: int
    temperature: float
    key: str | None = None

    @property
    def prompt(self) -> str:
        """What the user says."""
        return self.messages[-1].content

    @property
    def is_plain(self) -> bool:
        """Whether the user's message is a text instead of a list of parts."""
        return self.messages[-1].is_plain

    @property
    def images(self) -> list[bytes]:
        """The PNG files that the user shows."""
        return self.messages[-1].images


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)


def says(content: str | None, *, finish: str = "stop", refusal: str | None = None) -> Reply:
    """Return the reply of a model that says `content`, in the form that every such endpoint has."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
    return Reply(200, json.dumps({**whole, "choices": [choice]}).encode())


def fails(status: int, message: str) -> Reply:
    """Return the reply of an endpoint that refuses."""
    return Reply(status, json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode())


Answering: TypeAlias = Callable[[Asked], Reply]


@dataclass(slots=True)
class Chat:
    """A running endpoint; `answering` may be changed at any time and runs in a thread of its own per question."""

    base_url: str
    answering: Answering
    asked: list[Asked] = field(default_factory=list[Asked])
    ended: threading.Event = field(default_factory=threading.Event)
    """Set when the endpoint stops; an answer that is to come too late waits for it."""


@contextmanager
def chat(answering: Answering, *, port: int = 0) -> Generator[Chat]:
    """Run an endpoint until the block is left; port 0 takes a free one."""
    with ThreadingHTTPServer(("127.0.0.1", port), _Handler) as server:
        taken = int(server.socket.getsockname()[1])
        running = Chat(f"http://127.0.0.1:{taken}/v1", answering)
        _RUNNING[taken] = running
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.ended.set()
            server.shutdown()
            thread.join()
            del _RUNNING[taken]


_RUNNING: dict[int, Chat] = {}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        listing = {"object": "list", "data": [{"id": "m", "object": "model"}]}
        self._send(Reply(200, json.dumps(listing).encode()) if self.path == "/v1/models" else fails(404, "no"))

    def do_POST(self) -> None:
        running = _RUNNING[int(self.connection.getsockname()[1])]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = Asked.model_validate_json(body).model_copy(update={"key": self.headers["Authorization"]})
        running.asked.append(asked)
        self._send(running.answering(asked) if self.path == "/v1/chat/completions" else fails(404, "no such path"))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _send(self, reply: Reply) -> None:
        try:
            self.send_response(reply.status)
            for name, value in (*reply.headers, ("Content-Length", str(len(reply.body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)
        except OSError:
            self.close_connection = True
