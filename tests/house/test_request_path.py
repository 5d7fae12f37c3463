"""How many files one create_concept enters, so that the path of a request stays short enough to be read."""

import sys
from pathlib import Path
from types import FrameType

from config.settings import Settings
from config.sources import load
from gateway.composition import assemble_gateway, open_stores
from gateway.dispatch import dispatch
from tests.house.copies import ROOT
from toolsets.spec import CallContext

PACKAGES = ("gateway", "toolsets")
MOST = 23
"""Files of the gateway and the toolsets."""


def settings_in(directory: Path) -> Settings:
    return load({"data_dir": str(directory)}).settings


async def entered(directory: Path) -> set[str]:
    """Return the files of `PACKAGES` in which a function is called in the task of one create, when all stores are open.

    Not counted are the engines, whose number depends on the profile, background tasks, and the protocol around a call.
    """
    async with assemble_gateway(settings_in(directory), ["knowledge"]) as gateway:
        await open_stores(gateway)
        tool = gateway.unified.tools["create_concept"]
        context = CallContext(tool.name)
        first = await dispatch(tool, {"name": "first", "explanation": "The first one."}, context)
        assert not first.is_error
        files: set[str] = set()

        def note(frame: FrameType, event: str, _argument: object) -> None:
            if event == "call":
                files.add(frame.f_code.co_filename)

        sys.setprofile(note)
        try:
            second = await dispatch(tool, {"name": "second", "explanation": "The second one."}, context)
        finally:
            sys.setprofile(None)
        assert not second.is_error
    own = {Path(file).relative_to(ROOT).as_posix() for file in files if Path(file).is_relative_to(ROOT)}
    return {file for file in own if file.partition("/")[0] in PACKAGES}


async def test_a_create_enters_few_files(tmp_path: Path) -> None:
    files = await entered(tmp_path)
    assert len(files) <= MOST, sorted(files)
