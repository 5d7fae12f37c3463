"""Options of a store are checked and named."""

from pathlib import Path

import pytest

from backends.engines.lancedb.adapter import ADAPTER
from backends.engines.lancedb.settings import LancedbSettings
from backends.ports.errors import InvalidInput


@pytest.mark.parametrize(
    "options", [{"uri": "db://cloud"}, {"uri": ""}, {"space": "a/b"}, {"space": "../x"}, {"timeout_s": 0}]
)
async def test_an_option_out_of_bounds_is_refused(tmp_path: Path, options: dict[str, str | int]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        await ADAPTER.open(options, tmp_path)


def test_a_folder_needs_no_options_of_a_store() -> None:
    settings = LancedbSettings(uri="folder", region="eu", access_key="key")
    assert not settings.remote
    assert settings.storage_options() == {}


def test_options_of_an_object_store_are_passed_on_and_its_secret_is_not_shown() -> None:
    secret = "-".join(["hush", "hush"])
    given = {"uri": "s3://bucket/x", "endpoint": "http://here:9", "secret_key": secret, "timeout_s": 3}
    settings = LancedbSettings.model_validate(given)
    options = settings.storage_options()
    assert settings.remote
    assert (options["endpoint"], options["secret_access_key"], options["allow_http"]) == (
        "http://here:9",
        secret,
        "false",
    )
    assert (options["timeout"], options["connect_timeout"], options["client_retry_timeout"]) == ("3s", "1.5s", "3")
    assert "region" not in options
    assert secret not in repr(settings)
