"""The catalog: which document each file belongs to, and the decisions to add, change, move and remove files. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolsets.concept_rag.document import (
    ADDED,
    FORGOTTEN,
    PATH_ADDED,
    PATH_REMOVED,
    UPDATED,
    Content,
    Document,
    Edition,
    document_of,
    live_document,
)
from toolsets.concept_rag.file_record import clear
from toolsets.concept_rag.numeric_ids import document_id_of
from toolsets.concept_rag.part import commit_version, supersede_version
from toolsets.concept_rag.streams import CONTENTS, PATHS, document_stream
from toolsets.sourcing.aggregate import Change, Decision, Fact, Histories

Action: TypeAlias = Literal["keep", "join", "add", "update"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The decision for a file.

    `keep`: its document already has this content; `join`: it is another path of an existing document; `add`: it
    becomes a new document; `update`: it replaces the content of a document.
    """

    action: Action
    catalog_id: int
    leaves: int | None = None
    """The document that the path belonged to and no longer does."""


class PlanOutdated(Exception):
    """Another run changed the state that a plan was based on; the file must be planned again."""


def plan_file(histories: Histories, path: str, content_hash: str, moved_on: Collection[str] = ()) -> Plan:
    """Return the plan for a file with this content.

    `moved_on` are paths whose files no longer have the content of their document.
    """
    content = CONTENTS.stream((content_hash,))
    place = PATHS.stream((path,))
    histories.need((content, place))
    holder, owner = CONTENTS.holder(histories[content]), PATHS.holder(histories[place])
    if holder is not None:
        leaves = None if owner is None or owner == holder else int(owner)
        return Plan("keep" if owner == holder else "join", int(holder), leaves)
    if owner is None:
        return Plan("add", _free_id(histories, content_hash))
    document = live_document(histories, int(owner))
    if all(other == path or other in moved_on for other in document.paths):
        return Plan("update", int(owner))
    return Plan("add", _free_id(histories, content_hash), int(owner))


def other_paths(histories: Histories, path: str) -> tuple[str, ...]:
    """Return the other paths of the document that a path belongs to."""
    owner = PATHS.holder(histories[PATHS.stream((path,))])
    if owner is None:
        return ()
    return tuple(other for other in live_document(histories, int(owner)).paths if other != path)


def record_content(
    histories: Histories, path: str, content: Content, plan: Plan, moved_on: Collection[str] = ()
) -> Decision[Plan]:
    """Decide to add or update a document: the commit point of a file.

    Raises `PlanOutdated` when the plan is out of date, and `PartsDropped` when the version's parts were dropped.
    """
    if plan_file(histories, path, content.content_hash, moved_on) != plan:
        raise PlanOutdated(path)
    stream = document_stream(plan.catalog_id)
    edition = Edition(path=path, content=content).model_dump(mode="json", exclude_defaults=True)
    changes: list[Change] = []
    holder = str(plan.catalog_id)
    if plan.action == "update":
        before = live_document(histories, plan.catalog_id)
        changes.append(Change(stream, (Fact(UPDATED, edition),)))
        changes.append(CONTENTS.release((before.content.content_hash,), holder))
        if before.content.token != content.token:
            changes.extend(supersede_version(histories, before.content.token))
    else:
        changes.append(Change(stream, (Fact(ADDED, edition),)))
        changes.append(PATHS.take((path,), holder))
        changes.extend(_leave(histories, plan.leaves, path))
    changes.append(CONTENTS.take((content.content_hash,), holder))
    if content.chunks:
        changes.append(commit_version(histories, content.token))
    return Decision(plan, (*changes, *clear(histories, path)))


def record_path(histories: Histories, path: str, content_hash: str) -> Decision[Plan]:
    """Decide whether to add the path of a file with known content to its document. Raises `PlanOutdated`."""
    plan = plan_file(histories, path, content_hash)
    known = clear(histories, path)
    if plan.action == "keep":
        return Decision(plan, known)
    if plan.action != "join":
        raise PlanOutdated(path)
    joined = Change(document_stream(plan.catalog_id), (Fact(PATH_ADDED, {"path": path}),))
    taken = PATHS.take((path,), str(plan.catalog_id))
    return Decision(plan, (joined, taken, *_leave(histories, plan.leaves, path), *known))


def remove_path(histories: Histories, path: str) -> Decision[Plan | None]:
    """Decide to remove a path from its document, and to forget a document without paths; None if no document has it."""
    owner = PATHS.holder(histories[PATHS.stream((path,))])
    known = clear(histories, path)
    if owner is None:
        return Decision(None, known)
    changes = (*_leave(histories, int(owner), path), PATHS.release((path,), owner), *known)
    return Decision(Plan("keep", int(owner)), changes)


def forget(histories: Histories, catalog_id: int) -> Decision[Document]:
    """Decide to forget a document and all its paths. Raises `UnknownDocument`."""
    document = live_document(histories, catalog_id)
    released = (PATHS.release((path,), str(catalog_id)) for path in document.paths)
    return Decision(document, (*_end(histories, document), *released))


def _free_id(histories: Histories, content_hash: str) -> int:
    """Return the id for new content, derived from its hash unless a document that was since updated has that id."""
    number = 0
    while True:
        catalog_id = document_id_of(content_hash if number == 0 else f"{content_hash}/{number}")
        holder = document_of(histories[document_stream(catalog_id)])
        if holder is None or not holder.live:
            return catalog_id
        number += 1


def _leave(histories: Histories, catalog_id: int | None, path: str) -> tuple[Change, ...]:
    """Return the changes that remove a path from a document; the caller releases the claim."""
    if catalog_id is None:
        return ()
    document = live_document(histories, catalog_id)
    if document.paths == (path,):
        return _end(histories, document)
    return (Change(document_stream(catalog_id), (Fact(PATH_REMOVED, {"path": path}),)),)


def _end(histories: Histories, document: Document) -> tuple[Change, ...]:
    forgotten = Change(document_stream(document.catalog_id), (Fact(FORGOTTEN, {}),))
    released = CONTENTS.release((document.content.content_hash,), str(document.catalog_id))
    return (forgotten, released, *supersede_version(histories, document.content.token))
