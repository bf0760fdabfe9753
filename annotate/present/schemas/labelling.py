"""The JSON of a push, of a pull, and of what `assay up` started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.present.labelling import Started, link
from annotate.present.schemas.base import ActionModel, Model, read_from

if TYPE_CHECKING:
    from annotate.workflow.labelling.sync import PushResult


class ProjectModel(Model):
    """What was sent to one project, and where its annotator labels; no name where it is for everybody."""

    annotator: str
    project: int
    sent: int
    there: int
    link: str


class PushModel(ActionModel, schema="assay/push/1"):
    """What a push did."""

    PARTS = ("done",)

    server: str = read_from("url", "server")
    project: int
    sent: int
    there: int
    withdrawn: int
    doubled: int
    asked: int
    projects: tuple[ProjectModel, ...]
    invitation: str | None

    @classmethod
    def computed(cls, result: PushResult | Started) -> Mapping[str, object]:
        """Give each project a link."""
        deliveries = result.done.deliveries
        projects = [delivery._asdict() | {"link": link(result.url, delivery)} for delivery in deliveries]
        return {"project": deliveries[0].project, "projects": projects}


class UpModel(PushModel, schema="assay/up/1"):
    """What was started, with the account to log in."""

    email: str
    password: str
    app: str


class PullModel(ActionModel, schema="assay/pull/1"):
    """What a pull did, and how far the labelling is."""

    PARTS = ("done", "progress")

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


MODELS = {"pushed": PushModel, "pulled": PullModel, "started": UpModel}
