"""Label Studio's webhooks: a project and an address of ours in, a call at each change of an annotation out.

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
    found = [one for one in rows if isinstance(one, Mapping)] if isinstance(rows, list) else []
    ours = next((one for one in found if (one.get("url"), one.get("project")) == (url, project)), None)
    if ours is not None and {**ours, "actions": sorted(ours.get("actions") or ())}.items() >= wanted.items():
        return False
    try:
        if ours is None:
            connection.send("POST", "webhooks/", "make a webhook", wanted)
        else:
            connection.send("PATCH", f"webhooks/{ours['id']}/", "change a webhook", wanted)
    except Refused as error:
        raise LabelStudioError(
            f"Label Studio takes no webhook to {url}: it calls no reserved network address unless "
            "LABEL_STUDIO_USE_DEFAULT_BANNED_SUBNETS=false is set there, or this account may make none"
        ) from error
    return True
