"""Say what an action on the gold set came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from annotate.domain.gold import GoldStatus
from annotate.domain.gold.outcomes import (
    Accepted,
    Edited,
    Exported,
    KeptEntry,
    MarkedEntries,
    Retired,
    TeamPolicy,
    WrittenReference,
)
from annotate.domain.message import Code, Listing, Message, Name, Step, message
from annotate.present.actions import command_document
from annotate.present.document import Document
from annotate.present.gold.coverage import role

if TYPE_CHECKING:
    from annotate.workflow.gold.release import ReleaseResult


def added(result: WrittenReference, steps: Sequence[Step] = ()) -> Document:
    """Say that a reference was saved, and which wrong answers to its question it leaves."""
    left = Listing(tuple(map(Name, result.answers_left)))
    blocks = [message("gold_actions.answers_left", items=left)] if result.answers_left else []
    return command_document(message("gold.done_written", gold_id=Name(result.gold_id)), *blocks, steps=steps)


def accepted(result: Accepted, steps: Sequence[Step] = ()) -> Document:
    """Say how many entries were accepted, and which need a look of their own."""
    blocks = [*_sets(result), *_left(result)]
    return command_document(message("gold.done_accepted", count=result.changed), *blocks, steps=steps)


def retired(result: Retired) -> Document:
    """Say how many entries were retired."""
    return command_document(message("gold.done_retired", count=result.changed), *_sets(result))


def edited(result: Edited) -> Document:
    """Say whether the reference of an entry changed."""
    name = Name(result.gold_id)
    if not result.changed:
        return command_document(message("gold.done_same", gold_id=name))
    return command_document(message("gold.done_edited", gold_id=name, status=status(result.entry_status)))


def kept(result: KeptEntry) -> Document:
    """Say whether an entry lost its flag."""
    key = "gold.done_kept" if result.changed else "gold_actions.not_flagged"
    return command_document(message(key, gold_id=Name(result.gold_id)))


def marked(result: MarkedEntries) -> Document:
    """Say how many marks changed."""
    lacking = message("gold.lacking", count=result.knowledge_base_lacks)
    return command_document(message("gold_actions.marked", count=result.changed), lacking)


def policy(result: TeamPolicy) -> Document:
    """Say what the team asks for."""
    on = {name: message("systems.yes" if is_on else "systems.no") for name, is_on in result._asdict().items()}
    return command_document(message("gold_actions.policy", **on))


def released(result: ReleaseResult, steps: Sequence[Step] = ()) -> Document:
    """Say what a release holds, and what was left out of it."""
    release = result.release
    left = result.flagged + result.conflicting
    values = {"entries": release.entries, "left": left}
    answer = message("gold.released", name=Name(release.name), hash=Code(release.hash), **values)
    roles = [message("values.colon", label=role(name), words=count) for name, count in result.roles.items()]
    blocks = [message("gold_actions.roles", roles=Listing(tuple(roles)))] if roles else []
    if left:
        blocks.append(message("gold_actions.left_out", flagged=result.flagged, conflicting=result.conflicting))
    if result.same_as:
        blocks.append(message("gold.released_same", name=Name(result.same_as)))
    return command_document(answer, *blocks, steps=steps)


def exported(result: Exported, steps: Sequence[Step] = ()) -> Document:
    """Say how many entries were written, and which were not."""
    names = ("forgotten", "candidates", "flattened", "joined", "altered")
    counts = {name: getattr(result, name) for name in names}
    blocks = [message(f"gold_actions.{name}", count=count) for name, count in counts.items() if count]
    answer = message("gold_actions.written", count=result.rows, file=Code(result.file))
    return command_document(answer, *blocks, steps=steps)


def status(of: GoldStatus) -> Message:
    """Name the status of an entry."""
    return message(f"gold.status_{of.value}")


def _sets(result: Accepted | Retired) -> Iterator[Message]:
    """The entries of each status now, and the test questions where there are any."""
    yield message("gold_actions.set", **{status.value: count for status, count in result.counts.items()})
    if total := sum(result.test_questions.values()):
        counts = {status.value: count for status, count in result.test_questions.items()}
        yield message("questions.listed", count=total, **counts)


def _left(result: Accepted) -> Iterator[Message]:
    """What waits for a person, by the reason."""
    if result.corrections:
        yield message("gold_actions.corrections", count=result.corrections)
    if result.own:
        yield message("gold_actions.own", count=result.own)
    if result.withheld:
        yield message("gold_actions.withheld", count=len(result.withheld))
    for gold_id, why in result.withheld.items():
        yield message("values.colon", label=Name(gold_id), words=why)
