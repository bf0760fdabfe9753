"""Hold one measured quantity, and make one of a stratified proportion."""

from __future__ import annotations

from dataclasses import dataclass, replace

from proxy.evaluation.predictor import PredictorSource
from proxy.stats.intervals import Interval, with_unknown
from proxy.stats.sampling.survey import Proportion

STRATIFIED = "weighted by design, Wilson at the effective sample size"
# Quantities that are no share.
COEFFICIENTS = frozenset({"kappa", "f1", "mcc", "ac1", "auroc"})
NO_LONG_RUN = "not measurable in the long run"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Estimate:
    """A measured quantity: for this window, and beside it the interval for the long-run rate.

    `estimate` None means that the design cannot identify it; `reason` says why and what to label. `low` and `high` may
    still be known: bounds that hold whatever the unlabelled items are.

    Attributes
    ----------
    estimate
        The value, in the unit of the quantity: most are shares in [0, 1], kappa and mcc lie in [-1, 1].
    low, high
        Ends of the 95 % interval for this window of traffic.
    n
        How many labels it rests on, or items where it needs no label.
    method
        How the interval was made, in words.
    reason
        Why something is not measurable, in words.
    long_run
        The 95 % interval for the rate behind this window; None where it is not measurable.
    predictor
        What predicted the answers that nobody has labelled: the rule's value, and the judges that it names. None where
        nothing did: without labels, without an interval, or in a frame of drawn rows alone.
    """

    estimate: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    method: str = ""
    reason: str | None = None
    long_run: Interval | None = None
    predictor: PredictorSource | None = None

    def __repr__(self) -> str:
        """Write the numbers in brief: `Estimate(0.73, low 0.70, high 0.76, n=350)`."""
        if self.estimate is None:
            return f"Estimate(None, n={self.n}, reason={str(self.reason)!r})"
        ends = "" if self.low is None or self.high is None else f", low {self.low:.4g}, high {self.high:.4g}"
        return f"Estimate({self.estimate:.4g}{ends}, n={self.n})"

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval for this window is on one side of 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    def leaning_on(self, predictor: PredictorSource | None) -> Estimate:
        """Return the quantity with what predicted the unlabelled answers; without an interval as it is.

        Parameters
        ----------
        predictor : PredictorSource or None
            None where nothing predicted them.

        Returns
        -------
        Estimate
            The same numbers.
        """
        return self if self.low is None else replace(self, predictor=predictor)

    def complement(self) -> Estimate:
        """Return 1 minus the quantity.

        Returns
        -------
        Estimate
            The same labels and method, with the ends of both intervals exchanged; bounds without an estimate, too.
        """
        return replace(
            self,
            estimate=None if self.estimate is None else 1 - self.estimate,
            low=None if self.high is None else 1 - self.high,
            high=None if self.low is None else 1 - self.low,
            long_run=self.long_run and Interval(1 - self.long_run.high, 1 - self.long_run.low),
        )

    def times(self, factor: float) -> Estimate:
        """Return the quantity in a smaller unit, such as of 1,000.

        Parameters
        ----------
        factor : float
            How many of the new unit make one of the old, positive.

        Returns
        -------
        Estimate
            The same labels and method, with the value and all ends multiplied.
        """
        estimate, low, high = (
            None if value is None else factor * value for value in (self.estimate, self.low, self.high)
        )
        long_run = self.long_run and Interval(factor * self.long_run.low, factor * self.long_run.high)
        return replace(self, estimate=estimate, low=low, high=high, long_run=long_run)


def as_dict(quantity: Estimate) -> dict[str, object]:
    """Return the quantity as plain values, in the one shape that it has in every JSON."""
    fields: dict[str, object] = {name: getattr(quantity, name) for name in ("estimate", "low", "high", "n", "method")}
    if quantity.reason:
        fields["reason"] = quantity.reason
    if quantity.long_run:
        fields["long_run"] = quantity.long_run._asdict()
    if quantity.predictor:
        fields["predictor"] = quantity.predictor.signature
    return fields


def of_proportion(proportion: Proportion) -> Estimate:
    """Make an estimate of a proportion, with intervals for this window and, groups counted once, for the long run."""
    window = proportion.window()
    return Estimate(
        estimate=proportion.p,
        low=window.low,
        high=window.high,
        n=proportion.n,
        method=STRATIFIED,
        reason=proportion.whole.no_long_run,
        long_run=proportion.long_run(),
    )


def as_long_run(estimate: Estimate) -> Estimate:
    """Return the same quantity for the long-run rate alone."""
    if estimate.long_run is None:
        return replace(estimate, estimate=None, low=None, high=None, reason=estimate.reason or NO_LONG_RUN)
    low, high = estimate.long_run
    return replace(estimate, low=low, high=high, method=estimate.method + ", groups counted once", long_run=None)


def for_comparison(estimate: Estimate) -> Estimate:
    """Return the quantity to set beside others: for this window, or for the long run where the window's interval has no width.

    A census leaves nothing open for its own window; whether another rule would do better on traffic like it is still open.
    """
    if estimate.low is None or estimate.high is None or estimate.long_run is None or has_width(estimate):
        return estimate
    return as_long_run(estimate)


def has_width(estimate: Estimate) -> bool:
    """Return whether the ends for this window differ by more than the last digits of a float."""
    low, high = estimate.low or 0.0, estimate.high or 0.0
    return high - low > 1e-9 * max(1.0, abs(low), abs(high))


def bounds(known: Proportion, unknown_share: float, reason: str) -> Estimate:
    """Compute what holds whether the share that nobody labelled is all wrong or all right."""
    window = with_unknown(known.window(), unknown_share)
    behind = known.long_run()
    return Estimate(
        estimate=None,
        low=window.low,
        high=window.high,
        n=known.n,
        method="bounds: the unlabelled strata all wrong, or all right",
        reason=reason if behind else f"{reason}; {known.whole.no_long_run}",
        long_run=behind and with_unknown(behind, unknown_share),
    )
