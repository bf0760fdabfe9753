"""The JSON of looking after the store: its health, its events, a backup, and what was forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotate.present.schemas.base import ActionModel, Model, read_from

if TYPE_CHECKING:
    from annotate.analysis.labelling.masking_preview import MaskingPreview
    from annotate.domain.privacy.redaction import Redaction
    from annotate.store.audit.backups import Backup
    from annotate.store.audit.events import Event
    from annotate.store.health import Health
    from annotate.workflow.forgetting import ForgottenAnnotator
    from annotate.workflow.labelling.server_moves import JoinedServers


class HeadModel(ActionModel, schema="assay/events_head/1"):
    """The digest of all events."""

    events: int | None = read_from("number", "events")
    head: str | None = read_from("hash", "head")


class SpellingModel(Model):
    """Another spelling of a judge's name, and how many answers have a score under it alone."""

    name: str
    spelling: str
    answers: int


class HealthModel(ActionModel, schema="assay/doctor/1"):
    """What is wrong with a store; `covered_since` is since when changes of rows are found."""

    problems: tuple[str, ...]
    events: int | None
    head: str | None
    covered_since: str | None
    spellings: tuple[SpellingModel, ...]

    @classmethod
    def computed(cls, result: Health) -> Mapping[str, object]:
        """Give the end of the chain, where nothing is wrong."""
        number, digest = result.head or (None, None)
        return {"events": number, "head": digest}


class MaskingModel(ActionModel, schema="assay/masking/1"):
    """What leaves the store from now on: masked or not, with how many patterns of the team's own, under pseudonyms or not."""

    on: bool
    patterns: int
    pseudonyms: bool

    @classmethod
    def computed(cls, result: Redaction) -> Mapping[str, object]:
        """Count the patterns, which may be names themselves."""
        return {
            "on": result.is_on,
            "patterns": len(result.patterns),
            "pseudonyms": result.is_on and result.has_pseudonyms is True,
        }


class MaskedExampleModel(Model):
    """A masked text, and the kind of a value in it."""

    kind: str
    text: str


class AnnotatorShareModel(Model):
    """The number of answers that an annotator has or would get; no name where it is for everybody."""

    annotator: str
    answers: int


class MaskingPreviewModel(ActionModel, schema="assay/masking_preview/1"):
    """What redaction would mask in what is about to leave, by kind, in `rows` of the answers that were looked at."""

    on: bool = read_from("is_on", "on")
    items: int
    looked_at: int
    rows: int
    kinds: dict[str, int]
    examples: tuple[MaskedExampleModel, ...]
    unread: int
    division: tuple[AnnotatorShareModel, ...] | None

    @classmethod
    def computed(cls, result: MaskingPreview) -> Mapping[str, object]:
        """Give the counts by kind, and by annotator where draws are sent."""
        shares = [share._asdict() for share in result.division.shares] if result.division else None
        return {"kinds": dict(result.by_kind), "division": shares}


class MadeModel(ActionModel, schema="assay/init/1"):
    """A store that was made; `lake` is where its traffic is to lie, null where that is the store itself."""

    lake: str | None


class KeysModel(ActionModel, schema="assay/keys_removed/1"):
    """How many addresses of endpoints held what may be a key."""

    addresses: int


class JoinedProjectModel(Model):
    """A project that was here under two addresses: annotations that stood twice, that stand, and whose labels went."""

    kept: str
    other: str
    project: int
    twice: int
    standing: int
    gone: int


class JoinedModel(ActionModel, schema="assay/servers_joined/1"):
    """The Label Studios that were here under two addresses."""

    projects: tuple[JoinedProjectModel, ...]

    @classmethod
    def computed(cls, result: JoinedServers) -> Mapping[str, object]:
        """List the projects of each."""
        return {
            "projects": [
                {
                    "kept": pair.kept.shown,
                    "other": pair.other.shown,
                    "project": project.number,
                    "twice": project.twice,
                    "standing": project.standing,
                    "gone": project.gone,
                }
                for pair in result.joined
                for project in pair.projects
            ]
        }


class AccountModel(Model):
    """As whom somebody signed in: the provider, and its own id of the person."""

    issuer: str
    subject: str


class EventModel(Model):
    """What was done, when and by whom; `detail` is text where it was damaged.

    Without `signed_in` the name is what somebody typed. `account` is null where nobody signed in or they were forgotten.
    """

    number: int
    at: str
    who: str
    what: str
    detail: object
    signed_in: bool
    account: AccountModel | None


class EventsModel(ActionModel, schema="assay/events/1"):
    """What was done, the oldest first."""

    events: tuple[EventModel, ...]

    @classmethod
    def computed(cls, result: Sequence[Event]) -> Mapping[str, object]:
        """Read the details and the accounts."""
        return {"events": [_event(event) for event in result]}


def _event(event: Event) -> Mapping[str, object]:
    account = event.account
    return {
        "number": event.number,
        "at": event.at,
        "who": event.who,
        "what": event.what,
        "detail": event.read(),
        "signed_in": event.is_signed_in,
        "account": None if account is None else account._asdict(),
    }


class BackupModel(ActionModel, schema="assay/backup/1"):
    """A copy that was read back, and what is wrong with the store's own chain."""

    file: Path
    bytes: int = read_from("size", "bytes")
    events: int
    head: str
    removed: tuple[str, ...]
    fault: str | None

    @classmethod
    def computed(cls, result: Backup) -> Mapping[str, object]:
        """Give the end of the chain, and its fault in words."""
        fault = result.fault
        words = f"event {fault.number} {fault.words}" if fault else None
        return {"events": result.head.number, "head": result.head.hash, "fault": words}


class TaskModel(Model):
    """A task in a Label Studio that still holds what was forgotten."""

    server: str
    project: int
    task_id: int


class ForgottenModel(ActionModel):
    """What still holds what was forgotten; `erased`: no byte of it is left in the file."""

    dry_run: bool
    erased: bool
    copies: tuple[Path, ...]
    tasks: tuple[TaskModel, ...]

    @classmethod
    def computed(cls, result: Any) -> Mapping[str, object]:
        """Say whether it was done."""
        return {"dry_run": result.is_dry_run, "erased": not result.is_dry_run and result.fault is None}


class ItemsModel(ForgottenModel, schema="assay/forgotten_items/1"):
    """What was blanked of items."""

    PARTS = ("blanked", "remains")

    items: int
    revisions: int
    annotations: int
    gold: int
    feedback: int
    quarantined: int


class AnnotatorModel(ForgottenModel, schema="assay/forgotten_annotator/1"):
    """What was renamed and blanked of a person; no pseudonym before it is done."""

    PARTS = ("renamed", "remains")

    pseudonym: str | None
    annotations: int
    rationales: int
    references: int
    references_blanked: int
    quarantined: int

    @classmethod
    def computed(cls, result: ForgottenAnnotator) -> Mapping[str, object]:
        """Keep the pseudonym back until it is in use."""
        pseudonym = None if result.is_dry_run else result.renamed.pseudonym
        return {**super().computed(result), "pseudonym": pseudonym}


MODELS = {
    "made": MadeModel,
    "doctor": HealthModel,
    "masking": MaskingModel,
    "preview": MaskingPreviewModel,
    "keys": KeysModel,
    "joined": JoinedModel,
    "events": EventsModel,
    "head": HeadModel,
    "backup": BackupModel,
    "items": ItemsModel,
    "annotator": AnnotatorModel,
}
