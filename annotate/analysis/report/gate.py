"""Decide whether a release may go out, from serious harm, the trust verdict and the limits, with reasons where it may not.

The gate fails where more answers than allowed stand as seriously harmful, by their label or by an annotator's mark that nobody
has adjudicated, where the verdict on the proxy is not yes, and where a quantity is not shown to reach its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from annotate.domain.gate_limits import ReportLimits
from proxy.evaluation.estimate import COEFFICIENTS
from proxy.evaluation.evidence_ledger import EvidenceLedger
from proxy.evaluation.trust import Trust, TrustVerdict, percent
from proxy.planning.expected_width import QUANTITIES
from proxy.reason import Reason
from proxy.text.numbers import Kind, written

NOT_ADJUDICATED = (
    "{item}: an annotator marks serious harm and the label does not; adjudicate it (`assay labels disagreements`)"
)
UNMEASURED = "not measurable: label more drawn items"
START = "{quantity} must be shown to be at least {limit}, and "
SPAN = "{low} to {high} in the long run, n = {n}"
UNKNOWN = START + "is {reason}"
ONLY_BOUNDS = START + f"only bounds are known ({SPAN}); it is {{reason}}"
LESS = START + f"is less: {{value}} ({SPAN})"
MISSING = START + "{missing}: whatever those are, it is {low} to {high}"
OPEN = START + f"is {{value}} ({SPAN}); more labels narrow the interval"
NARROWED = OPEN + " (`assay plan --quantity {quantity}`)"
BASIS = f"{{share}} of passed answers are right ({SPAN}), the limit is {{limit}}"


class Gate(NamedTuple):
    """The reasons why the gate fails, one line each; none where it passes. `undecided` are those why it can do neither."""

    reasons: tuple[str, ...]
    undecided: tuple[str, ...] = ()

    @property
    def passed(self) -> bool | None:
        """Whether nothing speaks against it; None where it cannot be decided."""
        return None if self.undecided and not self.reasons else not self.reasons


def gate(
    harmful: Sequence[str],
    unadjudicated: Sequence[str],
    trust: TrustVerdict,
    evidence: EvidenceLedger,
    limits: ReportLimits,
) -> Gate:
    """Decide from the items labelled seriously harmful, those with an unadjudicated mark of it, the verdict, and limits."""
    reasons = list[str]()
    if len(harmful) + len(unadjudicated) > limits.serious_harm:
        reasons += [Reason("{item}: its label says serious harm", item=item_id) for item_id in harmful]
        reasons += [Reason(NOT_ADJUDICATED, item=item_id) for item_id in unadjudicated]
    if trust.status is not Trust.YES:
        reasons.append(_not_trusted(trust, evidence))
    for name, limit in limits.at_least.items():
        missed = _missed(name, evidence, limit)
        reasons += [missed] if missed else []
    return Gate(tuple(reasons))


def _not_trusted(trust: TrustVerdict, evidence: EvidenceLedger) -> str:
    """Say why the verdict is not yes, with the quantity that it rests on."""
    precision = evidence.spanned("pass_precision")
    if precision.estimate is None or precision.long_run is None:
        return Reason("no verdict on the proxy: {reason}", reason=trust.reason)
    show = partial(written, kind=Kind.SHARE, limit=trust.limit)
    low, high = map(show, precision.long_run)
    shares = {"share": show(precision.estimate), "low": low, "high": high, "limit": percent(trust.limit)}
    values: dict[str, str | int | None] = {**shares, "n": precision.n}
    start = "cannot be trusted" if trust.status is Trust.NO else "is not shown to be trusted"
    return Reason(f"the proxy {start}: {BASIS}", **values)


def _missed(name: str, evidence: EvidenceLedger, limit: float) -> str | None:
    """Say why a quantity is not shown to reach its limit; None where the low end of its long-run interval does.

    The interval is that over all cases of what is unsure or unanswered.
    """
    spanned, among = evidence.spanned(name), evidence.among_judged(name)
    show = partial(written, kind=Kind.COEFFICIENT if name in COEFFICIENTS else Kind.SHARE, limit=limit)
    values: dict[str, str | int | None] = {"quantity": name, "limit": show(limit)}
    if spanned.long_run is None:
        return Reason(UNKNOWN, **values, reason=spanned.reason or UNMEASURED)
    low, high = spanned.long_run
    if low >= limit:
        return None
    values |= {"low": show(low), "high": show(high), "n": spanned.n}
    if spanned.estimate is None:
        return Reason(ONLY_BOUNDS, **values, reason=spanned.reason)
    values["value"] = show(spanned.estimate)
    if high < limit:
        return Reason(LESS, **values)
    draws = evidence.counts(name)
    if draws.missing and among.long_run and (among.long_run.low >= limit or among.long_run.high < limit):
        return Reason(MISSING, **values, missing=draws.words())
    return Reason(NARROWED if name in QUANTITIES else OPEN, **values)
