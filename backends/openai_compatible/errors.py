"""What the endpoint's refusals and the driver's errors mean, in words that name the endpoint."""

from typing import Final

import httpx2
from pydantic import BaseModel, ValidationError

from backends.ports.errors import InvalidInput, StoreError, Timeout, Unavailable, Unusable

MAX_SAID: Final = 300

_BY_STATUS: Final[dict[int, tuple[type[StoreError], str]]] = {
    401: (Unusable, "it lets nobody in with this api_key"),
    402: (Unusable, "its account has run out"),
    403: (Unusable, "it lets nobody in with this api_key"),
    404: (Unusable, "there is no such model, or no chat endpoint at this base_url"),
    405: (Unusable, "there is no chat endpoint at this base_url"),
    408: (Timeout, "it took too long"),
    425: (Unavailable, "it is not ready"),
    429: (Unavailable, "it has had too many questions"),
    504: (Timeout, "it took too long"),
}


class _Said(BaseModel):
    message: str


class _Problem(BaseModel):
    error: _Said | str


def refusal(status: int, body: bytes, endpoint: str) -> StoreError:
    """Return the store error for a reply that is not 2xx."""
    kind, meaning = _BY_STATUS.get(status) or _by_hundreds(status)
    said = _message(body)
    return kind(f"{endpoint} answered {status}: {meaning}{f' ({said})' if said else ''}")


def translate(error: httpx2.HTTPError, endpoint: str) -> StoreError:
    """Return the store error for a call that got no reply."""
    return Unavailable(f"{endpoint} does not answer: {error or type(error).__name__}. Start it, or correct base_url")


def _by_hundreds(status: int) -> tuple[type[StoreError], str]:
    match status // 100:
        case 3:
            return Unusable, "it sends elsewhere; set base_url to where it really is"
        case 4:
            return InvalidInput, "it does not take the question"
        case _:
            return Unavailable, "it has a problem of its own; try again later"


def _message(body: bytes) -> str:
    try:
        problem = _Problem.model_validate_json(body).error
    except ValidationError:
        return ""
    text = problem if isinstance(problem, str) else problem.message
    return " ".join(text.split())[:MAX_SAID]
