"""The JSON of a push, of a pull, and of what `assay up` started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from annotate.domain.label_studio_sync import Pushed
from annotate.present.document import Document
from annotate.present.labelling import Started, link
from annotate.present.schemas.base import ActionModel, Model

if TYPE_CHECKING:
    from annotate.workflow.labelling.sync import Fetched, Sent


class ProjectModel(Model):
    """What was sent to one project, and where its annotator labels; no name where it is for everybody."""

    annotator: str
    project: int
    sent: int
    there: int
    link: str


class PushModel(ActionModel):
    """What a push did."""

    SCHEMA: ClassVar[str] = "assay/push/1"

    server: str
    project: int
    sent: int
    there: int
    withdrawn: int
    doubled: int
    projects: tuple[ProjectModel, ...]
    invitation: str | None


class UpModel(PushModel):
    """What was started, with the account to log in."""

    SCHEMA: ClassVar[str] = "assay/up/1"

    email: str
    password: str
    app: str


class PullModel(ActionModel):
    """What a pull did, and how far the labelling is."""

    SCHEMA: ClassVar[str] = "assay/pull/1"

    added: int
    revised: int
    unchanged: int
    deleted: int
    odd: int
    foreign: int
    gone: int
    lost: int
    labelled: int
    drawn: int


MODELS = {"push": PushModel, "pull": PullModel, "up": UpModel}


def pushed(result: Sent, document: Document) -> PushModel:
    """Make the model of a push."""
    return PushModel.of_document(document, **_sent(result.url, result.done), invitation=result.invitation)


def pulled(result: Fetched, document: Document) -> PullModel:
    """Make the model of a pull."""
    progress = result.progress
    return PullModel.of_document(document, **result.done._asdict(), labelled=progress.labelled, drawn=progress.drawn)


def started(result: Started, document: Document) -> UpModel:
    """Make the model of what was started."""
    url, sent, *_ = result
    account = {name: getattr(result, name) for name in ("invitation", "email", "password", "app")}
    return UpModel.of_document(document, **_sent(url, sent), **account)


def _sent(server: str, sent: Pushed) -> dict[str, Any]:
    projects = [
        {
            "annotator": delivery.reader,
            "project": delivery.project,
            "sent": delivery.sent,
            "there": delivery.there,
            "link": link(server, delivery),
        }
        for delivery in sent.deliveries
    ]
    return {
        "server": server,
        "project": sent.deliveries[0].project,
        "sent": sent.sent,
        "there": sent.there,
        "withdrawn": sent.withdrawn,
        "doubled": sent.doubled,
        "projects": projects,
    }
