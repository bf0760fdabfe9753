"""The slider: what passes at this threshold and how far annotators agree, beside the one in force, and what others would do."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.calibration import curves
from annotate.analysis.calibration.explore import AtThreshold, Ladder
from annotate.charts import threshold_curves
from annotate.charts.threshold_curves import At, ThresholdLine
from annotate.domain.message import Kind, Number, message
from annotate.pages.calibration import looking
from annotate.pages.calibration.looking import View
from annotate.pages.kit import cache, draw, layout, pictures, texts, url_state
from annotate.pages.kit.messages import marked, say, told
from annotate.present import explore, quantity
from annotate.present.document import Section
from annotate.store import Store
from proxy.evaluation.threshold import value_of

THRESHOLDS = 41
CURVES = ("pass_precision", "pass_rate", "sensitivity", "specificity")


def choose(whole: Ladder) -> float:
    """The threshold of the slider, kept in the address; untouched it is the one in force."""
    layout.heading("calibration.where")
    scale = curves.scale_of(whole)
    # A label is read aloud as it is written, with every escape: the formula stands above it.
    st.markdown(marked("calibration.threshold_is", value=f"`{value_of(whole.rule)}`"))
    return url_state.measured(
        st.slider,
        say("calibration.threshold_to_look_at"),
        looking.THRESHOLD,
        url_state.Within(low=scale.low, high=scale.high),
        whole.rule.threshold,
        step=scale.step,
        format=looking.digits(scale),
        help=marked("calibration.threshold_help"),
    )


def show(store: Store, view: View) -> None:
    """Both thresholds in a line, the cards, the tables, the curves."""
    draw.paragraph(explore.which(view.here, view.in_force, view.report.guarantee))
    draw.cards(explore.figures(view.here, view.in_force))
    _tables(view)
    _curves(store, view)


def _tables(view: View) -> None:
    """Annotators against the proxy, at this threshold and at the one in force."""
    shown = [("calibration.table_here", view.here)]
    if not view.here.is_in_force:
        shown.append(("calibration.table_before", view.in_force))
    for column, (key, at) in zip(st.columns(2, gap="large"), shown, strict=False):
        with column:
            title = message(key, threshold=Number(at.rule.threshold, Kind.THRESHOLD))
            draw.section(Section(title, (quantity.cells(at.agreement),)))


def _curves(store: Store, view: View) -> None:
    """Every threshold at once, by all labels."""
    over: Sequence[tuple[float, AtThreshold]] = cache.kept(
        store, "over thresholds", lambda: curves.over_thresholds(view.whole, THRESHOLDS), THRESHOLDS
    )
    rows = [
        At(threshold, say(f"measures.{name}"), estimate.estimate, estimate.low, estimate.high)
        for name in CURVES
        for threshold, at in over
        for estimate in [explore.estimate_at(at, name)]
        if estimate.estimate is not None and estimate.low is not None and estimate.high is not None
    ]
    texts.heading(say("calibration.curves"))
    if not any(row.quantity != say("measures.pass_rate") for row in rows):
        st.caption(say("calibration.no_curves"))
    marks = [ThresholdLine(view.in_force.rule.threshold, say("calibration.mark_in_force"))]
    if not view.here.is_in_force:
        marks.append(ThresholdLine(view.threshold, say("calibration.mark_here")))
    chart = threshold_curves.threshold_curves(rows, marks, say("calibration.axis_threshold"))
    pictures.show(chart, words=told(explore.curves(over)))
    st.caption(say("calibration.curves_all"))
