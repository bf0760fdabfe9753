"""The slider: what passes at this cut and how far people agree, beside the cut in force, and what every cut would do."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.calibration import curves
from annotate.analysis.calibration.explore import AtCut, Ladder
from annotate.charts import threshold_curves
from annotate.charts.threshold_curves import At, Line
from annotate.pages.calibration import looking
from annotate.pages.calibration.answering import per_thousand_lines
from annotate.pages.calibration.looking import View
from annotate.pages.kit import cache, layout, quantities, texts, url_state
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.quantities import Measure
from annotate.present import numbers
from annotate.present.guarantee import scope
from annotate.store import Store
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.threshold import value_of

CUTS = 41
CURVES = (quantities.PASS_PRECISION, quantities.PASS_RATE, quantities.SENSITIVITY, quantities.SPECIFICITY)
BESIDE = (quantities.SENSITIVITY, quantities.SPECIFICITY, quantities.KAPPA)


def choose(whole: Ladder) -> float:
    """The cut of the slider, kept in the address; untouched it is the one in force."""
    layout.heading("calibration.where")
    scale = curves.scale_of(whole)
    # A label is read aloud as it is written, with every escape: the formula stands above it.
    st.markdown(marked("calibration.cut_of", value=f"`{value_of(whole.rule)}`"))
    return url_state.measured(
        st.slider,
        say("calibration.cut"),
        looking.CUT,
        url_state.Within(low=scale.low, high=scale.high),
        whole.rule.threshold,
        step=scale.step,
        format=looking.digits(scale),
        help=marked("calibration.cut_help"),
    )


def show(store: Store, view: View) -> None:
    """Both cuts in a line, the cards, the tables, the curves."""
    st.markdown(_both(view))
    with st.grid(3):
        for measure in (quantities.PASS_PRECISION, quantities.PASS_RATE):
            _card(view, measure)
        _let_through(view)
        for measure in BESIDE:
            _card(view, measure)
    _tables(view)
    _curves(store, view)


def _both(view: View) -> str:
    """Which cut is looked at, and which is in force."""
    if view.here.is_in_force:
        key = "calibration.is_in_force_silent" if view.here.silent else "calibration.is_in_force"
        record = view.report.guarantee
        claims = told(scope(record)) if record else ""
        return marked(
            key, cut=numbers.threshold(view.cut), n=view.here.silent, **({"claims": claims} if view.here.silent else {})
        )
    return marked(
        "calibration.is_another",
        cut=numbers.threshold(view.cut),
        before=numbers.threshold(view.in_force.rule.threshold),
    )


def of(at: AtCut, measure: Measure) -> Estimate:
    """A quantity at a cut."""
    if measure is quantities.PASS_RATE:
        return at.pass_rate
    found: Estimate = getattr(at.agreement, measure.name)
    return found


def _card(view: View, measure: Measure) -> None:
    """One quantity at this cut, and what it is at the one in force."""
    here, before = of(view.here, measure), of(view.in_force, measure)
    lines = quantities.lines(measure, here, whole=quantities.is_whole(view.here.agreement))
    _box(view, measure, quantities.number(measure, here.estimate), lines, quantities.number(measure, before.estimate))


def _let_through(view: View) -> None:
    here, before = view.here.per_thousand, view.in_force.per_thousand
    lines = per_thousand_lines(here, whole=quantities.is_whole(view.here.agreement))
    _box(
        view, Measure("let_through"), numbers.per_thousand(here.estimate), lines, numbers.per_thousand(before.estimate)
    )


def _box(view: View, measure: Measure, value: str, lines: Sequence[str], before: str) -> None:
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(measure.words, value, help=measure.help)
        beside = [] if view.here.is_in_force else [say("calibration.before", value=before)]
        texts.small([*beside, *lines])


def _tables(view: View) -> None:
    """People against the proxy, at this cut and at the one in force."""
    shown = [("calibration.table_here", view.here)]
    if not view.here.is_in_force:
        shown.append(("calibration.table_before", view.in_force))
    for column, (key, at) in zip(st.columns(2, gap="large"), shown, strict=False):
        with column:
            texts.heading(say(key, cut=numbers.threshold(at.rule.threshold)))
            rows = _two_by_two(at.agreement)
            layout.table(
                rows,
                [say("calibration.proxy"), say("calibration.right"), say("calibration.wrong")],
                alt=say("calibration.table_alt", rows="; ".join(", ".join(row) for row in rows)),
            )
            st.caption(say("calibration.table_shares" if at.agreement.shares else "calibration.table_counts"))


def _two_by_two(agreement: AgreementReport) -> list[tuple[str, str, str]]:
    """Counts of labels, with the share of all judged traffic where that is known."""
    words = quantities.cells(agreement)
    return [(say("calibration.passed"), *words[:2]), (say("calibration.failed"), *words[2:])]  # type: ignore[list-item]


def _curves(store: Store, view: View) -> None:
    """Every cut at once, by all labels."""
    found = cache.kept(store, "over cuts", lambda: curves.over_cuts(view.whole, CUTS), CUTS)
    rows = [
        At(cut, measure.words, one.estimate, one.low, one.high)
        for measure in CURVES
        for cut, at in found
        for one in [of(at, measure)]
        if one.estimate is not None and one.low is not None and one.high is not None
    ]
    texts.heading(say("calibration.curves"))
    if not any(row.quantity != quantities.PASS_RATE.words for row in rows):
        st.caption(say("calibration.no_curves"))
    marks = [Line(view.in_force.rule.threshold, say("calibration.mark_in_force"))]
    if not view.here.is_in_force:
        marks.append(Line(view.cut, say("calibration.mark_here")))
    st.altair_chart(
        threshold_curves.cut_curves(rows, marks, say("calibration.axis_cut")),
        width="stretch",
        alt=say("calibration.curves_alt", lines=_in_words(found)),
    )
    st.caption(say("calibration.curves_all"))


def _in_words(found: Sequence[tuple[float, AtCut]]) -> str:
    """A few of the cuts, for those who do not see the lines."""
    few = found[:: max(1, len(found) // 5)]
    return "; ".join(
        say(
            "calibration.curve_at",
            cut=numbers.threshold(cut),
            passed=quantities.number(quantities.PASS_RATE, at.pass_rate.estimate),
            precision=quantities.number(quantities.PASS_PRECISION, at.agreement.pass_precision.estimate),
            sensitivity=quantities.number(quantities.SENSITIVITY, at.agreement.sensitivity.estimate),
            specificity=quantities.number(quantities.SPECIFICITY, at.agreement.specificity.estimate),
        )
        for cut, at in few
    )
