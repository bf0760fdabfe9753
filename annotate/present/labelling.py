"""Say what a push or a pull did, in a terminal and in the app, and where to label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from annotate.domain.annotator_rules import UnfitRule
from annotate.domain.assignment import EVERYBODY, SECOND
from annotate.domain.label_studio_sync import Delivery, Division, Pulled, Pushed
from annotate.domain.message import Code, Listing, Message, Name, Step, Value, message
from annotate.present.actions import command_document
from annotate.present.document import Column, Document, Table

if TYPE_CHECKING:
    from annotate.workflow.labelling.server_moves import ServerMove
    from annotate.workflow.labelling.sync import PullResult, PushResult


class Started(NamedTuple):
    """What `assay up` started: Label Studio with its account, what was sent to it, and the app."""

    url: str
    done: Pushed
    invitation: str | None
    email: str
    password: str
    app: str


def link(server: str, delivery: Delivery) -> str:
    """Return where the annotator labels: the label stream, which shows nothing but the task."""
    return f"{server}/projects/{delivery.project}/data?labeling=1"


def annotator(delivery: Delivery) -> Value:
    """Name for whom a project is."""
    return Name(delivery.annotator) if delivery.annotator else message("labelling.everybody")


def pushed(result: PushResult) -> Document:
    """Say what a push did, and where to label."""
    url, sent, invitation = result.url, result.done, result.invitation
    first, *others = sent.deliveries
    is_for_all = not others and not first.annotator
    where = (message("labelling.label_here", link=Code(link(url, first))),) if is_for_all else (_projects(url, sent),)
    invite = [_invite("labelling.sign_up", sent, invitation)] if invitation and not is_for_all else []
    notes = [message("labelling.replaced")] if result.is_replaced else []
    notes += [note] if (note := moved(result)) else []
    return command_document(sent_tasks(sent), *_beside(sent), *map(unfit, sent.unfit), *where, *invite, notes=notes)


def sent_tasks(sent: Pushed) -> Message:
    """Say how many tasks were sent."""
    return message("labelling.sent", count=sent.sent, there=sent.there)


def unfit(rule: UnfitRule) -> Message:
    """Say that an annotator's rule fits no drawn answer, and what values of its field there are."""
    kind = "slice" if rule.values is None else "other" if rule.values else "absent"
    return message(
        f"labelling.unfit_{kind}",
        annotator=Name(rule.annotator),
        rule=Code(f"{rule.rule.field}={rule.rule.value}"),
        field=Code(rule.rule.field),
        count=rule.answers,
        values=Listing(tuple(map(Name, rule.values or ()))),
    )


def nobody_left(sent: Pushed) -> Message:
    """Say how many answers were handed on by everybody who may take them."""
    return message("labelling.left", count=sent.left)


def pulled(result: PullResult, steps: Sequence[Step] = ()) -> Document:
    """Say what a pull did, and how far the labelling is."""
    back, progress = result.done, result.progress
    far = message("labelling.far", labelled=progress.labelled, drawn=progress.drawn)
    notes = [
        message(f"labelling.{name}", count=count)
        for name, count in (("odd", back.odd), ("gone", back.gone), ("foreign", back.foreign), ("lost", back.lost))
        if count
    ]
    notes += [note] if (note := moved(result)) else []
    return command_document(fetched(back), far, notes=notes, steps=steps)


def moved(result: PullResult | PushResult) -> Message | None:
    """Say that a server was recognised at another address; None where it is where it was."""
    if result.moved_from is None:
        return None
    return message("labelling.moved", url=Code(result.url), before=Code(result.moved_from))


def server_moved(result: ServerMove) -> Document:
    """Say what moves with a server to its new address, or would."""
    key = "labelling.server_would_move" if result.is_dry_run else "labelling.server_moved"
    addresses = {"before": Code(result.before), "after": Code(result.after)}
    projects = Listing(tuple(Name(str(number)) for number in result.projects))
    blocks = [message("labelling.moves_with_it", count=result.annotations, projects=projects)]
    if result.joined is not None:
        twice, gone = (sum(getattr(project, name) for project in result.joined.projects) for name in ("twice", "gone"))
        blocks.append(message("labelling.joins", count=twice, gone=gone, after=Code(result.after)))
    blocks.append(message("labelling.read_anew"))
    return command_document(message(key, **addresses), *blocks)


def fetched(back: Pulled) -> Message:
    """Say what became of annotations."""
    counts = {"added": back.added, "revised": back.revised, "deleted": back.deleted, "unchanged": back.unchanged}
    return message("labelling.fetched", **counts)


def started(result: Started) -> Document:
    """Say where to label, to log in, to invite others, and where the app is."""
    deliveries = result.done.deliveries
    links = [label_at(result.url, delivery, counts=len(deliveries) > 1) for delivery in deliveries]
    blocks = [
        *map(unfit, result.done.unfit),
        *links,
        message("labelling.log_in", email=Name(result.email), password=Code(result.password)),
    ]
    if result.invitation:
        blocks.append(_invite("labelling.invite", result.done, result.invitation))
    blocks.append(message("labelling.flows_back"))
    return command_document(message("labelling.app_at", link=Code(result.app)), *blocks)


def division(divided: Division) -> Iterator[Message | Table]:
    """Say what a push would give to each annotator; nothing where one project serves everybody."""
    yield from map(unfit, divided.unfit)
    counts = {"left": divided.left, "untaken": divided.untaken}
    yield from (message(f"labelling.{key}", count=count) for key, count in counts.items() if count)
    if any(share.annotator not in (EVERYBODY, SECOND) for share in divided.shares):
        columns = (
            Column(message("labelling.column_annotator")),
            Column(message("labelling.column_tasks"), is_number=True),
        )
        yield Table(columns, tuple((Name(share.annotator), share.answers) for share in divided.shares), name="division")


def _invite(key: str, sent: Pushed, invitation: str) -> Message:
    """Say where to sign up, and where several annotators are named, that a shared account makes them one annotator."""
    names = [delivery.annotator for delivery in sent.deliveries if delivery.annotator not in (EVERYBODY, SECOND)]
    if len(names) > 1:
        key = "labelling.own_accounts"
    return message(key, names=Listing(tuple(map(Name, names))), link=Code(invitation))


def label_at(server: str, delivery: Delivery, *, counts: bool = False) -> Message:
    """Say where an annotator labels, and how many answers where `counts`."""
    where, whose = Code(link(server, delivery)), annotator(delivery)
    if not counts:
        return message("labelling.link_of", annotator=whose, link=where)
    return message("labelling.link_with_count", annotator=whose, count=delivery.sent + delivery.there, link=where)


def _beside(sent: Pushed) -> Iterator[Message]:
    counts = {
        "asks_of_passages": sent.asked,
        "handed_on": sent.handed_on,
        "withdrawn": sent.withdrawn,
        "doubled": sent.doubled,
        "left": sent.left,
        "untaken": sent.untaken,
    }
    yield from (message(f"labelling.{key}", count=count) for key, count in counts.items() if count)


def _projects(server: str, sent: Pushed) -> Table:
    """List the projects with what there is to label in each."""
    columns = (
        Column(message("labelling.column_annotator")),
        Column(message("labelling.column_tasks"), is_number=True),
        Column(message("labelling.column_link"), is_wide=True),
    )
    rows = tuple(
        (annotator(delivery), delivery.sent + delivery.there, Code(link(server, delivery)))
        for delivery in sent.deliveries
    )
    return Table(columns, rows, name="projects")
