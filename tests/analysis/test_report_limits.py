"""Limit by limit: what is listed as met is what the gate and the verdict let through, and nothing else."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from annotate.analysis.report.limits import ANNOTATORS, BEYOND_CHANCE, HARM, LimitCheck, LimitStatus, check_limits
from annotate.analysis.report.report import ProjectReport, build
from annotate.domain.gate_limits import ReportLimits
from annotate.store import Store
from support.gate import judged, says
from support.store import Assay

pytestmark = pytest.mark.slow

NOW = "2026-11-21T08:00:00.000Z"


def of(assay: Assay, limit: float = 0.9, **limits: Any) -> tuple[ProjectReport, dict[str, LimitCheck]]:
    wanted = ReportLimits(**limits)
    with closing(Store(assay.db)) as store:
        report = build(store, limit=limit, limits=wanted)
    return report, {limit.name: limit for limit in check_limits(report, wanted)}


def test_a_trusted_proxy_meets_every_limit(assay: Assay) -> None:
    """All passed answers are right: verdict and chance are met, and the gate passes; what nobody examined is said until it is."""
    ids = judged(assay)
    report, rows = of(assay)

    assert report.gate.passed
    assert {name: row.standing for name, row in rows.items()} == {
        "pass_precision": LimitStatus.MET,
        BEYOND_CHANCE: LimitStatus.MET,
        ANNOTATORS: LimitStatus.UNEXAMINED,
        HARM: LimitStatus.UNEXAMINED,
    }
    assert "no answer has right or wrong from two annotators, no label says anything of harm." in " ".join(
        assay("report").stdout.split()
    )

    says(assay, ids[0], "wrong", "ann", harm="minor")
    assert of(assay)[1][HARM].standing is LimitStatus.MET
    says(assay, ids[1], "right", "bea")
    assert ANNOTATORS not in of(assay)[1]
    assert "Not examined" not in assay("report").stdout


@pytest.mark.parametrize(
    ("limit", "limits", "harm"),
    [
        (0.9, {}, False),
        (0.9999, {}, False),
        (0.9, {"at_least": {"correctness": 0.5, "kappa": 0.99, "auroc": 0.2}}, False),
        (0.9, {"at_least": {"correctness": 0.67}}, False),
        (0.9, {"at_least": {"correctness": 0.9}}, False),
        (0.9, {}, True),
        (0.9, {"serious_harm": 1}, True),
    ],
)
def test_all_are_met_exactly_where_the_gate_passes(
    assay: Assay, limit: float, limits: dict[str, Any], *, harm: bool
) -> None:
    """Limits above, within and below what the labels show, with and without harm: list and gate say the same."""
    ids = judged(assay)
    if harm:
        says(assay, ids[0], "wrong", "ann", harm="serious")
    report, rows = of(assay, limit, **limits)

    passing = (LimitStatus.MET, LimitStatus.UNEXAMINED)
    assert all(row.standing in passing for row in rows.values()) == report.gate.passed, json.dumps(
        [(row.name, row.standing.value) for row in rows.values()]
    )


def test_a_limit_that_the_interval_holds_is_open_and_one_above_it_is_missed(assay: Assay) -> None:
    """Two of three answers are right and all are labelled; in the long run the rate is known to some points only."""
    judged(assay)
    _, rows = of(assay, at_least={"correctness": 0.67})
    _, higher = of(assay, at_least={"correctness": 0.9})

    assert rows["correctness"].standing is LimitStatus.OPEN
    assert higher["correctness"].standing is LimitStatus.MISSED


def test_a_mark_of_harm_that_nobody_adjudicated_counts(assay: Assay) -> None:
    """Two of three annotators say right, the third marks serious harm: the label does not say so, the answer stands as harmful."""
    ids = judged(assay)
    says(assay, ids[1], "right", "cid")
    says(assay, ids[1], "wrong", "bea", harm="serious")
    report, rows = of(assay)

    assert report.harmed == []
    assert (rows[HARM].count, rows[HARM].standing) == (1, LimitStatus.MISSED)
    assert assay.json("report")["harm_not_adjudicated"] == [ids[1]]

    says(assay, ids[0], "wrong", "ann", harm="serious")
    _, rows = of(assay, serious_harm=3)
    assert (rows[HARM].count, rows[HARM].standing) == (2, LimitStatus.MET), "within the limit all are counted, too"


def test_without_labels_nothing_is_met(store: Store) -> None:
    """What cannot be measured is neither met nor missed."""
    limits = ReportLimits(at_least={"correctness": 0.5})
    rows = check_limits(build(store, limits=limits), limits)

    unknown = [LimitStatus.UNEXAMINED, LimitStatus.UNMEASURABLE, LimitStatus.UNEXAMINED]
    assert [row.standing for row in rows] == [LimitStatus.UNMEASURABLE, LimitStatus.UNMEASURABLE, *unknown]
