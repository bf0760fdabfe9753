"""The ROC and precision-recall curves, drawn only where people labelled on both sides of the cut."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import streamlit as st

from annotate.analysis.calibration import curves
from annotate.charts import roc
from annotate.charts.roc import Corner, Mark
from annotate.pages.calibration import looking
from annotate.pages.calibration.looking import View
from annotate.pages.kit import cache, layout, quantities, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say
from annotate.present import numbers
from annotate.store import Store
from proxy.evaluation.curves import Point, at_threshold, average_precision, curve
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent

AUDIT = "assay sample --labels 100"


def show(store: Store, view: View) -> None:
    """Both curves with the AUROC of the report, or why not and what would bring them."""
    layout.heading("calibration.ranking")
    report = view.report
    reason = report.agreement.sensitivity.reason or report.auroc.reason
    if report.agreement.sensitivity.estimate is None or report.auroc.estimate is None:
        st.info(escaped(quantities.sentence(reason or "")), icon=layout.SIGNS[layout.Tone.UNKNOWN])
        st.caption(marked("calibration.no_ranking"))
        layout.commands(store, [AUDIT])
        return
    labels = looking.scoring(store, view.in_force.rule.threshold) or view.whole  # those of the AUROC
    points = cache.kept(store, "ranking", lambda: curve(curves.ranked(labels)))
    st.markdown(marked("calibration.auroc", **_said(report.auroc)))
    left, right = st.columns(2, gap="large")
    with left:
        texts.heading(say("calibration.roc"))
        _roc(points, view)
    with right:
        texts.heading(say("calibration.pr"))
        _pr(points, view)
        area = numbers.coefficient(average_precision(points))
        texts.small([say("calibration.average_precision", value=area, n=report.auroc.n)])
    st.caption(marked("calibration.ranking_basis"))


def _said(auroc: Estimate) -> dict[str, object]:
    return {
        "value": quantities.number(quantities.AUROC, auroc.estimate),
        "low": quantities.number(quantities.AUROC, auroc.low),
        "high": quantities.number(quantities.AUROC, auroc.high),
        "n": auroc.n,
    }


def _marks(points: list[Point], view: View) -> list[tuple[str, Point]]:
    """The cut in force, and the one that is looked at."""
    cuts = [("calibration.mark_in_force", view.in_force.rule.threshold)]
    if not view.here.is_in_force:
        cuts.append(("calibration.mark_here", view.cut))
    found = [(say(key), at_threshold(points, cut)) for key, cut in cuts]
    return [(name, point) for name, point in found if point is not None]


def _roc(points: list[Point], view: View) -> None:
    words = roc.Words(
        x=say("calibration.axis_false_pass"),
        y=say("calibration.axis_sensitivity"),
        threshold=say("calibration.axis_cut"),
    )
    corners = [
        Corner(one.false_pass, one.sensitivity, one.threshold if isfinite(one.threshold) else None) for one in points
    ]
    marks = [Mark(one.false_pass, one.sensitivity, name) for name, one in _marks(points, view)]
    chance = [Corner(0.0, 0.0, None), Corner(1.0, 1.0, None)]
    st.altair_chart(
        roc.curve(corners, marks, words, chance),
        width="stretch",
        alt=say("calibration.roc_alt", points=_in_words(points, "calibration.roc_point")),
    )


def _pr(points: list[Point], view: View) -> None:
    words = roc.Words(
        x=say("calibration.axis_sensitivity"),
        y=say("calibration.axis_precision"),
        threshold=say("calibration.axis_cut"),
    )
    corners = [Corner(one.sensitivity, one.precision, one.threshold) for one in points if one.precision is not None]
    marks = [
        Mark(one.sensitivity, one.precision, name) for name, one in _marks(points, view) if one.precision is not None
    ]
    base = points[-1].precision or 0.0
    st.altair_chart(
        roc.curve(corners, marks, words, [Corner(0.0, base, None), Corner(1.0, base, None)]),
        width="stretch",
        alt=say("calibration.pr_alt", points=_in_words(points, "calibration.pr_point")),
    )


def _in_words(points: Sequence[Point], key: str) -> str:
    """A few points, for those who do not see the line."""
    known = [one for one in points if one.precision is not None]
    few = known[:: max(1, len(known) // 5)]
    return "; ".join(
        say(
            key,
            cut=numbers.threshold(one.threshold),
            sensitivity=percent(one.sensitivity),
            false_pass=percent(one.false_pass),
            precision=percent(one.precision or 0.0),
        )
        for one in few
    )
