"""A toolset of pictures: images in replies, resource templates, and routes that word their own refusals."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import anyio
from pydantic import BaseModel, ConfigDict

from backends.ports.errors import Unavailable
from backends.ports.values import Json, JsonObject
from tests.support.envelope import PlainEnvelope
from toolsets.spec import (
    CallContext,
    Effects,
    HttpReply,
    HttpRequest,
    Image,
    Reply,
    ResourceNotFound,
    ResourceSpec,
    ResourceTemplateSpec,
    RouteSpec,
    RunningToolset,
    Services,
    Toolset,
    ToolSpec,
    hookimpl,
)

ANY: JsonObject = {"type": "object"}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


class NoSettings(BaseModel):
    """The toolset has nothing to set."""

    model_config = ConfigDict(extra="forbid")


class GalleryEnvelope:
    """Words what goes wrong around a route as `{error, detail}`; too much is a bad request to it."""

    def refused(self, status: int, reason: str) -> HttpReply:
        """Return the reply to a refused request."""
        return HttpReply(400 if status == 413 else status, {"error": "refused", "detail": reason})

    def timed_out(self, seconds: float) -> HttpReply:
        """Return the reply to a request that took too long."""
        return HttpReply(500, {"error": "timeout", "detail": f"{seconds:g}"})

    def failed(self, error: Exception) -> HttpReply:
        """Return the reply to an error."""
        return HttpReply(500, {"error": "failed", "detail": type(error).__name__})

    def too_large(self, limit: int) -> HttpReply:
        """Return the reply in place of one that is too large."""
        return HttpReply(500, {"error": "too_large", "detail": str(limit)})


async def picture(arguments: Mapping[str, Json], _context: CallContext) -> Reply:
    """Return a picture, or as many bytes as are asked for."""
    size = arguments.get("bytes")
    data = bytes(size) if isinstance(size, int) else PICTURE
    return Reply({"success": True, "size": len(data)}, images=(Image(data, "image/png"), Image(b"<svg/>", "image/svg")))


async def read_picture(values: Mapping[str, str], _context: CallContext) -> bytes:
    """Return the picture of a name."""
    if values["name"] == "none":
        raise ResourceNotFound("There is no picture none.")
    return bytes(7_000_000) if values["name"] == "huge" else PICTURE


async def read_title(values: Mapping[str, str], context: CallContext) -> str:
    """Return what was asked for, as it was understood."""
    if values["name"] == "broken":
        raise RuntimeError("secret of the house")
    return f"{context.tool} is {values['name']}"


async def read_front(_context: CallContext) -> str:
    """Return the resource whose URI a template matches too."""
    return "the front"


async def search(request: HttpRequest) -> HttpReply:
    """Answer as the body says."""
    match request.body:
        case b"slow":
            await anyio.sleep_forever()
        case b"down":
            raise Unavailable("no answer")
        case b"huge":
            return HttpReply(200, "x" * 8_000_000)
        case b"surrogate":
            return HttpReply(200, "\ud800")
        case _:
            pass
    return HttpReply(200, {"method": request.method, "path": request.path, "query": dict(request.query)})


@asynccontextmanager
async def assemble(_services: Services) -> AsyncGenerator[RunningToolset, None]:
    """Bring everything."""
    envelope = GalleryEnvelope()
    yield RunningToolset(
        tools=(
            ToolSpec("picture", "Picture", "Shows one.", ANY, ANY, Effects(read_only=True), picture, PlainEnvelope()),
        ),
        resources=(ResourceSpec("gallery://front/title", "front", "Front", "The front.", "text/plain", read_front),),
        resource_templates=(
            ResourceTemplateSpec(
                "gallery://pictures/{name}", "pictures", "Pictures", "One.", "image/png", read_picture
            ),
            ResourceTemplateSpec("gallery://{name}/title", "titles", "Titles", "One.", "text/plain", read_title),
        ),
        routes=(
            RouteSpec("GET", "/health", search, envelope),
            RouteSpec("POST", "/gallery/search", search, envelope, deadline_s=0.2),
            RouteSpec("PUT", "/gallery/search", search, envelope),
            RouteSpec("POST", "/gallery/plain", search),
        ),
    )


@hookimpl
def entrepot_toolset() -> Toolset:
    """Bring the toolset."""
    return Toolset("gallery", "Gallery", "Pictures.", NoSettings, frozenset(), assemble)
