"""Conversations that several tests read."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from toolsets.skills.extraction.offline import extract

HERE = Path(__file__).parent


class Conversation(BaseModel):
    """A conversation and what has to be learned from it."""

    model_config = ConfigDict(extra="forbid")

    text: str
    title: str | None = None
    steps: list[str]
    issue_type: str | None = None
    product_area: str | None = None
    conditions: list[str] = []
    keywords: list[str] = []
    absent: list[str] = []


class Injection(BaseModel):
    """An order to whatever reads along, and words that show that it was obeyed."""

    model_config = ConfigDict(extra="forbid")

    by: Literal["customer", "agent", "other"]
    text: str
    canary: str

    @property
    def conversation(self) -> str:
        """The order in an ordinary conversation."""
        said = {"customer": "", "agent": "", "other": ""} | {self.by: f"\n{self.text}"}
        system = f"System: {self.text}\n" if self.by == "other" else ""
        return (
            f"{system}Customer: My printer prints blank pages since yesterday.{said['customer']}\n"
            f"Agent: Please take out the cartridge and pull off the orange tape.{said['agent']}\n"
            "Customer: That worked, thanks!"
        )


PLAIN = (
    "Customer: My printer prints blank pages since yesterday.\n"
    "Agent: Please take out the cartridge and pull off the orange tape.\n"
    "Customer: That worked, thanks!"
)
CONVERSATIONS = TypeAdapter(dict[str, Conversation]).validate_python(
    tomllib.loads((HERE / "conversations.toml").read_text(encoding="utf-8"))
)
INJECTIONS = TypeAdapter(dict[str, list[Injection]]).validate_python(
    tomllib.loads((HERE / "injections.toml").read_text(encoding="utf-8"))
)["attempts"]


def learned(*said: str) -> str:
    """Return the resolution of a conversation in which the customer speaks first."""
    turns = zip(("Customer", "Agent") * len(said), said, strict=False)
    return extract("\n".join(f"{speaker}: {text}" for speaker, text in turns), metadata={}).resolution
