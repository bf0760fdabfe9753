"""Build the document of a calibration: the threshold with its guarantee, or why there is none and what would bring one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from annotate.analysis.calibration.certify import Calibrated
from annotate.domain.message import (
    Code,
    Command,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Step,
    Value,
    message,
    share,
)
from annotate.present.document import Block, Column, Detail, Document, Section, Status, Table
from annotate.present.guarantee import alone, named, scope
from proxy.evaluation.threshold import ThresholdChoice, value_of
from proxy.rule import Rule
from proxy.stats.calibration.threshold import CertifiedThreshold, powers
from proxy.stats.calibration.threshold_tests import Claim, ThresholdTest
from proxy.text.numbers import percent

OPTIONS = {Claim.WINDOW: "window", Claim.LONG_RUN: "long-run"}


def document(result: Calibrated, steps: Sequence[Step] = ()) -> Document:
    """Say what came of a calibration.

    Parameters
    ----------
    result : Calibrated
        What was looked for and found.
    steps : sequence of Step
        What to do next.
    """
    choice = result.choice
    sections = [Section(None, tuple(_basis(result)))]
    if choice is not None:
        sections.append(Section(message("calibration.in_detail"), tuple(_details(result, choice)), Detail.FULL))
    return Document(
        answer=_answer(result),
        status=_status(result),
        sections=tuple(sections),
        notes=tuple(_notes(result)),
        next=tuple(steps),
    )


def threshold(value: float) -> Number:
    """Give a threshold as it is written."""
    return Number(value, Kind.THRESHOLD)


def _status(result: Calibrated) -> Status:
    choice = result.choice
    if choice is None:
        return Status.UNMEASURABLE
    if result.all_pass or result.guarantee:
        return Status.MET
    is_open = result.waits or choice.undecided_test or choice.need or result.has_few
    return Status.OPEN if is_open else Status.MISSED


def _answer(result: Calibrated) -> Message:
    choice, request = result.choice, result.request
    if result.objection:
        return message("calibration.refused")
    if choice is None:
        return message("calibration.no_values")
    asked: dict[str, Value] = {"precision": share(request.precision), "confidence": share(request.confidence)}
    if result.all_pass:
        return message("calibration.all_pass", **asked, claims=named(choice.claims))
    if result.guarantee:
        key = "set" if result.is_saved else "stands" if result.stands else "would"
        lowest = threshold(result.guarantee.threshold)
        return message(f"calibration.{key}", **asked, claims=named(choice.claims), threshold=lowest)
    if result.waits:
        return message("calibration.waits", count=result.open)
    if choice.undecided_test:
        part = choice.undecided_test
        return message("calibration.decide_first", count=part.undecided_labels, threshold=threshold(part.threshold))
    key = "calibration.none_yet" if choice.need or result.has_few else "calibration.none"
    claim = Claim.LONG_RUN if result.keeps_window and request.claim is None else request.claim
    return message(key, **asked, claims=alone(claim))


def _basis(result: Calibrated) -> Iterator[Block]:
    """What the answer rests on, and what it changes."""
    choice = result.choice
    if choice is None:
        why = result.objection or result.unscored
        if why:
            yield message("report.reason", reason=why.reason)
    elif result.all_pass:
        yield from _proofs(result, choice)
        yield from _used(result, choice)
        yield _nothing_saved(result)
    elif result.guarantee:
        share_of = share(choice.coverage)
        where = threshold(result.guarantee.threshold)
        yield message("calibration.passes", value=Code(value_of(result.before)), threshold=where, share=share_of)
        yield from _proofs(result, choice)
        yield from _used(result, choice)
        yield _choosers(result)
        yield from _change(result)
    else:
        if result.exact is not None:
            yield message("calibration.exact_window", precision=share(result.exact.estimate), n=result.exact.n)
        open_claims = [claim for claim in choice.by_claim if claim is Claim.LONG_RUN or not result.keeps_window]
        yield from (_not_shown(claim, result, choice) for claim in open_claims)
        yield from _undecided(result)
        yield from _lacks(result, choice)
        yield from _used(result, choice)
        yield _nothing_saved(result)
        yield from _standing(result)


def _proofs(result: Calibrated, choice: ThresholdChoice) -> Iterator[Message]:
    """The labels that show each claim, or why it is not shown."""
    for claim, certified in choice.by_claim.items():
        if claim not in choice.claims:
            yield _not_shown(claim, result, choice)
            if certified.needed is not None:
                yield message("calibration.other_questions")
        else:
            yield from _proof(claim, choice.step())
    yield from _undecided(result)


def _proof(claim: Claim, step: ThresholdTest) -> Iterator[Message]:
    by_cluster = claim is Claim.LONG_RUN and step.is_clustered
    n, wrong = (step.labels, step.wrong) if by_cluster else (step.n, step.errors)
    undecided = step.undecided_labels if by_cluster else step.undecided
    counts: dict[str, Value] = {"claim": alone(claim), "n": n, "wrong": wrong}
    if undecided:
        yield message("calibration.shown_undecided", **counts, undecided=undecided)
    else:
        yield message("calibration.shown", **counts)
    if by_cluster:
        yield message("calibration.clusters", n=n, clusters=Number(step.clusters, Kind.DIGITS))


def _not_shown(claim: Claim, result: Calibrated, choice: ThresholdChoice) -> Message:
    """Why a claim does not hold at the threshold."""
    certified, chosen = choice.by_claim[claim], choice.certified.threshold
    if certified.threshold is None or certified.needed is not None:
        return message("calibration.not_shown", claim=alone(claim), reason=certified.reason)
    is_stricter = certified.threshold > (chosen if chosen is not None else certified.threshold)
    return message(
        "calibration.at_stricter" if is_stricter else "calibration.at_looser",
        claim=alone(claim),
        threshold=threshold(certified.threshold),
        option=Code(OPTIONS[claim]),
    )


def _undecided(result: Calibrated) -> Iterator[Message]:
    if result.undecided:
        yield message("calibration.undecided", count=result.undecided)


def _used(result: Calibrated, choice: ThresholdChoice) -> Iterator[Message]:
    """Which labels are not used, and why."""
    parts = [
        message(f"calibration.not_used_{name}", count=count)
        for name, count in result.use._asdict().items()
        if name != "answered" and count
    ]
    if parts:
        counts = {"labels": result.use.usable, "answered": result.use.answered}
        yield message("calibration.used", **counts, parts=Listing(tuple(parts)))
    step = choice.step() if choice.certified.threshold is not None else choice.steps[-1] if choice.steps else None
    if step and step.labels > step.n:
        yield message("calibration.left_out", count=step.labels - step.n)


def _choosers(result: Calibrated) -> Message:
    """Which labels chose, and which are left to score."""
    counts = {"chose": result.chose, "labels": result.labels}
    if not result.scoring:
        return message("calibration.chose_all", **counts)
    return message("calibration.chose", **counts, left=result.scoring)


def _nothing_saved(result: Calibrated) -> Message:
    rule = Code(result.before.expression)
    return message("calibration.nothing_saved", chose=result.chose, labels=result.labels, rule=rule)


def _change(result: Calibrated) -> Iterator[Message]:
    """The rule that is in force now, the one before, and how to go back to it."""
    rule, before = result.rule or result.before, _rule(result.before)
    if not result.is_saved and not result.stands:
        yield message("calibration.would_replace", **before)
        return
    yield message("calibration.is_kept", **_rule(rule))
    if result.is_saved:
        name, expression = shlex.quote(result.before.name), shlex.quote(result.before.expression)
        back = Command(f"assay rule set {expression} --name {name}")
        yield message("calibration.replaces", **before, command=back)


def _rule(rule: Rule) -> dict[str, Value]:
    return {"name": Name(rule.name), "version": rule.version, "expression": Code(rule.expression)}


def _lacks(result: Calibrated, choice: ThresholdChoice) -> Iterator[Message]:
    """What would bring a threshold: unsure answers decided, more labels, or another rule."""
    if result.waits:
        return
    if choice.undecided_test:
        part = choice.undecided_test
        counts = {"wrong": part.wrong, "n": part.labels, "undecided": part.undecided_labels}
        yield message("calibration.undecided_draws", threshold=threshold(part.threshold), **counts)
    elif choice.need and result.draws_needed is not None:
        need = choice.need
        where = threshold(need.threshold)
        yield message("calibration.need", more=need.more, threshold=where, wrong=need.errors, n=need.n)
        yield message("calibration.need_draws", draws=result.draws_needed, share=share(result.request.share))
        there = result.open + result.left
        if result.draws_needed > there:
            yield message("calibration.capped", count=there) if there else message("calibration.capped_none")
    elif result.has_few:
        yield message("calibration.few", count=2 * result.fewest)
    elif choice.best:
        yield _best(choice.best, result.request.precision)


def _best(best: ThresholdTest, wanted: float) -> Message:
    """The part with the fewest errors, and why it does not do."""
    reached = 1 - best.errors / best.n
    is_close = best.right >= wanted * best.n or percent(reached) == percent(wanted)  # as it is read
    return message(
        "calibration.close" if is_close else "calibration.best",
        threshold=threshold(best.threshold),
        right=best.right,
        n=best.n,
        share=share(reached),
        wanted=share(wanted),
    )


def _standing(result: Calibrated) -> Iterator[Message]:
    """What becomes of a threshold that had a guarantee before."""
    record, request = result.standing, result.request
    if record is None:
        return
    yield message(
        "calibration.standing",
        **_rule(result.before),
        precision=share(record.precision),
        confidence=share(record.confidence),
        wave=record.last_wave,
        claims=scope(record),
    )
    if request.precision <= record.precision and request.confidence <= record.confidence:
        yield message("calibration.no_longer")


def _notes(result: Calibrated) -> Iterator[Message]:
    """What weakens the guarantee, or makes it less than the one before."""
    record, request = result.standing, result.request
    if result.guarantee and result.known_before:
        yield message("calibration.late", count=result.known_before)
    if result.looks and result.choice and not result.all_pass:
        yield message("calibration.looked", count=result.looks)
    is_less = record and (record.precision, record.confidence) > (request.precision, request.confidence)
    if record and result.guarantee and is_less:
        kept = {"precision": share(record.precision), "confidence": share(record.confidence)}
        name: dict[str, Value] = {"name": Name(result.before.name), "version": result.before.version}
        yield message("calibration.weaker", **name, **kept)


def _details(result: Calibrated, choice: ThresholdChoice) -> Iterator[Block]:
    """How the tests counted, what labels can show, and every threshold that was tested."""
    if choice.certified.threshold is not None:
        yield from _counted(result, choice, choice.certified)
    yield message("calibration.kept_in", confidence=share(result.request.confidence))
    yield _power(result)
    yield _tested(choice)


def _counted(result: Calibrated, choice: ThresholdChoice, certified: CertifiedThreshold) -> Iterator[Message]:
    step = choice.step()
    low = result.proved(certified)
    if low is not None:
        yield message("calibration.proved", share=share(low))
    if abs(step.effective - step.n) >= 1e-6:  # labels of several classes, of which the test knows more than their count
        yield message("calibration.weighed", effective=Number(step.effective, Kind.DIGITS), share=share(step.rate))


def _power(result: Calibrated) -> Table:
    names = ("tested_labels", "power_allowed", "power_precision", "power_chance")
    columns = tuple(Column(message(f"calibration.{name}"), is_number=True) for name in names)
    rows = tuple(
        (power.n, power.allowed, share(power.precision), share(power.chance))
        for power in powers(1 - result.request.precision, 1 - result.request.confidence)
    )
    return Table(columns, rows, message("calibration.power"), "power")


def _tested(choice: ThresholdChoice) -> Table:
    columns = tuple(
        Column(message(f"calibration.tested_{name}"), is_number=True)
        for name in ("threshold", "labels", "right", "wrong", "undecided")
    )
    rows = tuple(
        (threshold(step.threshold), step.n, step.right, step.errors - step.undecided, step.undecided)
        for step in choice.steps
        if step.n
    )
    return Table(columns, rows, message("calibration.tested"), "thresholds")
