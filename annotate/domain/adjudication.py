"""Decide from the log of one item's annotations whether it waits for a person to adjudicate it, and why.

The rule: annotators who disagree wait; so do annotators none of whom is sure, a mark of serious harm that the label does not
carry, an item that was left open, and an adjudicated one of which a reading changed since. A new reading that agrees
with the adjudication changes nothing. Whoever adjudicates must not be an annotator of the item, and sees the readings in an
order that says nothing of who.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from annotate.domain.annotation import (
    ADJUDICATION,
    DECIDING,
    SERIOUS,
    Annotation,
    Resolved,
    Revision,
    Voice,
    adjudication_of,
    gravest,
    readings,
    resolve,
    voice,
)
from annotate.domain.identity import is_among
from proxy.errors import UsageError
from proxy.records import Judgement, LabelBasis

NO_NAME = "give your name first: it is kept with what you adjudicate"


class Waits(StrEnum):
    """Reasons why an item waits for a person to adjudicate it, the most pressing first."""

    DISAGREEMENT = "annotators disagree"
    OUTVOTED_HARM = "an annotator sees serious harm and the label does not say so"
    CHANGED = "a reading changed since it was adjudicated"
    UNSURE = "no annotator is sure"
    LEFT_OPEN = "it was left open"


@dataclass(frozen=True, kw_only=True, slots=True)
class AdjudicationCase:
    """Item as it is shown to the person who adjudicates it.

    `readings` stand in an order that says nothing of who; `annotators` is everybody who ever said or
    rewrote something of it. `adjudicated` is
    the adjudication that stands, `label` what all comes to, `why` None where nothing waits. `seen` is the last entry of the
    log: if it has grown since, somebody else has been there. `last_adjudicated` is when anybody adjudicated it or took that back.
    """

    item: int
    draw: int | None
    item_id: str
    readings: tuple[Annotation, ...]
    annotators: frozenset[str]
    skips: int
    adjudicated: Annotation | None
    label: Resolved | None
    why: Waits | None
    seen: int
    was_adjudicated_last: bool
    last_adjudicated: str | None

    @property
    def is_serious(self) -> bool:
        """Whether anybody marks serious harm."""
        return gravest(self.readings if self.adjudicated is None else (*self.readings, self.adjudicated)) == SERIOUS

    @property
    def urgency(self) -> tuple[bool, int, bool, int]:
        """Sort key of the queue: serious harm first, then why it waits, then what nobody has looked at."""
        place = list(Waits).index(self.why) if self.why else len(Waits)
        return not self.is_serious, place, self.adjudicated is not None, self.item


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """Decision of a person on a case; `unsure` leaves it open. `why` is kept."""

    judgement: Judgement
    why: str
    reference: str | None = None
    causes: tuple[str, ...] = ()
    harm: str | None = None


def case(
    item: int, draw: int | None, revisions: Sequence[Revision], beside: Sequence[Revision] = ()
) -> AdjudicationCase:
    """Return the case that the log of one item comes to; `revisions` holds at least one.

    `beside` is what was said of a drawn item without its draw: it is no part of the label, and is shown and heeded all the same.
    """
    own = current(revisions)
    adjudicated, label = adjudication_of(own), resolve(own)
    log = sorted([*revisions, *beside])
    newest = current(log)
    standing = readings(newest)
    item_id, last = revisions[-1].annotation.item_id, log[-1]
    times = [revision.annotation.at or "" for revision in revisions if revision.annotation.source == ADJUDICATION]
    return AdjudicationCase(
        item=item,
        draw=draw,
        item_id=item_id,
        readings=tuple(sorted(standing, key=lambda reading: _shuffled(item_id, reading))),
        annotators=frozenset(name for revision in log for name in _who_said(revision.annotation)),
        skips=sum(annotation.judgement is None and not annotation.deleted for annotation in newest),
        adjudicated=adjudicated,
        label=label,
        why=_why(log, standing, adjudicated, label),
        seen=last.sequence,
        was_adjudicated_last=last.annotation.source == ADJUDICATION,
        last_adjudicated=max(times, default=None),
    )


def current(revisions: Iterable[Revision]) -> list[Annotation]:
    """Return the newest revision of each annotation, oldest first."""
    newest = {(revision.annotation.source, revision.annotation.id): revision for revision in sorted(revisions)}
    ordered = sorted(
        newest.values(), key=lambda revision: (revision.annotation.at or revision.received_at, revision.sequence)
    )
    return [revision.annotation for revision in ordered]


def name_of(place: int) -> str:
    """Return an annotator's name where names are hidden: Annotator A, Annotator B …"""
    return f"Annotator {chr(ord('A') + place)}" if place < 26 else f"Annotator {place + 1}"


def check(case: AdjudicationCase, decision: Decision, who: str) -> None:
    """Raise UsageError, with what to do instead, unless `who` may adjudicate the case like this."""
    if not who.strip():
        raise UsageError(NO_NAME)
    if not case.readings and case.adjudicated is None:
        raise UsageError(f"nobody has said anything of {case.item_id} yet: there is nothing to adjudicate")
    if is_among(who, case.annotators):
        raise UsageError("you have read this one yourself: somebody who has not must adjudicate it")
    if not decision.why.strip():
        raise UsageError("the reason is empty: say in a few words why, it is kept with the label")
    if decision.judgement is not Judgement.WRONG and (decision.reference or decision.causes or decision.harm):
        raise UsageError("a reference, causes and harm go with a wrong answer only: leave them out, or call it wrong")
    marked = gravest(case.readings)
    if decision.judgement is Judgement.WRONG and marked not in {None, "none"} and decision.harm is None:
        raise UsageError(f"an annotator marked harm ({marked}): say how harmful it could be, none, minor or serious")


def says_the_same(case: AdjudicationCase, decision: Decision, who: str) -> bool:
    """Return whether the standing decision is the same, by the same person."""
    adjudicated = case.adjudicated
    return (
        adjudicated is not None
        and adjudicated.annotator == who
        and adjudicated.judgement == decision.judgement
        and adjudicated.rationale == decision.why.strip()
        and adjudicated.reference == decision.reference
        and adjudicated.causes == decision.causes
        and adjudicated.harm == decision.harm
    )


def _why(
    revisions: Sequence[Revision],
    standing: Sequence[Annotation],
    adjudicated: Annotation | None,
    label: Resolved | None,
) -> Waits | None:
    """Return why the item waits; None where it does not."""
    if adjudicated is not None and adjudicated.judgement in DECIDING:
        return Waits.CHANGED if _changed(revisions, adjudicated) else None
    if label is None:
        return None
    if label.basis is LabelBasis.DISAGREEMENT:
        return Waits.DISAGREEMENT
    if gravest(standing) == SERIOUS != label.harm:
        return Waits.OUTVOTED_HARM
    if label.judgement is Judgement.UNSURE:
        return Waits.UNSURE
    return None if adjudicated is None else Waits.LEFT_OPEN


def _changed(revisions: Sequence[Revision], adjudicated: Annotation) -> bool:
    """Return whether readings changed since the item was adjudicated; new annotators count only where they contradict it."""
    adjudicated_at = max(
        revision.sequence
        for revision in revisions
        if revision.annotation.id == adjudicated.id and revision.annotation.source == ADJUDICATION
    )
    before = _by_annotator(revision for revision in revisions if revision.sequence < adjudicated_at)
    now = _by_annotator(revisions)
    if any(now.get(annotator) != reading for annotator, reading in before.items()):
        return True
    return any(
        judgement not in {adjudicated.judgement, Judgement.UNSURE} or (harm == SERIOUS != adjudicated.harm)
        for annotator, (judgement, harm) in now.items()
        if annotator not in before
    )


def _by_annotator(revisions: Iterable[Revision]) -> dict[Voice, tuple[Judgement | None, str | None]]:
    """Return the judgement and the harm that each annotator marks now."""
    return {voice(reading): (reading.judgement, reading.harm) for reading in readings(current(revisions))}


def _who_said(annotation: Annotation) -> Iterator[str]:
    """Yield the authors of a reading: its annotator, and whoever wrote it in the annotator's place."""
    if annotation.source != ADJUDICATION and annotation.judgement is not None:
        yield annotation.annotator
        if annotation.edited_by:
            yield annotation.edited_by


def _shuffled(item_id: str, reading: Annotation) -> bytes:
    """Return a place that depends on the item and says nothing of the annotator."""
    name = "|".join([item_id, *(part for part in voice(reading) if part)])
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
