"""What an operator may set for a chat endpoint."""

from typing import Annotated

from pydantic import AfterValidator, AnyHttpUrl, BaseModel, ConfigDict, Field, SecretStr, TypeAdapter

_ADDRESS = TypeAdapter(AnyHttpUrl)


def _address(text: str) -> str:
    """Return the address unchanged. Raises pydantic's `ValidationError` if it is not an HTTP or HTTPS address."""
    _ADDRESS.validate_python(text)
    return text


class OpenAICompatibleSettings(BaseModel):
    """The options of a `[stores.*]` table with `kind = "openai_compatible"`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: Annotated[str, AfterValidator(_address)] = Field(
        description="The address below which `/chat/completions` is, e.g. `http://localhost:11434/v1`."
    )
    model: str = Field(min_length=1, max_length=200, description="The model's name as the endpoint knows it.")
    api_key: SecretStr | None = Field(default=None, description="Sent as `Authorization: Bearer`, if there is one.")
    timeout_s: float = Field(default=60.0, ge=0.1, le=3_600, description="How long an answer may take in total.")
    max_tokens: int = Field(default=4_096, ge=1, le=1_000_000, description="The longest answer, in the model's tokens.")
    images: bool = Field(
        default=True, description="Whether the model is sent pictures; one that sees none refuses them."
    )
