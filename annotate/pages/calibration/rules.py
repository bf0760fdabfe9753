"""Would another rule do better? Every rule over the same judges on the same labels, and how far it is from the one in force."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.report.report import Report
from annotate.charts import differences
from annotate.charts.differences import Away
from annotate.pages.kit import draw, layout, texts, url_state
from annotate.pages.kit.messages import say, told
from annotate.present import rule_comparison
from proxy.evaluation.estimate import for_comparison

# The address holds what the control shows, so it shows the same in every language.
BY = {"kappa": "kappa", "accuracy": "accuracy", "AUROC": "auroc"}


def show(report: Report) -> None:
    """The sentence, the picture of one quantity, the tables of all."""
    layout.heading("calibration.rivals")
    draw.paragraph(rule_comparison.best_rule(report.best))
    if not rule_comparison.others(report):
        st.caption(say("calibration.no_rivals"))
        return
    _picture(report)
    for section in rule_comparison.side_by_side(report):
        draw.section(section)


def _picture(report: Report) -> None:
    """The differences in one quantity, chosen in the address."""
    chosen = BY[url_state.segmented(say("calibration.by"), {name: name for name in BY}, "rivals", default="kappa")]
    rows = [
        Away(
            texts.others(told(name)),
            shown.estimate,
            shown.low,
            shown.high,
            *(measured.of_all or (None, None)),
        )
        for name, other in rule_comparison.named(report)
        for measured in [getattr(other.differences, chosen)]
        for shown in [for_comparison(measured.estimate)]
        if shown.estimate is not None and shown.low is not None and shown.high is not None
    ]
    if not rows:
        st.caption(say("calibration.no_differences"))
        return
    rows.sort(key=lambda row: -row.estimate)
    axis = say("calibration.axis_difference", quantity=say(f"measures.{chosen}"))
    alt = texts.others(told(rule_comparison.picture(report, chosen)))
    st.altair_chart(differences.differences(rows, axis), width="stretch", alt=alt)
    is_of_all = any(row.all_low is not None for row in rows)
    st.caption(say("calibration.picture_all" if is_of_all else "calibration.picture_own"))
