"""Curves over all thresholds (ROC and precision-recall only where labels are on both sides of the one in force); other rules."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import streamlit as st

from annotate.analysis.calibration import curves
from annotate.analysis.report.head import ReportHead
from annotate.analysis.report.report import ProjectReport
from annotate.charts import intervals, roc, threshold_curves
from annotate.charts.intervals import Away
from annotate.charts.roc import RocPoint, ThresholdMark
from annotate.charts.threshold_curves import At, ThresholdLine
from annotate.domain.message import Message, Step, coefficient, message
from annotate.pages.calibration import looking
from annotate.pages.kit import cache, draw, following, layout, pictures, texts, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import explore, rule_comparison
from annotate.present.quantity import is_whole
from annotate.store import Store
from proxy.evaluation.curves import at_threshold, average_precision, curve

AUDIT = "assay sample --labels 100"
OVER_THRESHOLDS = ("pass_precision", "pass_rate", "sensitivity", "specificity")
# The address holds what the control shows, so it shows the same in every language.
BY = {"kappa": "kappa", "accuracy": "accuracy", "AUROC": "auroc"}


def show(store: Store) -> None:
    """Both curves with the AUROC of the report, or why not and what would bring them; then four quantities at every threshold."""
    report = cache.head(store)
    sensitivity = report.agreement.sensitivity
    if sensitivity.estimate is None or report.auroc.estimate is None:
        reason = render(sensitivity.reason or report.auroc.reason)
        st.info(escaped(draw.capital(reason)), icon=layout.SIGNS[layout.Tone.UNKNOWN])
        st.caption(marked("calibration.no_ranking"))
        following.show([Step(message("steps.more_labels"), (AUDIT,))])
    else:
        _show_ranking(store, report)
    _show_over_thresholds(store)


def _show_ranking(store: Store, report: ReportHead) -> None:
    """The ROC and precision-recall curves, with a mark at the threshold in force."""
    threshold = report.rule.threshold
    labels = looking.scoring(store, threshold) or looking.whole(store)  # those of the AUROC
    points = cache.kept(store, "ranking", lambda: curve(curves.ranked(labels)))
    draw.paragraph(explore.auroc(report.auroc, is_exact=is_whole(report.agreement)) or "")
    mark, name = at_threshold(points, threshold), say("calibration.mark_in_force")
    left, right = st.columns(2, gap="large")
    with left:
        texts.heading(say("calibration.roc"))
        corners = [
            RocPoint(point.false_pass, point.sensitivity, point.threshold if isfinite(point.threshold) else None)
            for point in points
        ]
        spots = [ThresholdMark(mark.false_pass, mark.sensitivity, name)] if mark else []
        chance = [RocPoint(0.0, 0.0, None), RocPoint(1.0, 1.0, None)]
        _chart(("false_pass", "sensitivity"), corners, spots, chance, explore.roc(points))
    with right:
        texts.heading(say("calibration.pr"))
        corners = [
            RocPoint(point.sensitivity, point.precision, point.threshold)
            for point in points
            if point.precision is not None
        ]
        spots = [ThresholdMark(mark.sensitivity, mark.precision, name)] if mark and mark.precision is not None else []
        base = points[-1].precision or 0.0
        chance = [RocPoint(0.0, base, None), RocPoint(1.0, base, None)]
        _chart(("sensitivity", "precision"), corners, spots, chance, explore.precision_recall(points))
        area = coefficient(average_precision(points))
        draw.messages([message("calibration.average_precision", value=area, n=report.auroc.n)])
    st.caption(marked("calibration.ranking_basis"))


def _show_over_thresholds(store: Store) -> None:
    """What every threshold would do, by all labels."""
    over = looking.over(store)
    rows = [
        At(threshold, say(f"measures.{name}"), estimate.estimate, estimate.low, estimate.high)
        for name in OVER_THRESHOLDS
        for threshold, at in over
        for estimate in [explore.estimate_at(at, name)]
        if estimate.estimate is not None and estimate.low is not None and estimate.high is not None
    ]
    texts.heading(say("calibration.curves"))
    marks = [ThresholdLine(looking.whole(store).rule.threshold, say("calibration.mark_in_force"))]
    chart = threshold_curves.threshold_curves(rows, marks, say("calibration.axis_threshold"))
    pictures.show(chart, words=render(explore.curves(over)))
    st.caption(say("calibration.curves_all"))


def _chart(
    axes: tuple[str, str],
    corners: Sequence[RocPoint],
    marks: Sequence[ThresholdMark],
    chance: Sequence[RocPoint],
    alt: Message,
) -> None:
    x, y = (say(f"calibration.axis_{name}") for name in axes)
    words = roc.RocWords(x=x, y=y, threshold=say("calibration.axis_threshold"))
    pictures.show(roc.curve(corners, marks, words, chance), words=render(alt))


def show_rules(store: Store) -> None:
    """The rule in force, the sentence, the picture of one quantity, the tables of all."""
    report = cache.report(store)
    layout.rule_in_force(store)
    draw.paragraph(rule_comparison.best_rule(report.best))
    if not rule_comparison.others(report):
        st.caption(say("calibration.no_rivals"))
        return
    _picture(report)
    for section in rule_comparison.side_by_side(report):
        draw.section(section)


def _picture(report: ProjectReport) -> None:
    """The differences in one quantity, chosen in the address."""
    chosen = BY[url_state.segmented(say("calibration.by"), {name: name for name in BY}, "rivals", default="kappa")]
    rows = [
        Away(
            texts.others(render(name)),
            shown.estimate,
            shown.low,
            shown.high,
            *(measured.of_all or (None, None)),
        )
        for name, other in rule_comparison.named(report)
        for measured in [getattr(other.differences, chosen)]
        for shown in [rule_comparison.compared(measured.estimate, is_census=rule_comparison.is_census(report))]
        if shown.estimate is not None and shown.low is not None and shown.high is not None
    ]
    if not rows:
        st.caption(say("calibration.no_differences"))
        return
    rows.sort(key=lambda row: -row.estimate)
    axis = say("calibration.axis_difference", quantity=say(f"measures.{chosen}"))
    alt = texts.others(render(rule_comparison.picture(report, chosen)))
    pictures.show(intervals.differences(rows, axis), words=alt)
    is_of_all = any(row.all_low is not None for row in rows)
    st.caption(say("calibration.picture_all" if is_of_all else "calibration.picture_own"))
