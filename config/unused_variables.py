"""Environment variables in the tools' documents that are not read; kept separate because `environment` imports slowly."""

from collections.abc import Mapping

from config.settings import PREFIX

INSTEAD: Mapping[str, str] = {
    "CHROMA_PERSIST_DIRECTORY": f"{PREFIX}DATA_DIR, and --profile kuzu-chroma",
    "EMBEDDING_MODEL": f"{PREFIX}STORES__MINILM__KIND=sentence_transformers and {PREFIX}STORES__MINILM__MODEL",
    "NEO4J_DATABASE": f"{PREFIX}STORES__NEO4J__DATABASE, and --profile neo4j",
    "NEO4J_PASSWORD": f"{PREFIX}STORES__NEO4J__PASSWORD, and --profile neo4j",
    "NEO4J_URI": f"{PREFIX}STORES__NEO4J__URI, and --profile neo4j",
    "NEO4J_USER": f"{PREFIX}STORES__NEO4J__USER, and --profile neo4j",
    "NEO4J_USERNAME": f"{PREFIX}STORES__NEO4J__USER, and --profile neo4j",
}
"""What to set instead of each.

They are reported rather than read: set for another program, they would switch a server to another database.
"""


def unused_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence for each of these variables that is set and not empty."""
    return tuple(
        f"The environment variable {name} is set but not used; set {instead}."
        for name, instead in INSTEAD.items()
        if environment.get(name)
    )
