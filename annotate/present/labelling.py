"""What a push or a pull did in, the lines that tell it out: the same in a terminal and in the app."""

from __future__ import annotations

from annotate.domain.label_studio_sync import Delivery, Pulled, Pushed
from annotate.domain.sampling.outcomes import Progress


def link(server: str, one: Delivery) -> str:
    """Where the reader labels: the label stream, which shows nothing but the task."""
    return f"{server}/projects/{one.project}/data?labeling=1"


def pushed(server: str, done: Pushed, invitation: str | None) -> list[str]:
    """What a push did, with where to label."""
    more = f", {done.withdrawn:,} taken back" if done.withdrawn else ""
    more += f", {done.doubled:,} stand there twice, both answered" if done.doubled else ""
    first, *others = done.deliveries
    if not others and not first.reader:
        where = f"project {first.project}, {first.there:,} were there{more}; label at {link(server, first)}"
        return [f"{done.sent:,} tasks sent to {where}"]
    lines = [f"{done.sent:,} tasks sent, {done.there:,} were there{more}"]
    lines += [
        f"  {one.reader or 'everybody'}: {one.sent + one.there:,} to label at {link(server, one)}"
        for one in done.deliveries
    ]
    lines += [f"  who has no account yet signs up at {invitation}"] if invitation else []
    return lines


def pulled(done: Pulled, progress: Progress) -> str:
    """What a pull did, and how far the labelling is."""
    line = f"{done.added:,} annotations new, {done.revised:,} changed, {done.deleted:,} deleted, {done.unchanged:,} unchanged"
    line += f", {done.odd:,} odd ones quarantined" if done.odd else ""
    line += f", {done.gone:,} tasks gone from the project (`assay push` sends them again)" if done.gone else ""
    line += f", {done.foreign:,} tasks in the project are not from here" if done.foreign else ""
    if done.lost:
        line += (
            f", {done.lost:,} projects are gone or hold nothing of ours any more (labels stay; `assay push` goes on)"
        )
    return f"{line}; {progress.labelled:,} of {progress.drawn:,} drawn items have a label"
