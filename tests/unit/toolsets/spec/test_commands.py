"""What the commands of toolsets declare to the gateway."""

import click
import pytest

from toolsets.spec import READ_ONLY, ReadOnlyFlag


@pytest.mark.parametrize(("words", "read_only"), [(["--dry-run"], True), ([], False)])
def test_a_flag_that_makes_stores_read_only_is_noted_when_the_line_is_parsed(
    words: list[str], *, read_only: bool
) -> None:
    command = click.Command("prune", params=[ReadOnlyFlag(["--dry-run"], is_flag=True)])
    with command.make_context("prune", words) as ctx:
        assert ctx.params == {"dry_run": read_only}
        assert ctx.meta.get(READ_ONLY, False) is read_only
