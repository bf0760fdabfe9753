"""Find the slices of a DataFrame where the proxy errs more than elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from proxy.errors import InputError, UsageError
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import DECIDED, SampledItem, weight_of
from proxy.evaluation.slices import (
    LEVEL,
    VERDICT_OF,
    DecidedLabels,
    Examined,
    Mistake,
    Parted,
    Share,
    SideWeight,
    Slice,
    SliceFinding,
    SliceLabels,
    assisted,
    examine,
    is_truth,
    is_turnable,
)
from proxy.frames import checks
from proxy.frames.labelled_rows import Design, LabelledRows
from proxy.frames.result import LONG_RUN, Result, frame_of
from proxy.records import Judgement, Verdict
from proxy.rule import DEFAULT_EXPRESSION, Rule
from proxy.text.numbers import percent

if TYPE_CHECKING:
    import pandas as pd

SEED = 0
ONE_VALUE = "it has one value on every drawn row"
TRUTH = "it tells right from wrong by itself, as if it were the label"
MISTAKE_WORDS = {Mistake.WRONG_PASS: "wrong among passed", Mistake.RIGHT_FAIL: "right among failed"}
COLUMNS = (
    "field",
    "value",
    "mistake",
    "n",
    "errors",
    "share",
    "low",
    "high",
    "elsewhere",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",
    "adjusted_p",
    "is_worse",
    "could_turn",
)

Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, repr=False)
class SliceSearch(Result):
    """The slices in which the proxy errs more than elsewhere.

    Attributes
    ----------
    rule : Rule
        The rule whose mistakes were looked for.
    labels : Mapping
        Labels right or wrong by verdict.
    examined : Examined
        Every tested slice, the smallest adjusted p first, those with too few labels, and what could be detected.
    turnable : tuple of SliceFinding
        Slices shown to be worse that drawn answers without a right or wrong could turn.
    left_out : Mapping
        Columns that were not searched, with the reason.
    """

    ENDS: ClassVar[str] = LONG_RUN

    rule: Rule
    labels: Mapping[Verdict, int]
    examined: Examined
    turnable: tuple[SliceFinding, ...]
    left_out: Mapping[str, str]

    @property
    def worse(self) -> tuple[SliceFinding, ...]:
        """The slices that are shown to be worse than the rest."""
        return tuple(self.examined.worse)

    def facts(self) -> Mapping[str, str | None]:
        """Return the slices that are shown to be worse, what could be detected, and what was left out."""
        worse = [f"{MISTAKE_WORDS[finding.mistake]} in {finding.slice.name}" for finding in self.worse]
        power = {
            f"detectable, {MISTAKE_WORDS[power.mistake]}": (
                f"{percent(power.share)} in a fifth of the labels, where {percent(power.base)} is usual"
                if power.share is not None
                else f"nothing with {power.labels:,} labels"
            )
            for power in self.examined.power
        }
        return {
            "rule": self.rule.expression,
            "tests": f"{len(self.examined.tested):,}, worse where the adjusted p is at most {self.examined.level:g}",
            "worse than elsewhere": "; ".join(worse) or "none shown",
            **power,
            **{f"{field}, left out": reason for field, reason in self.left_out.items()},
        }

    def to_dict(self) -> dict[str, object]:
        """Return the search as plain values, under the keys of `assay slices --json`."""
        return {
            "rule": self.rule.expression,
            "level": self.examined.level,
            "labels": {verdict.value: count for verdict, count in self.labels.items()},
            "tests": len(self.examined.tested),
            "worse": [_finding_dict(finding) for finding in self.worse],
            "could_turn": [finding.slice.name for finding in self.turnable],
            "tested": [_finding_dict(finding) for finding in self.examined.tested],
            "untested": [
                {
                    **_slice_dict(untested.slice),
                    "mistake": untested.mistake.value,
                    "n": untested.n,
                    "missing": untested.missing,
                    "missing_elsewhere": untested.missing_elsewhere,
                }
                for untested in self.examined.untested
            ],
            "left_out": [{"field": field, "reason": reason} for field, reason in self.left_out.items()],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a slice and mistake, the smallest adjusted p first; those with too few labels have no p."""
        tested = [self._row(finding) for finding in self.examined.tested]
        untested = [
            {
                "field": untested.slice.field,
                "value": untested.slice.value,
                "mistake": untested.mistake.value,
                "n": untested.n,
                "is_worse": False,
                "could_turn": False,
            }
            for untested in self.examined.untested
        ]
        return frame_of([*tested, *untested], COLUMNS)

    def _row(self, finding: SliceFinding) -> dict[str, object]:
        here, difference = finding.here, finding.difference
        return {
            "field": finding.slice.field,
            "value": finding.slice.value,
            "mistake": finding.mistake.value,
            "n": here.n,
            "errors": here.errors,
            "share": here.estimate,
            "low": here.interval.low,
            "high": here.interval.high,
            "elsewhere": finding.elsewhere.estimate,
            "difference": difference.estimate,
            "difference_low": difference.low,
            "difference_high": difference.high,
            "p_value": finding.p_value,
            "adjusted_p": finding.adjusted_p,
            "is_worse": finding in self.worse,
            "could_turn": finding in self.turnable,
        }


def find_slices(
    frame: pd.DataFrame,
    *,
    by: Sequence[str],
    rule: str | Rule = DEFAULT_EXPRESSION,
    label: str = "label",
    design: Design | None = None,
    level: float = LEVEL,
) -> SliceSearch:
    """Find the slices where the proxy errs more than elsewhere, adjusted for all that were tested.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row an answer: the scores in [0, 1] of the rule's judges, the labels, and the columns of `by`.
    by : sequence of str
        Columns of categories, such as a language or a product; each value is a slice. A missing value lies in no slice. Cut
        numbers into ranges first, with `pandas.cut`.
    rule : str or Rule
        The rule whose passes that are wrong, and fails that are right, are looked for.
    label : str
        Column of right, wrong, unsure (or True and False); missing where nobody judged the answer.
    design : Design, optional
        How the labelled rows were chosen; needed where some rows have no label.
    level : float
        The adjusted p up to which a slice is reported, between 0 and 1.

    Returns
    -------
    SliceSearch
        Every tested slice with its share of mistakes, that elsewhere, and the adjusted p.

    Raises
    ------
    InputError
        For a frame or a design that cannot be measured; the message names the column and the row.
    UsageError
        For a `by` that is no list of columns, and a level out of its range.
    RuleError
        For a rule that cannot be read.

    Notes
    -----
    Shares and differences are estimated with what all scores predict of the unlabelled rows, where the frame holds all traffic;
    the tests read the labels alone.

    One-sided permutation tests with clusters moved as a whole. Adjusted by weighted Benjamini-Hochberg (Genovese, Roeder and
    Wasserman 2006, Biometrika 93:509) and never below the share of shuffles in which the least p is as small (Westfall and Young
    1993): where no slice is worse, at most `level` of searches report one. A slice is worse only where the interval of its
    difference is above 0 as well, with the confidence 1 - level R / m for R of m tests (Benjamini and Yekutieli 2005, JASA
    100:71). The fields have to be chosen before the labels are
    looked at, and a slice that was found is confirmed only by fresh labels.
    """
    checks.between(level, "level")
    if isinstance(by, str) or not by:
        raise UsageError("by is a list of columns that cut the traffic into slices: by=['language']")
    if label in by:
        raise InputError(f"column {label!r} is the label: slices by it would explain every mistake")
    rows = LabelledRows.of(checks.checked(frame), rule, label, design)
    whole = rows.evidence(as_drawn=False)
    every = {name: checks.categories(frame, name, "a slice") for name in dict.fromkeys(by)}
    fields = {name: list(compress(values, rows.drawn)) for name, values in every.items()}
    sample = [item for item in whole.sample if item.judgement in DECIDED]
    is_decided = np.array([item.judgement in DECIDED for item in whole.sample], dtype=np.bool_)
    left_out = {
        name: reason
        for name, values in fields.items()
        if (reason := _reason_to_leave_out(list(compress(values, is_decided)), sample, values))
    }
    members = [
        (Slice(field=name, value=value, is_searched=False, is_subject=True), np.array([own == value for own in values]))
        for name, values in fields.items()
        if name not in left_out
        for value in sorted({value for value in values if value is not None})
    ]
    labels_by_mistake = [_labels(mistake, sample, whole) for mistake in Mistake]
    masks = [_of_verdict(sample, VERDICT_OF[mistake]) for mistake in Mistake]
    parts = [
        SliceLabels(slice=part, members=tuple(inside[is_decided][mask] for mask in masks)) for part, inside in members
    ]
    examined = examine(labels_by_mistake, parts, np.random.default_rng(SEED), level)
    if rows.predictor is not None:

        def parted(part: Slice) -> Parted:
            mask = np.array([value == part.value for value in every[part.field]], dtype=np.bool_)
            return Parted(rows.evidence_within(mask, whole), rows.evidence_within(~mask, whole))

        examined = assisted(examined, parted)
    inside = dict(members)
    return SliceSearch(
        rule=rows.rule,
        labels={verdict: int(_of_verdict(sample, verdict).sum()) for verdict in Verdict},
        examined=examined,
        turnable=tuple(
            finding for finding in examined.worse if _can_turn(finding, inside[finding.slice], is_decided, whole)
        ),
        left_out=left_out,
    )


def _reason_to_leave_out(
    values: Sequence[str | None], sample: Sequence[SampledItem], of_drawn: Sequence[str | None]
) -> str | None:
    """Say why a column is not searched; None where it is. `values` are those of the decided `sample`."""
    if len(set(of_drawn)) < 2:
        return ONE_VALUE
    kept = [
        (item.judgement is Judgement.RIGHT, item.verdict is Verdict.PASS, value)
        for item, value in zip(sample, values, strict=True)
        if value is not None and item.verdict is not Verdict.UNSCORED
    ]
    if not kept:
        return None
    right, passes, names = zip(*kept, strict=True)
    return TRUTH if is_truth(np.array(right), np.array(passes), names) else None


def _of_verdict(sample: Sequence[SampledItem], verdict: Verdict) -> Mask:
    return np.array([item.verdict is verdict for item in sample], dtype=np.bool_)


def _labels(mistake: Mistake, sample: Sequence[SampledItem], whole: Evidence) -> DecidedLabels:
    """Return the decided labels of the side where this mistake is made."""
    mask = _of_verdict(sample, VERDICT_OF[mistake])
    is_returned_decided = np.array([item.judgement in DECIDED for item in whole.returned], dtype=np.bool_)
    draws = whole.arrays.only(is_returned_decided).only(mask)
    is_right = draws.right > 0
    return DecidedLabels(
        mistake=mistake,
        is_error=is_right if mistake is Mistake.RIGHT_FAIL else ~is_right,
        weight=draws.weight,
        cluster=draws.cluster,
        question=draws.question,
    )


def _can_turn(finding: SliceFinding, inside: Mask, is_decided: Mask, whole: Evidence) -> bool:
    """Return whether drawn answers without a right or wrong could turn a finding."""
    on_side = np.array([item.verdict is VERDICT_OF[finding.mistake] and any(item.chances) for item in whole.sample])
    weights = np.array([weight_of(item.chances, item.own)[0] if any(item.chances) else 0.0 for item in whole.sample])
    missing, labelled = (
        SideWeight(
            here=float(weights[on_side & kept & inside].sum()), elsewhere=float(weights[on_side & kept & ~inside].sum())
        )
        for kept in (~is_decided, is_decided)
    )
    return is_turnable(finding, missing, labelled)


def _slice_dict(part: Slice) -> dict[str, object]:
    return {"slice": part.name, "field": part.field, "value": part.value}


def _finding_dict(finding: SliceFinding) -> dict[str, object]:
    here, elsewhere = (_share_dict(share) for share in (finding.here, finding.elsewhere))
    return {
        **_slice_dict(finding.slice),
        "mistake": finding.mistake.value,
        "here": here,
        "elsewhere": elsewhere,
        "difference": finding.difference._asdict(),
        "p_value": finding.p_value,
        "adjusted_p": finding.adjusted_p,
        "same_labels": [twin.name for twin in finding.twins],
    }


def _share_dict(share: Share) -> dict[str, object]:
    values = {"estimate": share.estimate, "low": share.interval.low, "high": share.interval.high}
    counts: dict[str, object] = {**values, "n": share.n, "errors": share.errors, "method": share.method}
    if share.long_run:
        counts["long_run"] = share.long_run._asdict()
    if share.predictor:
        counts["predictor"] = share.predictor.signature
    return counts
