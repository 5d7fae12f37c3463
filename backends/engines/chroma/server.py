"""A Chroma server over HTTP, with a client per store and a time limit for every call."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Final, cast

import httpx
from chromadb.api.async_fastapi import AsyncFastAPI
from chromadb.api.collection_configuration import CreateCollectionConfiguration
from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.config import System
from typing_extensions import override

from backends.engines.chroma.driver import BucketGone, Buckets, Metadata, NativeClient, native_settings
from backends.engines.chroma.errors import translated
from backends.engines.chroma.settings import ChromaSettings
from backends.ports.errors import InvalidInput, Unavailable, Unusable

WRITTEN_AT_ONCE: Final = 500
"""The client encodes a request in the event loop: 5,000 records blocked it for a quarter of a second when measured."""
OLDEST: Final = 1
"""Major version. Older servers have another interface or lack lists in metadata."""


class _NotThere(Unavailable):
    """The server has no such endpoint."""


class _Api(AsyncFastAPI):
    """The driver's client would share its connections and the first client's headers among all servers."""

    def __init__(self, system: System, http: httpx.AsyncClient) -> None:
        super().__init__(system)
        self._http = http

    @override
    def _get_client(self) -> httpx.AsyncClient:
        return self._http


class _Client:
    """The collections of one database, with the interface of the driver's own client."""

    def __init__(self, api: AsyncFastAPI, settings: ChromaSettings) -> None:
        self._api = api
        self._tenant = settings.tenant
        self._database = settings.database

    async def create_collection(
        self, name: str, *, configuration: Mapping[str, object], metadata: Metadata | None, embedding_function: None
    ) -> AsyncCollection:
        model = await self._api.create_collection(
            name,
            configuration=cast("CreateCollectionConfiguration", configuration),
            metadata=None if metadata is None else dict(metadata),
            tenant=self._tenant,
            database=self._database,
        )
        return AsyncCollection(self._api, model, embedding_function=embedding_function, data_loader=None)

    async def get_collection(self, name: str, *, embedding_function: None) -> AsyncCollection:
        model = await self._api.get_collection(name, tenant=self._tenant, database=self._database)
        return AsyncCollection(self._api, model, embedding_function=embedding_function, data_loader=None)

    async def delete_collection(self, name: str) -> None:
        await self._api.delete_collection(name, tenant=self._tenant, database=self._database)


class Server:
    """A connection to a server."""

    written_at_once = WRITTEN_AT_ONCE
    lost = False
    """Always false: data lost on a server shows as a missing collection."""

    def __init__(self, settings: ChromaSettings) -> None:
        self._settings = settings
        self.uri = (settings.uri or "").rstrip("/")
        token = settings.token
        self._http = httpx.AsyncClient(
            timeout=settings.timeout_s,
            event_hooks={"response": [self._check_status]},
            headers={
                "Content-Type": "application/json",
                **({"Authorization": f"Bearer {token.get_secret_value()}"} if token else {}),
            },
        )
        address = httpx.URL(self.uri)
        self._api = _Api(
            System(
                native_settings(
                    chroma_server_host=self.uri,
                    chroma_server_http_port=address.port or (443 if address.scheme == "https" else 80),
                    chroma_server_ssl_enabled=address.scheme == "https",
                )
            ),
            self._http,
        )

    async def open(self) -> Buckets:
        """Check the server's version and that tenant and database exist."""
        await self._check_version()
        settings = self._settings
        try:
            await self.run(lambda: self._api.get_tenant(settings.tenant))
            await self.run(lambda: self._api.get_database(settings.database, tenant=settings.tenant))
        except BucketGone as error:
            raise InvalidInput(
                f"the Chroma server at {self.uri} has no database {settings.database!r} of tenant {settings.tenant!r} "
                f"({error}); create it there, or correct `tenant` and `database`"
            ) from error
        return Buckets(cast("NativeClient", _Client(self._api, settings)), self.run)

    async def run(self, call: Callable[[], object], *, writes: bool = False) -> object:
        """Return the server's result."""
        with translated(f"the Chroma server at {self.uri}"):
            async with asyncio.timeout(self._settings.timeout_s):
                answer = call()
                return await answer if inspect.isawaitable(answer) else answer

    async def versions(self) -> dict[str, str]:
        """Return the versions of the server and the driver."""
        return {"chroma server": str(await self.run(self._api.get_version)), "chromadb": version("chromadb")}

    async def close(self) -> None:
        """Close the connections. Repeatable."""
        await self._http.aclose()

    async def _check_version(self) -> None:
        try:
            found = (await self.versions())["chroma server"]
        except _NotThere:
            found = "before 0.6"
        if not (found.split(".")[0].isdigit() and int(found.split(".")[0]) >= OLDEST):
            raise Unusable(f"the Chroma server at {self.uri} is version {found}; 1.0 or later is needed, upgrade it")

    async def _check_status(self, response: httpx.Response) -> None:
        """Raise the error of a status. The driver only passes on the text of a response from another server."""
        match response.status_code:
            case httpx.codes.UNAUTHORIZED | httpx.codes.FORBIDDEN:
                raise InvalidInput(f"the Chroma server at {self.uri} refused the credentials; correct `token`")
            case httpx.codes.BAD_GATEWAY | httpx.codes.SERVICE_UNAVAILABLE | httpx.codes.GATEWAY_TIMEOUT:
                raise Unavailable(f"the Chroma server at {self.uri} is unreachable behind its proxy; start it")
            case httpx.codes.NOT_FOUND | httpx.codes.GONE if response.url.path.endswith("/version"):
                raise _NotThere(f"{response.url} does not exist; `uri` is not the address of a Chroma server")
            case _:
                return
