"""Choose a threshold with a guarantee from the labels of a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from proxy.errors import UsageError
from proxy.evaluation.choosers import ValuedDraw, split
from proxy.evaluation.guarantee import Proof
from proxy.evaluation.threshold import ScoredTraffic, ThresholdChoice, calibrated, choose, value_of
from proxy.frames import checks
from proxy.frames.labelled_rows import Design, LabelledRows
from proxy.frames.result import Result, frame_of
from proxy.rule import DEFAULT_EXPRESSION, Rule
from proxy.stats.calibration.threshold_tests import Claim
from proxy.text.numbers import Kind, percent, written

if TYPE_CHECKING:
    import pandas as pd

CLAIM_WORDS = {Claim.WINDOW: "this window", Claim.LONG_RUN: "long run"}
NO_VALUE = "no row has a value of the rule: a judge that it reads gave no score"
COLUMNS = (
    "threshold",
    "labels",
    "wrong",
    "tested",
    "tested_wrong",
    "undecided",
    "error_rate",
    "p_window",
    "p_long_run",
    "clusters",
    "is_certified",
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Calibration(Result):
    """The lowest threshold that is certified to keep a precision, or why there is none.

    Attributes
    ----------
    measured : Rule
        The rule whose value was given a threshold.
    precision, confidence : float
        What the threshold is asked to keep, and how sure the guarantee is.
    choice : ThresholdChoice or None
        All tests that were made; None where no row has a value.
    labels : int
        Rows with a value that are labelled right or wrong.
    chose : tuple
        Index labels of the rows that helped to choose. They score nothing: leave their labels out when you measure the rule.
    undecided : int
        Rows among them that are unsure or came back without a label; they count as wrong.
    """

    measured: Rule
    precision: float
    confidence: float
    choice: ThresholdChoice | None
    labels: int
    chose: tuple[object, ...]
    undecided: int

    @property
    def threshold(self) -> float | None:
        """The lowest certified threshold: answers whose value is at least this pass. None where none is certified."""
        return self.choice.certified.threshold if self.choice else None

    @property
    def reason(self) -> str | None:
        """Why there is no threshold."""
        return self.choice.certified.reason if self.choice else NO_VALUE

    @property
    def rule(self) -> Rule | None:
        """The rule with the certified threshold, ready for `proxy.measure`."""
        if self.threshold is None:
            return None
        return replace(self.measured, expression=calibrated(self.measured, self.threshold), is_calibrated=True)

    @property
    def guarantees(self) -> tuple[Proof, ...]:
        """The evidence for each claim that holds at the threshold: this window, and the long run behind it."""
        return self.choice.proofs() if self.choice else ()

    @property
    def coverage(self) -> float | None:
        """The share of rows with a value that pass at the threshold."""
        return self.choice.coverage if self.choice else None

    def facts(self) -> Mapping[str, str | None]:
        """Return the threshold with its guarantees, or why there is none, and what chose it."""
        choice = self.choice
        return {
            "value": value_of(self.measured),
            "asked": f"at least {percent(self.precision)} right among passed answers, at {percent(self.confidence)} confidence",
            "threshold": written(self.threshold, Kind.THRESHOLD),
            "passing": None if self.coverage is None else f"{percent(self.coverage)} of the scored answers",
            **({name: self._claim_words(claim, choice) for claim, name in CLAIM_WORDS.items()} if choice else {}),
            "chosen by": f"{len(self.chose):,} drawn rows; {self.undecided:,} of them have no right or wrong, and count as wrong",
            "reason": self.reason,
        }

    def _claim_words(self, claim: Claim, choice: ThresholdChoice) -> str:
        proof = next((proof for proof in self.guarantees if proof.claim is claim), None)
        if proof is None:
            other = choice.by_claim[claim]
            return f"not shown here: {other.reason or f'holds at {written(other.threshold, Kind.THRESHOLD)}'}"
        behind = "" if proof.clusters is None else f" of {written(proof.clusters, Kind.DIGITS)} effective clusters"
        p_value = written(proof.p_value, Kind.P_VALUE)
        return f"shown by {proof.n:,} labels{behind}, of which {proof.errors:,} count as wrong (p {p_value})"

    def to_dict(self) -> dict[str, object]:
        """Return the calibration as plain values, under the keys of `assay calibrate --json`."""
        rule, choice = self.rule, self.choice
        return {
            "precision": self.precision,
            "confidence": self.confidence,
            "value": value_of(self.measured),
            "labels": self.labels,
            "chose": len(self.chose) - self.undecided,
            "undecided": self.undecided,
            "threshold": self.threshold,
            "reason": self.reason,
            "coverage": self.coverage,
            "claims": {
                claim.value: {
                    "holds": claim in choice.claims,
                    "threshold": certified.threshold,
                    "p_value": certified.p_value,
                    "n": certified.n,
                    "errors": certified.errors,
                    "clusters": certified.clusters,
                    "clusters_needed": certified.needed,
                    "reason": certified.reason,
                }
                for claim, certified in choice.by_claim.items()
            }
            if choice
            else {},
            "rule": {"expression": rule.expression} if rule else None,
            "thresholds": [step._asdict() for step in choice.steps] if choice else [],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a tested threshold, strictest first.

        `labels` and `wrong` count the labels at or above it, `tested` and `tested_wrong` those of equal chance that the test of
        the window counts, `undecided` those of these without a right or wrong; then the error rate, the p-value of either claim,
        the effective number of clusters, and whether the walk certified it.
        """
        steps = self.choice.steps if self.choice else ()
        lowest = self.threshold
        return frame_of(
            [
                {
                    "threshold": step.threshold,
                    "labels": step.labels,
                    "wrong": step.wrong,
                    "tested": step.n,
                    "tested_wrong": step.errors,
                    "undecided": step.undecided,
                    "error_rate": step.rate,
                    "p_window": step.window,
                    "p_long_run": step.long_run,
                    "clusters": step.clusters,
                    "is_certified": lowest is not None and step.threshold >= lowest,
                }
                for step in steps
            ],
            COLUMNS,
        )


def calibrate(
    frame: pd.DataFrame,
    *,
    rule: str | Rule = DEFAULT_EXPRESSION,
    precision: float = 0.9,
    confidence: float = 0.9,
    label: str = "label",
    design: Design | None = None,
    share: float = 0.5,
    seed: int = 0,
    claim: str | None = None,
) -> Calibration:
    """Find the lowest threshold of a rule's value that is certified to keep a precision.

    Parameters
    ----------
    frame : pandas.DataFrame
        All traffic, one row an answer, labelled or not: the scores in [0, 1] of the rule's judges, and the labels.
    rule : str or Rule
        The rule; the number at its right does not matter here.
    precision : float
        The least share of right answers among passed ones, between 0 and 1.
    confidence : float
        How sure the guarantee is, between 0 and 1: a false one is given in at most 1 - confidence of such calibrations.
    label : str
        Column of right, wrong, unsure (or True and False); missing where nobody judged the answer.
    design : Design, optional
        How the labelled rows were chosen; needed where some rows have no label.
    share : float
        The share of the drawn rows that choose, in (0, 1]; the others are left to score the rule.
    seed : int
        Decides which rows choose. To try several and keep the best breaks the guarantee.
    claim : str, optional
        ``"window"`` or ``"long-run"``: the guarantee that the threshold must have. Without it the strongest that is shown.

    Returns
    -------
    Calibration
        The threshold with its guarantees, or why there is none; ``to_frame()`` has the curve over all tested thresholds.

    Raises
    ------
    InputError
        For a frame or a design that cannot be measured; the message names the column and the row.
    UsageError
        For an argument out of its range.
    RuleError
        For a rule that cannot be read.

    Notes
    -----
    Tests H0: P(right | value >= t) < precision at up to 20 thresholds, strictest first, and stops at the first that is not
    rejected. What is unsure or unanswered counts as wrong. Angelopoulos, Bates, Candes, Jordan and Lei (2021), Learn then Test,
    arXiv 2110.01052.
    """
    checks.between(precision, "precision")
    checks.between(confidence, "confidence")
    checks.between(share, "share", ends="high")
    asked = _claim(claim)
    rows = LabelledRows.of(checks.checked(frame), rule, label, design)
    rows.check_whole("calibrate")
    drawn = rows.evidence(as_drawn=True)
    chances = rows.chance_of_all(drawn.drawings)
    draws = [
        ValuedDraw(rows.ids[place], item, float(rows.rule_values[place]), float(chances[place]))
        for place, item in zip(np.flatnonzero(rows.drawn), drawn.sample, strict=True)
    ]
    parts = split(draws, drawn.drawings, share, seed)
    scored = ~np.isnan(rows.rule_values)
    reached = {drawing.stratum for drawing in drawn.drawings if drawing.drawn}
    traffic = ScoredTraffic(
        values=rows.rule_values[scored],
        chances=chances[scored],
        is_framed=np.ones(int(scored.sum()), dtype=np.bool_),
        is_reachable=np.array([stratum in reached for stratum in compress(rows.strata, scored)], dtype=np.bool_),
    )
    index = [rows.index[place] for place in np.flatnonzero(rows.drawn)]
    return Calibration(
        measured=rows.rule,
        precision=precision,
        confidence=confidence,
        choice=choose(parts.labels, traffic, precision=precision, confidence=confidence, asked=asked)
        if scored.any()
        else None,
        labels=parts.decided,
        chose=tuple(compress(index, parts.chooses)),
        undecided=sum(parts.chooses) - parts.chose,
    )


def _claim(name: str | None) -> Claim | None:
    try:
        return None if name is None else Claim(name.replace("-", "_"))
    except (ValueError, AttributeError) as error:
        raise UsageError(f"claim is 'window' or 'long-run', not {checks.shown(name)}") from error
