"""The settings of the memory toolset."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NAME = r"^[A-Za-z0-9_-]{1,64}$"

DatabaseName = Annotated[str, Field(pattern=NAME)]


class MemorySettings(BaseModel):
    """The `[toolsets.memory]` table without the stores."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    primary: DatabaseName = Field(
        default="memory", description="The database that exists and is attached from the start."
    )
    databases: tuple[DatabaseName, ...] = Field(
        default=(), description="Further databases, created at the start; others are created with `entrepot databases`."
    )

    @property
    def wanted(self) -> tuple[str, ...]:
        """The databases that must exist, the primary one first."""
        return tuple(dict.fromkeys((self.primary, *self.databases)))
