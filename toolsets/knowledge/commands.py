"""`entrepot knowledge restore`; kept separate because it also works if clients are not offered the tool."""

import uuid

import click

from toolsets.knowledge.errors import ENVELOPE
from toolsets.knowledge.runtime import Knowledge
from toolsets.knowledge.tools.concepts import RESTORE
from toolsets.spec import CallContext


@click.command("restore")
@click.argument("concept_id", metavar="ID")
@click.pass_obj
async def restore(knowledge: Knowledge, concept_id: str) -> int:
    """Bring a deleted concept back with its history and its edges; a live one stays as it is.

    It is refused when another concept has its name by now. While another process leads the stores, the concept is recorded
    and that process shows it.
    """
    context = CallContext(tool=RESTORE.name, request_id=uuid.uuid4().hex, client="entrepot knowledge restore")
    reply = await RESTORE.spec(knowledge, ENVELOPE).call({"concept_id": concept_id}, context)
    message = reply.structured["message"]
    click.echo(f"{message}." if reply.is_error else f"The concept {concept_id}: {message}.", err=reply.is_error)
    return 1 if reply.is_error else 0
