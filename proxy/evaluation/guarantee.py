"""Record what a calibrated rule is guaranteed to keep, and from which labels; stored beside the rule."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.stats.calibration.threshold_tests import Claim


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """The evidence for one claim: `n` labels at or above the threshold, `errors` not shown to be right, and the p-value.

    `clusters` is the effective number of questions, or groups, behind them where labels share any; None where each stands alone.
    """

    claim: Claim
    n: int
    errors: int
    p_value: float
    clusters: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Guarantee:
    """P(right | value >= threshold) >= precision, at this confidence, for each of the claims that were shown.

    `n` labels that the test counted lie at or above the threshold, `errors` of them not shown to be right; `p_value` is that of
    the strongest claim. `labels` chose the threshold, in waves up to `last_wave`; they score nothing else. A record without
    `claims` is of a version that tested answers as if they were drawn one by one, whatever repeats; `repeats` says that its
    labels share questions or groups, so that it is void.
    """

    precision: float
    confidence: float
    threshold: float
    n: int
    errors: int
    p_value: float
    labels: int
    last_wave: int
    at: str
    claims: tuple[Proof, ...] = ()
    repeats: bool = False

    @property
    def is_void(self) -> bool:
        """Whether nothing may be claimed: tested one by one, although labels share questions or groups."""
        return not self.claims and self.repeats
