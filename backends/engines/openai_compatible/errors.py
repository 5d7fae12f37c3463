"""Translates an endpoint's error statuses and the HTTP client's errors, with messages that name the endpoint."""

from typing import Final

import httpx2
from pydantic import BaseModel, ValidationError

from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable

MAX_SAID: Final = 300
"""An endpoint's message may quote the whole prompt; its beginning says what is wrong."""

_BY_STATUS: Final[dict[int, tuple[type[StoreError], str]]] = {
    401: (Unusable, "it refuses this api_key"),
    402: (Unusable, "its account has no credit left"),
    403: (Unusable, "it refuses this api_key"),
    404: (Unusable, "there is no such model, or no chat endpoint at this base_url"),
    405: (Unusable, "there is no chat endpoint at this base_url"),
    408: (Timeout, "it took too long"),
    425: (Unavailable, "it is not ready"),
    429: (Unavailable, "it receives too many requests"),
    504: (Timeout, "it took too long"),
}


class _ErrorDetail(BaseModel):
    message: str


class _ErrorBody(BaseModel):
    error: _ErrorDetail | str


def refusal(status: int, body: bytes, endpoint: str) -> StoreError:
    """Return the store error for a response that is not 2xx."""
    kind, meaning = _BY_STATUS.get(status) or _by_hundreds(status)
    said = _message(body)
    return kind(f"{endpoint} answered {status}: {meaning}{f' ({said})' if said else ''}")


def translate(error: httpx2.HTTPError, endpoint: str) -> StoreError:
    """Return the store error for a request without a response."""
    return Unavailable(f"{endpoint} does not answer: {error or type(error).__name__}. Start it, or correct base_url")


def _by_hundreds(status: int) -> tuple[type[StoreError], str]:
    match status // 100:
        case 3:
            return Unusable, "it redirects; set base_url to the final address"
        case 4:
            return InvalidInput, "it rejects the request"
        case _:
            return Unavailable, "it failed internally; try again later"


def _message(body: bytes) -> str:
    try:
        problem = _ErrorBody.model_validate_json(body).error
    except ValidationError:
        return ""
    text = problem if isinstance(problem, str) else problem.message
    return " ".join(text.split())[:MAX_SAID]
