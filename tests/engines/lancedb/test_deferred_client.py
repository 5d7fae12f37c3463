"""The REST client of lancedb's namespaces is not imported with lancedb, but can be used."""

import subprocess
import sys

CLIENT = "lance_namespace_urllib3_client"


def shown(program: str) -> str:
    """Return what a program prints in a process of its own."""
    command = [sys.executable, "-P", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_driver_does_not_import_the_client() -> None:
    program = f"import sys, backends.engines.lancedb.driver; print('{CLIENT}.api' in sys.modules)"
    assert shown(program) == "False"


def test_the_client_is_imported_by_its_first_use() -> None:
    program = f"import backends.engines.lancedb.driver, {CLIENT} as client; print(client.DataApi.__name__, client.__version__)"
    assert shown(program).startswith("DataApi ")
    assert (
        shown(f"import backends.engines.lancedb.driver; from {CLIENT} import TableApi; print(TableApi.__name__)")
        == "TableApi"
    )


def test_a_client_that_is_imported_before_stays_as_it_is() -> None:
    program = f"import {CLIENT} as client, backends.engines.lancedb.driver; print('DataApi' in vars(client))"
    assert shown(program) == "True"


def test_a_name_that_the_client_does_not_have_is_an_attribute_error() -> None:
    program = f"import backends.engines.lancedb.driver, {CLIENT} as client; print(hasattr(client, 'nothing'))"
    assert shown(program) == "False"
