"""What is written for authors: whole packages or nothing, under names that fit, with the ports as they are."""

import ast
import errno
import inspect
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from backends.ports.capabilities import PortName
from backends.ports.embedder import Embedder
from backends.ports.events import EventLog
from backends.ports.graph import Graph
from backends.ports.language import LanguageModel
from backends.ports.vectors import Vectors
from gateway.errors import Refused
from gateway.skeletons.package import MAX_NAME, Skeleton, adapter, toolset

PROTOCOLS: dict[PortName, type] = {
    "graph": Graph,
    "vectors": Vectors,
    "events": EventLog,
    "embedder": Embedder,
    "language": LanguageModel,
}
LONGEST = "a" * MAX_NAME


def every() -> list[Skeleton]:
    return [toolset("my_notes"), toolset(LONGEST), *(adapter("acme_db", port) for port in get_args(PortName))]


def contents(directory: Path) -> dict[str, str]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize("skeleton", every(), ids=lambda each: f"{each.kind}-{each.values.get('port', '')}")
def test_every_file_is_filled_in_and_every_module_can_be_read(skeleton: Skeleton, tmp_path: Path) -> None:
    written = skeleton.write(tmp_path / "made")
    found = contents(tmp_path / "made")
    assert sorted(found) == [str(path) for path in written]
    assert {"pyproject.toml", "README.md", ".gitignore", f"tests/test_{skeleton.values['name']}.py"} <= {*found}
    for path, text in found.items():
        assert not re.search(r"@[a-z_]+@|PACKAGE|NAME\b|PORT_", path + text.replace("KIND_NAME", ""))
        if path.endswith(".py"):
            compile(text, path, "exec")
    project = tomllib.loads(found["pyproject.toml"])["project"]
    [(name, place)] = next(iter(project["entry-points"].values())).items()
    module, _, attribute = place.partition(":")
    assert name == skeleton.values["name"]
    assert (attribute or "def entrepot_toolset") in found[f"src/{module.replace('.', '/')}.py"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("notes", "Notes"),
        ("services_of_mine", "ServicesOfMine"),
        *(
            (name, f"{name.title().replace('_', '')}Toolset")
            for name in ("add", "find", "tool", "toolset", "sourced_stores")
        ),
        ("tool_error", "ToolErrorToolset"),
        ("none", "NoneToolset"),
    ],
)
def test_the_toolsets_class_shadows_no_other_name_of_its_package(name: str, expected: str, tmp_path: Path) -> None:
    toolset(name).write(tmp_path / "made")
    tools = (tmp_path / f"made/src/entrepot_{name}/tools.py").read_text(encoding="utf-8")
    tree = ast.parse(tools)
    classes = [each.name for each in tree.body if isinstance(each, ast.ClassDef)]
    imported = [
        each.asname or each.name for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names
    ]
    assert expected in classes
    assert len({*classes, *imported}) == len(classes) + len(imported)


@pytest.mark.parametrize("port", get_args(PortName))
def test_a_port_has_every_method_of_its_protocol_with_its_arguments(port: PortName, tmp_path: Path) -> None:
    adapter("acme", port).write(tmp_path / "made")
    namespace: dict[str, object] = {}
    exec((tmp_path / f"made/src/entrepot_acme/{port}.py").read_text(encoding="utf-8"), namespace)  # noqa: S102
    made = namespace[f"Acme{PROTOCOLS[port].__name__}"]
    for name, member in inspect.getmembers(PROTOCOLS[port]):
        if not name.startswith("_"):
            own: object = getattr(made, name)
            if inspect.isfunction(member):
                assert inspect.iscoroutinefunction(own)
                assert arguments(own) == arguments(member)


def arguments(method: object) -> list[tuple[str, object, object]]:
    assert callable(method)
    return [(each.name, each.kind, each.default) for each in inspect.signature(method).parameters.values()]


@pytest.mark.parametrize(
    "name", ["", "Notes", "my-notes", "9lives", "_a", "a_", "a__b", "ä", "a/b", "..", "a" * 41, "a\n"]
)
def test_a_name_that_cannot_be_one_everywhere_is_refused(name: str) -> None:
    for make in (lambda: toolset(name), lambda: adapter(name, "graph")):
        with pytest.raises(Refused, match="is not a valid name"):
            make()


@pytest.mark.parametrize("kind", ["directory", "file", "link"])
def test_what_exists_is_refused_and_left_as_it_is(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "notes"
    match kind:
        case "directory":
            place.mkdir()
        case "file":
            place.touch()
        case _:
            place.symlink_to(tmp_path / "nowhere")
    with pytest.raises(Refused, match="already exists"):
        toolset("notes").write(place)
    assert [*tmp_path.iterdir()] == [place]
    assert not place.is_dir() or not [*place.iterdir()]


def test_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be created: No such file or directory"):
        toolset("notes").write(tmp_path / "nowhere" / "notes")


def test_a_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []
    real = Path.write_text

    def failing(path: Path, text: str, encoding: str) -> int:
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        return real(path, text, encoding=encoding)

    monkeypatch.setattr(Path, "write_text", failing)
    with pytest.raises(Refused, match="No space left on device"):
        toolset("notes").write(tmp_path / "notes")
    assert len(written) == 3
    assert [*tmp_path.iterdir()] == []
