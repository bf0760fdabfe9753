"""What a calibrated rule is guaranteed to keep, and from what: the record that is stored beside the rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Guarantee:
    """P(right | value >= threshold) >= precision, at this confidence.

    `n` labels that the test counted lie at or above the threshold, `errors` of them wrong; `p_value` is that of the last test
    that passed. `labels` came from the questions that chose the threshold, in waves up to `last_wave`; they score nothing else.
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
