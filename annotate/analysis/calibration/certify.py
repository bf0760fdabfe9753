"""Find a threshold with a guarantee from the store's labels.

The draws that choose a threshold (`annotate.analysis.calibration.choosers`) never score the rule that has it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from annotate.analysis.calibration import choosers
from annotate.analysis.calibration.choosers import LabelUse
from annotate.analysis.evidence_ledger import evidence_ledger
from annotate.analysis.rule_in_force import Unscored, rule_in_force, why_unscored
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.store import Store
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.guarantee import Guarantee
from proxy.evaluation.threshold import ThresholdChoice, calibrated, choose, value_of
from proxy.rule import Rule
from proxy.stats.calibration.threshold import CertifiedThreshold
from proxy.stats.calibration.threshold_tests import Claim, fewest_labels

WHAT = "calibrate"
NO_LABELS = LabelUse()


@dataclass(frozen=True, kw_only=True, slots=True)
class GuaranteeRequest:
    """The request for a threshold: what it must keep, and the share of the draws that choose it.

    `claim` is the guarantee that it must have; None: the strongest that is shown, the long run before this window.
    """

    precision: float
    confidence: float = 0.9
    share: float = 0.5
    seed: int = 0
    claim: Claim | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibrated:
    """The result: the rule before and, if one was found, the rule with the new threshold and what that is guaranteed to keep.

    `objection` is what forbids any guarantee, and nothing was looked for then.
    `labels` annotators called right or wrong on scored items, `chose` of them helped to choose, and so did `undecided` draws that
    nobody could judge or answered yet, as if they were wrong. `open` draws wait for a label, `left` items were never drawn,
    and `looks` earlier tries by other labels found none. `known_before` labels were known before anyone set the rule's value.
    `standing` is what the rule before is guaranteed, `unscored` why no item has a value, `draws` the keys of the draws that
    helped to choose, `is_saved` whether the threshold was put in force. `use` says which labels of drawn answers are not among
    `labels`, and why. `exact` is pass precision of the rule in force in this window where every answer is labelled, else None.
    """

    request: GuaranteeRequest
    before: Rule
    choice: ThresholdChoice | None
    labels: int
    chose: int
    undecided: int
    open: int
    left: int
    looks: int
    known_before: int = 0
    unscored: Unscored | None = None
    standing: Guarantee | None = None
    rule: Rule | None = None
    guarantee: Guarantee | None = None
    is_saved: bool = False
    objection: Objection | None = None
    draws: frozenset[int] = frozenset()
    use: LabelUse = NO_LABELS
    exact: Estimate | None = None

    @property
    def keeps_window(self) -> bool:
        """Whether the rule in force is known, not estimated, to keep the precision in this window."""
        return self.exact is not None and (self.exact.estimate or 0.0) >= self.request.precision

    @property
    def scoring(self) -> int:
        """The number of labels that did not choose, and so score the rule."""
        return self.labels - self.chose

    @property
    def is_look(self) -> bool:
        """Whether labels were looked at and nothing was found: whoever looks again and again finds something in the end."""
        if self.choice is None or self.choice.certified.threshold is not None or not self.chose:
            return False
        return any(step.window is not None for step in self.choice.steps)

    @property
    def stands(self) -> bool:
        """Whether the threshold that was found is in force already, with the same guarantee by the same labels."""
        if self.guarantee is None or self.standing is None or self.rule is None:
            return False
        is_same = replace(self.guarantee, at=self.standing.at) == self.standing
        return is_same and self.rule.expression == self.before.expression

    @property
    def all_pass(self) -> bool:
        """Whether even the lowest threshold keeps the precision, so that none is needed."""
        return self.choice is not None and self.choice.coverage == 1.0

    @property
    def waits(self) -> bool:
        """Whether draws without an answer, which count as wrong, may be why nothing was found."""
        return bool(self.open and self.undecided) and self.guarantee is None

    @property
    def draws_needed(self) -> int | None:
        """The draws, in tens, that bring the labels that are needed, at the rate of those so far; None where none would."""
        need = self.choice.need if self.choice else None
        return 10 * math.ceil(need.more * self.labels / need.n / 10) if need else None

    @property
    def fewest(self) -> int:
        """The number of labels below which not even labels without an error show the precision."""
        return fewest_labels(1 - self.request.precision, 1 - self.request.confidence)

    @property
    def has_few(self) -> bool:
        """Whether the labels could not have shown a bad value to be bad."""
        return max((step.n for step in self.choice.steps), default=0) < self.fewest if self.choice else True

    def proved(self, certified: CertifiedThreshold) -> float | None:
        """Return what the labels would prove of endless traffic; None where that is less than they prove of this window."""
        low = certified.precision_low
        return low if low is not None and low >= self.request.precision else None


def calibrate(store: Store, request: GuaranteeRequest, *, now: str) -> Calibrated:
    """Look for the lowest certified threshold; nothing is put in force (`annotate.workflow.judging.threshold`).

    Parameters
    ----------
    store
        Read only.
    request
        What the threshold is asked to keep.
    now
        The time that the guarantee carries, ISO 8601 in UTC.

    Returns
    -------
    Calibrated
        What was found, or the objection that forbids any guarantee.
    """
    key, rule = rule_in_force(store)
    ledger = evidence_ledger(store, key, rule)
    if objections := ledger.against():
        return _refused(store, request, key, rule, objections[0])
    with store.snapshot():
        sample = choosers.sample(store, key, rule, request.share, request.seed)
        has_values = len(sample.traffic.values) > 0
        choice = (
            choose(
                sample.labels,
                sample.traffic,
                precision=request.precision,
                confidence=request.confidence,
                asked=request.claim,
            )
            if has_values
            else None
        )
        progress = store.sampling.waves.progress()
        result = Calibrated(
            request=request,
            before=rule,
            choice=choice,
            labels=sample.decided,
            chose=sample.chose,
            undecided=len(sample.draws) - sample.chose,
            open=progress.open,
            left=store.traffic.items.count() - progress.drawn,
            unscored=None if has_values else why_unscored(store, rule),
            looks=_looks(store, rule, request, sample.chose),
            known_before=_known_before(store, rule),
            standing=store.scores.guarantees.of(key),
            draws=sample.draws,
            use=sample.use,
            exact=_exact(ledger.among, progress, store.traffic.items.count()),
        )
    if choice is None or choice.certified.threshold is None or result.all_pass:
        return result
    return _certified(result, choice, store.sampling.ledger.last_counted(), now)


def _exact(measured: AgreementReport, progress: DrawProgress, items: int) -> Estimate | None:
    """Return pass precision where every answer of this window is drawn and called right or wrong, so that it has no width."""
    precision = measured.pass_precision
    is_whole = progress.right + progress.wrong >= items and precision.low is not None
    return precision if is_whole and precision.low == precision.high else None


def _known_before(store: Store, rule: Rule) -> int:
    """Count the labels that were known before a rule with this value was set first; 0 for the first rule and the default."""
    value = value_of(rule)
    for place, (version, at, _) in enumerate(store.scores.rules.history()):
        if value_of(version) == value:
            is_given = not place or version.is_default
            return 0 if is_given else store.labels.known_before(at)
    return 0


def _refused(store: Store, request: GuaranteeRequest, key: int, rule: Rule, objection: Objection) -> Calibrated:
    """Return a result without a guarantee: the labels cannot carry any."""
    progress = store.sampling.waves.progress()
    return Calibrated(
        request=request,
        before=rule,
        choice=None,
        labels=progress.right + progress.wrong,
        chose=0,
        undecided=0,
        open=progress.open,
        left=store.traffic.items.count() - progress.drawn,
        looks=0,
        standing=store.scores.guarantees.of(key),
        objection=objection,
        use=LabelUse(answered=progress.labelled, unsure=progress.unsure),
    )


def _looks(store: Store, rule: Rule, request: GuaranteeRequest, chose: int) -> int:
    """Count the tries by other labels, fewer or of other questions, for a threshold of this value that found none."""
    value, seen = value_of(rule), set[tuple[object, ...]]()
    for event in store.audit.events.all():
        detail = event.read() if event.what == WHAT else None
        if isinstance(detail, dict) and detail.get("value") == value and detail.get("threshold") is None:
            seen.add(tuple(detail.get(name) for name in ("labels", "share", "seed")))
    return len(seen - {(chose, request.share, request.seed)})


def _certified(result: Calibrated, choice: ThresholdChoice, last: int, now: str) -> Calibrated:
    """Add the rule and the guarantee that the certified threshold gives."""
    certified = choice.certified
    if certified.threshold is None or certified.p_value is None:
        return result
    rule = replace(result.before, expression=calibrated(result.before, certified.threshold), is_calibrated=True)
    guarantee = Guarantee(
        precision=result.request.precision,
        confidence=result.request.confidence,
        threshold=certified.threshold,
        n=certified.n,
        errors=certified.errors,
        p_value=certified.p_value,
        labels=result.chose,
        last_wave=last,
        at=now,
        claims=choice.proofs(),
    )
    return replace(result, rule=rule, guarantee=guarantee)
