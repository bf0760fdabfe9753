"""The JSON of a push, of a pull, and of what `assay up` started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotate.present.labelling import Started, link
from annotate.present.schemas.base import ActionModel, Model, read_from

if TYPE_CHECKING:
    from annotate.workflow.labelling.server_moves import ServerMove
    from annotate.workflow.labelling.sync import PushResult


class ProjectModel(Model):
    """What was sent to one project, and where its annotator labels; no name where it is for everybody."""

    annotator: str
    project: int
    sent: int
    there: int
    link: str


class UnfitRuleModel(Model):
    """An annotator's rule that fits none of the drawn `answers`; the commonest values of its field, null for a slice."""

    annotator: str
    field: str
    value: str
    answers: int
    values: tuple[str, ...] | None


class PushModel(ActionModel, schema="assay/push/1"):
    """What a push did.

    `handed_on` of the tasks sent come from an annotator who handed them on; `left` answers have no annotator left, `untaken` ones
    fit nobody's rule. `unfit` rules fit no drawn answer.
    """

    PARTS = ("done",)

    server: str = read_from("url", "server")
    project: int
    sent: int
    there: int
    withdrawn: int
    doubled: int
    asked: int
    handed_on: int
    left: int
    untaken: int
    unfit: tuple[UnfitRuleModel, ...]
    projects: tuple[ProjectModel, ...]
    invitation: str | None
    moved_from: str | None = None

    @classmethod
    def computed(cls, result: PushResult | Started) -> Mapping[str, object]:
        """Give each project a link."""
        deliveries = result.done.deliveries
        projects = [delivery._asdict() | {"link": link(result.url, delivery)} for delivery in deliveries]
        unfit = [
            {
                "annotator": known.annotator,
                "field": known.rule.field,
                "value": known.rule.value,
                "answers": known.answers,
                "values": known.values,
            }
            for known in result.done.unfit
        ]
        return {"project": deliveries[0].project, "projects": projects, "unfit": unfit}


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
    moved_from: str | None


class ServerMoveModel(ActionModel, schema="assay/server_moved/1"):
    """A server's address before and after, and what moves with it.

    Of the annotations that were kept under the new address too, `twice` are kept once now; `gone` were deleted on the server.
    """

    before: str
    after: str
    projects: tuple[int, ...]
    annotations: int
    twice: int
    gone: int
    dry_run: bool

    @classmethod
    def computed(cls, result: ServerMove) -> Mapping[str, object]:
        """Add up what was kept twice."""
        projects = result.joined.projects if result.joined is not None else ()
        return {
            "twice": sum(project.twice for project in projects),
            "gone": sum(project.gone for project in projects),
            "dry_run": result.is_dry_run,
        }


MODELS = {"pushed": PushModel, "pulled": PullModel, "started": UpModel, "server_moved": ServerMoveModel}
