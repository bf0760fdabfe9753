"""Parts of synthetic traffic: what a simulation tells of a system, a window or a slice, and what is true of it.

Waves that were drawn once are measured under any verdicts, so a part is what they give where all else is unscored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.planning.synthetic_waves import DrawnWaves, SyntheticTraffic, evidence_of
from proxy.evaluation.domains import Evidence
from proxy.evaluation.predictor import PredictorSource
from proxy.evaluation.rule_comparison import PAIRS, VerdictGroups
from proxy.evaluation.slices import Parted
from proxy.records import Verdict

Mask = NDArray[np.bool_]
SOURCE = PredictorSource(signature="made up", rule="s > 0.5", judges=(), labels=0)


def evidence_in(
    traffic: SyntheticTraffic, waves: DrawnWaves, inside: Mask, verdicts: NDArray[np.str_] | None = None
) -> Evidence:
    """Return the evidence on the items inside, with the verdicts that they have, or with those of another rule."""
    measured = np.where(inside, traffic.verdicts if verdicts is None else verdicts, Verdict.UNSCORED.value)
    return _part(replace(evidence_of(traffic, waves, measured), source=SOURCE), (Verdict.PASS, Verdict.FAIL))


def verdict_groups(traffic: SyntheticTraffic, waves: DrawnWaves, verdicts: NDArray[np.str_]) -> VerdictGroups:
    """Return the evidence by the verdict of the rule and that of another rule."""
    by_other = {
        verdict: evidence_in(traffic, waves, verdicts == verdict.value) for verdict in (Verdict.PASS, Verdict.FAIL)
    }
    return VerdictGroups(evidence={(own, verdict): _part(by_other[verdict], (own,)) for own, verdict in PAIRS})


def parted(traffic: SyntheticTraffic, waves: DrawnWaves, inside: Mask) -> Parted:
    """Return the evidence on the passed items inside and on those outside."""
    is_passed = traffic.verdicts == Verdict.PASS.value
    verdicts = np.where(is_passed & inside, Verdict.PASS.value, np.where(is_passed, Verdict.FAIL.value, "unscored"))
    whole = replace(evidence_of(traffic, waves, verdicts), source=SOURCE)
    return Parted(_part(whole, (Verdict.PASS,)), _part(whole, (Verdict.FAIL,), is_passed=True))


def _part(whole: Evidence, verdicts: Sequence[Verdict], *, is_passed: bool = False) -> Evidence:
    """Return the part with these verdicts, all as passes where they were coded so."""
    as_coded = {verdict: Verdict.PASS if is_passed else verdict for verdict in verdicts}
    kept = np.array([item.verdict in verdicts for item in whole.returned], dtype=np.bool_)
    return Evidence(
        totals=[total._replace(verdict=as_coded[total.verdict]) for total in whole.totals if total.verdict in as_coded],
        sample=[item._replace(verdict=as_coded[item.verdict]) for item in whole.sample if item.verdict in as_coded],
        drawings=whole.drawings,
        grouping=whole.grouping,
        columns=whole.arrays.only(kept),
        whole=whole,
    )
