"""The wheel brings exactly our five packages to the top level, with their data."""

from importlib.metadata import distribution

PACKAGES = {"backends", "config", "contracts", "gateway", "toolsets"}


def installed_files() -> list[str]:
    files = distribution("entrepot").files
    assert files is not None, "the distribution lists no files"
    return [str(file) for file in files]


def test_the_top_level_names_are_the_five_packages() -> None:
    tops = {file.split("/")[0] for file in installed_files() if not file.startswith("..")}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_data_travel_with_the_packages() -> None:
    files = set(installed_files())
    assert {
        "backends/engines/minilm/model.onnx",
        "backends/engines/minilm/vocab.txt",
        "config/profiles/embedded.toml",
    } <= files
    assert any(file.startswith("gateway/skeletons/toolset/") and file.endswith(".gitignore.template") for file in files)
    assert any(file.startswith("toolsets/agent_graph/extraction/lexicon/") for file in files)
    assert any(file.startswith("toolsets/concept_rag/taxonomy/") and file.endswith(".vectors") for file in files)
    assert any(file.startswith("contracts/manifest/") and file.endswith(".toml") for file in files)


def test_the_licences_travel_too() -> None:
    names = {file.rsplit("/", 1)[-1] for file in installed_files() if ".dist-info/" in file}
    assert {"LICENSE", "NOTICE"} <= names
