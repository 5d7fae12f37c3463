"""The REST client of lancedb's namespaces is not imported with lancedb, but can be used."""

import subprocess
import sys

CLIENT = "lance_namespace_urllib3_client"


def shown(*statements: str) -> list[str]:
    """Return the lines that statements print in a process of their own."""
    command = [sys.executable, "-P", "-c", "\n".join(statements)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_client_is_imported_by_its_first_use() -> None:
    before, unknown, name, version, api = shown(
        f"import sys, backends.engines.lancedb.driver, {CLIENT} as client",
        f"print('{CLIENT}.api' in sys.modules)",
        "print(hasattr(client, 'nothing'))",
        "print(client.DataApi.__name__)",
        "print(client.__version__)",
        f"from {CLIENT} import TableApi",
        "print(TableApi.__name__)",
    )
    assert (before, unknown, name, api) == ("False", "False", "DataApi", "TableApi")
    assert version[0].isdigit()


def test_a_client_that_is_imported_before_stays_as_it_is() -> None:
    # The driver itself, and with it lancedb, would import nothing more of the client.
    assert shown(
        f"import {CLIENT} as client",
        "from backends.engines.lancedb.deferred_client import defer_client",
        "defer_client()",
        "print('DataApi' in vars(client))",
    ) == ["True"]
