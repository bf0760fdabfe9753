"""Find our projects at the server by the mark in their description, or make them, set for blind work.

The server knows no key of ours, and a request that the network repeats makes two projects; so after making one we look
again, take the oldest, and remove an empty twin.

Set Label Studio's webhooks, so that each change of an annotation in a project calls an address of ours. The call carries no
task and no annotation, only the shared secret in a header, which every user of the server can read. The rule: one webhook
for each address and project, put right where it differs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from annotate.domain.server_identity import ServerProject, has_mark, has_mark_of, store_of
from annotate.label_studio.connection import Connection, Params
from annotate.label_studio.errors import OutcomeUnknown, Refused
from annotate.label_studio.tasks import Tasks
from proxy.errors import LabelStudioError

if TYPE_CHECKING:
    from annotate.domain.labelling_form import Form


LOOKUP_WAITS = (0.0, 1.0, 2.0, 4.0, 8.0)
PAGE = 100

# Another annotator's work or a machine's guess must not be seen; an instruction that opens by itself costs a key a session.
_BLIND: Mapping[str, object] = {
    "show_collab_predictions": False,
    "evaluate_predictions_automatically": False,
    "reveal_preannotations_interactively": False,
    "show_instruction": False,
    "sampling": "Sequential sampling",  # in the order in which tasks were sent: answers to one question one after the other
}
HEADER = "X-Assay-Secret"
ACTIONS = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED", "TASKS_DELETED")


class ProjectSize(NamedTuple):
    """Numbers of a project's tasks and of its annotations, skips included."""

    tasks: int
    annotations: int


class _Found(NamedTuple):
    """A project with our mark."""

    number: int
    is_empty: bool


def ensure(connection: Connection, title: str, form: Form, marker: str, guide: str | None) -> int:
    """Return the number of the project with this mark; made where there is none, never two."""
    if not marker.strip():
        raise ValueError("a mark is needed to find the project again")
    projects = _marked(connection, marker)
    if not projects:
        projects = _made(connection, title, form, marker, guide)
    chosen = next((project.number for project in projects if not project.is_empty), projects[0].number)
    for twin in projects:
        if twin.number != chosen and twin.is_empty:
            _remove(connection, twin.number)
    check(connection, chosen, guide)
    return chosen


def check(connection: Connection, number: int, guide: str | None, marker: str | None = None) -> None:
    """Check that the project asks for a verdict, and set it for blind work; a guide that is given replaces its own.

    With `marker` a description without a mark of that store gets it.
    """
    raw = connection.get(f"projects/{number}/", "open project", project=number)
    project = raw if isinstance(raw, Mapping) else {}
    controls = project.get("parsed_label_config")
    if not isinstance(controls, Mapping) or "verdict" not in controls:
        raise LabelStudioError(
            f"Project {number} at {connection.shown} has another form: make a new one with `assay push --new-project`"
        )
    settings = _BLIND if guide is None else {**_BLIND, "expert_instruction": guide}
    if marker is not None:
        settings = {**settings, "description": _marked_description(project.get("description"), marker)}
    wrong = {name: value for name, value in settings.items() if project.get(name, value) != value}
    if wrong:
        connection.send("PATCH", f"projects/{number}/", "set up project", wrong, project=number)


def mark(connection: Connection, number: int, marker: str) -> None:
    """Put a mark into a description that holds none of that store."""
    raw = connection.get(f"projects/{number}/", "open project", {"include": "id,description"}, project=number)
    before = raw.get("description") if isinstance(raw, Mapping) else None
    wanted = _marked_description(before, marker)
    if wanted != (before or ""):
        connection.send("PATCH", f"projects/{number}/", "mark project", {"description": wanted}, project=number)


def _marked_description(description: object, marker: str) -> str:
    """Return a description with this mark, unless it has one of the same store."""
    before = description if isinstance(description, str) else ""
    if has_mark_of(before, store_of(marker)):
        return before
    return f"{before.rstrip()}\n\nAssay finds this project by its mark: {marker}".lstrip()


def size(connection: Connection, number: int) -> ProjectSize:
    """Return how many tasks and annotations the project holds."""
    names = ("task_number", "total_annotations_number", "skipped_annotations_number")
    raw = connection.get(f"projects/{number}/", "open project", {"include": ",".join(names)}, project=number)
    counts = [raw.get(name) for name in names] if isinstance(raw, Mapping) else []
    if not counts or not all(isinstance(count, int) for count in counts):
        raise LabelStudioError(
            f"Label Studio at {connection.shown} does not count project {number}: check that its version is 1.21 or newer"
        )
    tasks, annotations, skipped = (int(str(count)) for count in counts)
    return ProjectSize(tasks, annotations + skipped)


def _made(connection: Connection, title: str, form: Form, marker: str, guide: str | None) -> list[_Found]:
    """Make a project, and check the result."""
    body = {
        "title": title[:50].ljust(3, "."),
        "description": f"Made by Assay, which finds it by this mark: {marker}",
        "label_config": form.xml(),
        "expert_instruction": form.guide() if guide is None else guide,
        "maximum_annotations": 1,
        "enable_empty_annotation": False,
        **_BLIND,
    }
    unclear: OutcomeUnknown | None = None
    try:
        connection.send("POST", "projects/", "make a project", body)
    except OutcomeUnknown as error:
        unclear = error
    for wait in LOOKUP_WAITS:
        time.sleep(wait)
        try:
            projects = _marked(connection, marker)
        except OutcomeUnknown:
            continue
        if projects:
            return projects
    if unclear:
        raise unclear
    raise LabelStudioError(f"Label Studio at {connection.shown} does not show the project it made: see its log")


def _marked(connection: Connection, marker: str) -> list[_Found]:
    """Return the projects with this mark in their description, oldest first."""
    rows = _listed(connection, "id,description,task_number")
    marked = {number: row for number, row in rows.items() if has_mark(row.get("description"), marker)}
    return [_Found(number, is_empty=row.get("task_number") == 0) for number, row in sorted(marked.items())]


def of_store(connection: Connection, store: str) -> list[ServerProject]:
    """Return every project that the account sees, and whether it has a mark of the store."""
    rows = _listed(connection, "id,description,created_at")
    return [
        ServerProject(
            number,
            made_at if isinstance(made_at := row.get("created_at"), str) else None,
            has_mark_of(row.get("description"), store),
        )
        for number, row in sorted(rows.items())
    ]


def _listed(connection: Connection, include: str) -> dict[int, Mapping[str, object]]:
    """Return these fields of every project by its number."""
    projects: dict[int, Mapping[str, object]] = {}
    page = 1
    while True:
        params: Params = {"page": page, "page_size": PAGE, "include": include}
        raw = connection.get("projects/", "list the projects", params)
        answer = raw if isinstance(raw, Mapping) else {}
        rows = answer.get("results")
        if not isinstance(rows, list):
            raise LabelStudioError(
                f"Label Studio at {connection.shown} sent no projects: check that its version is 1.21 or newer"
            )
        projects |= {row["id"]: row for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), int)}
        if not rows or not answer.get("next"):
            return projects
        page += 1


def _remove(connection: Connection, number: int) -> None:
    """Delete an empty twin, after one more look; what is not deleted now is at the next run."""
    try:
        if Tasks(connection, number).count() == 0:
            connection.send("DELETE", f"projects/{number}/", "delete project", project=number)
    except (OutcomeUnknown, Refused):
        return


def ensure_webhook(connection: Connection, project: int, url: str, secret: str) -> bool:
    """Have changes in a project call `url`; return whether anything had to be changed on the server."""
    wanted: dict[str, object] = {
        "url": url,
        "project": project,
        "headers": {HEADER: secret},
        "is_active": True,
        "send_payload": False,
        "send_for_all_actions": False,
        "actions": sorted(ACTIONS),
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
