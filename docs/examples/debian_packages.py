"""Remember two thousand of Debian's packages and what they need, then ask about them.

    python docs/examples/debian_packages.py [--url http://127.0.0.1:8765/mcp/memory] [--count 2000] [PACKAGE...]

The packages come from `apt-cache dumpavail`: those named, what they need, what that needs, and so
on. Without a URL a server is started on a fresh directory under the system's temporary folder.
Running it again on the same server adds nothing: what is there already is answered so.

Relationships are walked in either direction, so each package also says in words what it needs.
Where one of several packages will do, each of them gets its share of the confidence.
"""

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from mcp import Client, StdioServerParameters

WELL_KNOWN = (
    *("gimp", "libreoffice-writer", "postgresql", "nginx", "python3-matplotlib", "gnome-core", "texlive-latex-extra"),
    *(
        "kde-full",
        "task-gnome-desktop",
        "blender",
        "darktable",
        "emacs",
        "r-base",
        "octave",
        "vlc",
        "default-jdk",
        "php",
    ),
)
DATABASE = "memory"
AT_ONCE = 8


@dataclass
class Package:
    """A package: its name, what it is in a line, and what it needs, each a choice of one or more."""

    name: str
    summary: str
    needs: list[list[str]]

    def names(self) -> list[str]:
        """Return everything that it may need, each once."""
        return list(dict.fromkeys(name for choice in self.needs for name in choice))


def read_packages() -> dict[str, Package]:
    """Return every package that apt knows of, by name."""
    try:
        said = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(
            f"The packages are read with apt-cache, which only Debian and its relatives have: {error}"
        ) from None
    packages = {}
    for stanza in said.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Depends|Description): (.*)$", stanza, re.MULTILINE))
        if "Package" in fields:
            choices = [each.split("|") for each in fields.get("Depends", "").split(",") if each.strip()]
            needs = [[re.split(r"[\s:(]", name.strip())[0] for name in choice] for choice in choices]
            packages[fields["Package"]] = Package(fields["Package"], fields.get("Description", ""), needs)
    if not packages:
        raise SystemExit("apt-cache knows no packages; run `apt-get update` first.")
    return packages


def closure(packages: dict[str, Package], names: Iterable[str], count: int) -> list[Package]:
    """Return the named packages, what they need, what that needs, and so on, up to a count."""
    if unknown := [name for name in names if name not in packages]:
        raise SystemExit(f"apt-cache does not know {', '.join(unknown)}; run `apt-get update`, or name other packages.")
    found = {name: packages[name] for name in names}
    for package in growing(found):
        for name in package.names():
            if name in packages and len(found) < count:
                found[name] = packages[name]
    return list(found.values())


def growing(found: dict[str, Package]) -> Iterable[Package]:
    """Yield the values of a dictionary, also those that are added meanwhile."""
    done = 0
    while done < len(found):
        for package in list(found.values())[done:]:
            done += 1
            yield package


async def call(client: Client, tool: str, **arguments: object) -> dict:
    """Call a tool on the database; return its reply, or stop with its message."""
    result = await client.call_tool(tool, {"database": DATABASE, **arguments})
    if result.is_error:
        raise SystemExit(f"{tool}: {(result.structured_content or {}).get('message')}")
    return result.structured_content or {}


async def side_by_side(items: Iterable, work: Callable[..., Awaitable[None]]) -> None:
    """Do the work for each item, a few at a time."""
    remaining = iter(items)

    async def lane() -> None:
        for item in remaining:
            await work(*item)

    await asyncio.gather(*(lane() for _ in range(AT_ONCE)))


async def remember(client: Client, packages: list[Package]) -> None:
    """Create an entity of each package, then a relationship to each of the others that it may need."""
    known = {package.name for package in packages}

    async def entity(package: Package) -> None:
        needs = ", ".join(package.names()) or "nothing"
        observations = [package.summary or package.name, f"needs {needs}"]
        await call(client, "create_entity", name=package.name, entity_type="package", observations=observations)

    async def need(source: str, target: str, confidence: float) -> None:
        ends = {"from_entity": source, "to_entity": target, "relationship_type": "needs"}
        await call(client, "create_relationship", **ends, confidence=confidence)

    needs = {
        (package.name, name): 1 / len(choice)
        for package in packages
        for choice in sorted(package.needs, key=len, reverse=True)
        for name in choice
        if name in known and name != package.name
    }
    await side_by_side(((package,) for package in packages), entity)
    await side_by_side(((*ends, round(share, 2)) for ends, share in needs.items()), need)
    print(f"{len(packages)} packages and {len(needs)} needs remembered")


async def neighbours(client: Client, name: str) -> tuple[list[str], list[str]]:
    """Return what a package needs, and what needs it."""
    reply = await call(client, "get_related_entities", entity_name=name, max_depth=1, limit=1000)
    found = await call(client, "search_entities", query=name, limit=1000)
    own = next(row for row in found["entities"] if row["name"] == name)
    needs = [row["name"] for row in reply["entities"] if row["name"] in needed(own)]
    return needs, [row["name"] for row in reply["entities"] if name in needed(row)]


def needed(row: dict) -> list[str]:
    """Return what an entity says that it needs."""
    said = next(text for text in row["observations"] if text.startswith("needs "))
    return said.removeprefix("needs ").split(", ")


def tell(question: str, names: Iterable[str]) -> None:
    """Print a question and its answer."""
    answer = sorted(names)
    print(f"\n{question}\n  {len(answer)}: {', '.join(answer)}")


async def ask(client: Client, known: set[str]) -> None:
    """Ask five questions about relations, and one by meaning; those about packages that are not known are left out."""
    direct: list[str] = []
    if "gimp" in known:
        direct, _ = await neighbours(client, "gimp")
        tell("What does gimp need?", direct)

        further = [await neighbours(client, name) for name in direct]
        tell("What does gimp need within two steps?", {*direct, *(name for needs, _ in further for name in needs)})

    if "libpoppler-glib8" in known:
        _, users = await neighbours(client, "libpoppler-glib8")
        tell("What needs libpoppler-glib8?", users)

    if {"gimp", "libreoffice-writer"} <= known:
        other, _ = await neighbours(client, "libreoffice-writer")
        tell("What do gimp and libreoffice-writer both need?", set(direct) & set(other))

    if {"postgresql", "libssl3"} <= known:
        reach = {"entity_name": "postgresql", "max_depth": 2, "limit": 1000}
        near = (await call(client, "get_related_entities", **reach))["entities"]
        print("\nHow far is postgresql from libssl3?")
        for row in near:
            if row["name"] == "libssl3":
                print(f"  {row['distance']} steps, in either direction, with the confidences {row['confidence_path']}")

    print("\nWhich packages are about editing images?")
    for row in (await call(client, "semantic_search", query="image editor", limit=3, threshold=0.1))["entities"]:
        print(f"  {row['similarity']:.2f}  {row['name']}: {row['observations'][0]}")


async def main() -> None:
    """Remember, then ask."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("packages", nargs="*")
    words.add_argument("--url")
    words.add_argument("--count", type=int, default=2000)
    given = words.parse_args()
    packages = read_packages()
    named = dict.fromkeys((*(name for name in WELL_KNOWN if name in packages), *given.packages))
    chosen = closure(packages, named, given.count)
    with tempfile.TemporaryDirectory() as directory:
        serve = ["serve", "--transport", "stdio", "--data-dir", directory, "--toolsets", "memory"]
        server = given.url or StdioServerParameters(command=sys.executable, args=["-m", "gateway.cli.main", *serve])
        async with Client(server) as client:
            await remember(client, chosen)
            await ask(client, {package.name for package in chosen})


def in_a_sentence(error: BaseException) -> str:
    """Return what went wrong first; the client's library raises errors in groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (
        str(error) if isinstance(error, SystemExit) else f"The server did not answer: {error or type(error).__name__}."
    )


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 whatever the library raises becomes a sentence
        sys.exit(in_a_sentence(error))
