"""Set Label Studio's webhooks, so that each change of an annotation in a project calls an address of ours.

The call carries no task and no annotation, only the shared secret in a header, which every user of the server can read. The rule:
one webhook for each address and project, put right where it differs.
"""

from __future__ import annotations

from collections.abc import Mapping

from annotate.label_studio.connection import Connection
from annotate.label_studio.errors import Refused
from proxy.errors import LabelStudioError

HEADER = "X-Assay-Secret"
ACTIONS = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED", "TASKS_DELETED")


def ensure(connection: Connection, project: int, url: str, secret: str) -> bool:
    """Have changes in a project call `url`; return whether anything had to be changed on the server."""
    wanted: dict[str, object] = {
        **{"url": url, "project": project, "headers": {HEADER: secret}, "is_active": True},
        **{"send_payload": False, "send_for_all_actions": False, "actions": sorted(ACTIONS)},
    }
    rows = connection.get("webhooks/", "list the webhooks")
    webhooks = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
    own = next(
        (webhook for webhook in webhooks if (webhook.get("url"), webhook.get("project")) == (url, project)), None
    )
    if own is not None and {**own, "actions": sorted(own.get("actions") or ())}.items() >= wanted.items():
        return False
    try:
        if own is None:
            connection.send("POST", "webhooks/", "make a webhook", wanted)
        else:
            connection.send("PATCH", f"webhooks/{own['id']}/", "change a webhook", wanted)
    except Refused as error:
        raise LabelStudioError(
            f"Label Studio takes no webhook to {url}: it calls no reserved network address unless "
            "LABEL_STUDIO_USE_DEFAULT_BANNED_SUBNETS=false is set there, or this account may make none"
        ) from error
    return True
