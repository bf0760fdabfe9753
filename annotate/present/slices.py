"""Build the document of a search of slices: where the proxy errs more than elsewhere, by adjusted tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from annotate.analysis.slices.confirm import SliceConfirmation
from annotate.analysis.slices.find import Slices, Turnable
from annotate.domain.counted import counted
from annotate.domain.message import (
    Between,
    Counted,
    EvidenceText,
    IntervalBasis,
    Kind,
    Listing,
    Message,
    Name,
    Number,
    Quote,
    Step,
    Value,
    message,
    share,
)
from annotate.present.document import Column, Detail, Document, Section, Status, Table
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.slices import FEWEST, Examined, Mistake, Share, SliceFinding, SlicePower, Untested

# Chosen: rows for which the brief answer of 25 lines has room.
SHOWN = 3
DIFFERENCE = "MOVER from both intervals"


def document(result: Slices, steps: Sequence[Step] = ()) -> Document:
    """Build the document of a search of slices.

    Parameters
    ----------
    result : Slices
        Every tested slice, and those with too few labels.
    steps : sequence of Step
        What to do next.
    """
    examined = result.examined
    sections = [Section(None, tuple(_basis(result)))]
    if result.confirmations:
        sections.append(Section(message("slices.confirmations"), (_confirmations(result),)))
    if examined.tested:
        sections.append(Section(message("slices.tested"), (_tested(result),)))
        power = map(_power, examined.power if examined.worse else ())
        sections.append(Section(message("slices.every_test"), (_every_test(result), *power), Detail.FULL))
    if examined.untested:
        detail = Detail.FULL if examined.tested else Detail.BRIEF
        sections.append(Section(message("slices.untested"), (_untested(examined.untested),), detail))
    return Document(answer=answer(result), status=_status(result), sections=tuple(sections), next=tuple(steps))


def answer(result: Slices) -> Message:
    """Say which slice is shown to be worse, or that none is."""
    if result.objections:
        return message("slices.objection")
    if worse := result.examined.worse:
        return _claim(result, worse[0])
    return message("slices.none" if result.examined.tested else "slices.not_testable")


def reason(result: Slices) -> Message | str | None:
    """Say why no slice can be named or tested; None where one could be."""
    labels = sum(result.labels.values())
    if not labels:
        return message("slices.unlabelled")
    if result.is_unjudged:
        if result.failed is None:
            return message("slices.unjudged")
        why = Quote(result.failed.reason) if result.failed.reason.strip() else message("slices.no_reason")
        return message("slices.not_scorable", failed=result.failed.items, count=labels, reason=why)
    if result.objections:
        return result.objections[0].words
    if result.examined.tested:
        return None
    if not result.examined.untested:
        return message("slices.alike", count=labels)
    return message("slices.too_few", count=labels, fewest=FEWEST)


def mistake(of: SliceFinding | Untested | SliceConfirmation) -> Message:
    """Name the kind of error that is tested."""
    return message(f"slices.{of.mistake.value}")


def estimate(of: Share) -> Estimate:
    """Return the share of errors in a group as an estimate."""
    return Estimate(
        estimate=of.estimate,
        low=of.interval.low,
        high=of.interval.high,
        n=of.n,
        method=of.method,
        long_run=of.long_run,
        predictor=of.predictor,
    )


def difference(finding: SliceFinding) -> Estimate:
    """Return the share in the slice minus the share elsewhere."""
    value, low, high = finding.difference
    return Estimate(
        estimate=value,
        low=low,
        high=high,
        n=finding.here.n + finding.elsewhere.n,
        method=DIFFERENCE,
        predictor=finding.here.predictor,
    )


def evidence(of: Share) -> EvidenceText:
    """Return a share with its interval and n."""
    return EvidenceText(estimate(of), Kind.SHARE, IntervalBasis.WINDOW)


def _status(result: Slices) -> Status:
    if not result.examined.tested:
        return Status.UNMEASURABLE
    worse = result.examined.worse
    return Status.OPEN if result.objections or not worse or _doubt(result, worse[0]) else Status.MISSED


def _claim(result: Slices, finding: SliceFinding) -> Message:
    return message(
        f"slices.{'open' if _doubt(result, finding) else 'worse'}_{finding.mistake.value}",
        slice=Name(finding.slice.name),
        difference=EvidenceText(difference(finding), Kind.POINTS, IntervalBasis.WINDOW, is_signed=True),
        p=_p(finding.adjusted_p),
    )


def _doubt(result: Slices, finding: SliceFinding) -> Turnable | None:
    """Return the reason why a finding is open."""
    named = (finding.slice.name, finding.mistake)
    return next((doubt for doubt in result.turnable if (doubt.slice, doubt.mistake) == named), None)


def _basis(result: Slices) -> Iterator[Message]:
    """Yield the other slices that are worse, why a finding is open, and the power of the labels."""
    examined = result.examined
    worse = [] if result.objections else examined.worse
    if why := reason(result):
        yield message("report.reason", reason=why)
    yield from (_claim(result, finding) for finding in worse[1:])
    for finding in worse:
        if doubt := _doubt(result, finding):
            yield message("slices.turnable", slice=Name(doubt.slice), missing=doubt.missing, drawn=doubt.drawn)
        if finding.twins:
            yield message("slices.twins", slices=_names([finding.slice.name, *(twin.name for twin in finding.twins)]))
    if not result.objections:
        yield from (_interval_open(finding, examined.level) for finding in _only_by_p(examined))
    if any(finding.slice.is_searched for finding in worse):
        yield message("slices.searched")
    if examined.tested:
        sizes = {"tested": len(examined.tested), "untested": len(examined.untested)}
        yield message("slices.counts", **sizes, level=Number(examined.level, Kind.DIGITS))
    if not examined.worse:
        yield from map(_power, examined.power)
    if result.truths:
        yield message("slices.truths", fields=_names(result.truths))


def _only_by_p(examined: Examined) -> Sequence[SliceFinding]:
    """Return the first findings whose adjusted p is up to the level, and whose interval is not above 0."""
    small = (finding for finding in examined.tested if finding.adjusted_p <= examined.level)
    return [finding for finding in small if finding.difference.low <= 0][:SHOWN]


def _interval_open(finding: SliceFinding, level: float) -> Message:
    """Say that the interval is why a finding with a small p is not shown to be worse."""
    return message(
        "slices.interval_open",
        slice=Name(finding.slice.name),
        mistake=mistake(finding),
        p=_p(finding.adjusted_p),
        level=Number(level, Kind.DIGITS),
        difference=EvidenceText(difference(finding), Kind.POINTS, IntervalBasis.WINDOW, is_signed=True),
    )


def _power(power: SlicePower) -> Message:
    values: dict[str, Value] = {"labels": power.labels, "base": share(power.base)}
    if power.share is None:
        return message(f"slices.powerless_{power.mistake.value}", **values)
    return message(f"slices.power_{power.mistake.value}", **values, share=share(power.share))


def _tested(result: Slices) -> Table:
    """Return the table of the shares of errors in each slice and elsewhere; without intervals where all is labelled."""
    tested, is_exact = result.examined.tested, _is_exact(result)
    columns = (
        Column(message("slices.slice"), is_wide=True),
        Column(message("slices.mistake")),
        *(Column(message(f"slices.{name}"), is_number=True) for name in ("here", "elsewhere", "adjusted_p")),
    )
    rows = tuple(
        (
            Name(finding.slice.name),
            mistake(finding),
            _with_answers(finding, _in_table(finding.here, is_exact=is_exact)),
            _in_table(finding.elsewhere, is_exact=is_exact),
            _p(finding.adjusted_p),
        )
        for finding in tested
    )
    caption = message("slices.exact") if is_exact else None
    return Table(columns, rows, caption, name="tested", most=SHOWN)


def _is_exact(result: Slices) -> bool:
    """Return whether every answer is labelled right or wrong, so that no share has a width."""
    return sum(result.labels.values()) >= result.items


def _in_table(of: Share, *, is_exact: bool) -> EvidenceText:
    """Return a share with its n, and with its interval unless it is exact."""
    if not is_exact:
        return evidence(of)
    return EvidenceText(replace(estimate(of), low=None, high=None), Kind.SHARE, IntervalBasis.WINDOW)


def answers_in(finding: SliceFinding) -> Counted:
    """Return the number of labels that the share in a slice is of, with their code."""
    return counted(finding.here.n, "slice", finding.mistake, finding.slice.name)


def _with_answers(finding: SliceFinding, here: EvidenceText) -> EvidenceText:
    """Return the share in a slice with the code of the labels that it is of."""
    return here._replace(estimate=replace(here.estimate, n=answers_in(finding)))


def _every_test(result: Slices) -> Table:
    """Return the table of every difference, with its p-value before and after adjustment."""
    columns = (
        Column(message("slices.slice"), is_wide=True),
        Column(message("slices.mistake")),
        Column(message("slices.difference"), is_number=True, has_bars=True),
        *(Column(message(f"slices.{name}"), is_number=True) for name in ("p_value", "adjusted_p")),
        Column(message("slices.shown_worse")),
    )
    worse = [] if result.objections else result.examined.worse
    rows = tuple(
        (
            Name(finding.slice.name),
            mistake(finding),
            _points(finding),
            _p(finding.p_value),
            _p(finding.adjusted_p),
            message("systems.yes" if finding in worse else "systems.no"),
        )
        for finding in result.examined.tested
    )
    return Table(columns, rows)


def _points(finding: SliceFinding) -> Message:
    value, low, high = finding.difference
    span = Between(low, high, Kind.POINTS, is_signed=True)
    return message("report.short", value=Number(value, Kind.POINTS, is_signed=True), span=span)


def _untested(untested: Sequence[Untested]) -> Table:
    """Return the table of slices with too few labels: passed answers first, then by how near they are to a test."""
    columns = (
        Column(message("slices.slice"), is_wide=True),
        Column(message("slices.mistake")),
        *(Column(message(f"slices.{name}"), is_number=True) for name in ("labels", "missing", "missing_elsewhere")),
    )
    order = sorted(untested, key=lambda part: (list(Mistake).index(part.mistake), part.missing, part.slice.name))
    rows = tuple((Name(part.slice.name), mistake(part), part.n, part.missing, part.missing_elsewhere) for part in order)
    return Table(columns, rows, name="untested", most=SHOWN)


def _confirmations(result: Slices) -> Table:
    """Return the table of the waves drawn from a slice, with the result of their new labels."""
    columns = (
        Column(message("slices.wave"), is_number=True),
        Column(message("slices.slice"), is_wide=True),
        Column(message("slices.mistake")),
        Column(message("slices.status"), is_wide=True),
        *(Column(message(f"slices.{name}"), is_number=True) for name in ("difference", "p_value")),
    )
    rows = tuple(
        (confirmation.wave, Name(confirmation.slice), mistake(confirmation), *_outcome(confirmation, result))
        for confirmation in result.confirmations
    )
    return Table(columns, rows, name="to_confirm")


def _outcome(confirmation: SliceConfirmation, result: Slices) -> tuple[Value, Value, Value]:
    """Return the status, and the difference with its p-value where there is one."""
    fresh, key = confirmation.fresh, f"slices.status_{confirmation.status(result.examined.level).value}"
    if isinstance(fresh, SliceFinding):
        return message(key), _points(fresh), _p(fresh.adjusted_p)
    if fresh is None:
        return message(key, count=confirmation.open), None, None
    return message(key, missing=fresh.missing, elsewhere=fresh.missing_elsewhere), None, None


def _names(names: Iterable[str]) -> Listing:
    return Listing(tuple(map(Name, names)), "values.semicolon")


def _p(value: float) -> Number:
    return Number(value, Kind.P_VALUE)
