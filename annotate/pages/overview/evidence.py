"""What the verdict rests on: the proxy against people, the 2x2 table, where the labels come from, and what to know of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from annotate.analysis.report.report import Report
from annotate.charts import intervals
from annotate.pages.kit import layout, quantities, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say, told
from annotate.pages.kit.quantities import Measure
from annotate.pages.kit.strata import stratum_words
from annotate.present.rule_comparison import best_rule
from proxy.evaluation.agreement import AgreementReport, StratumReport
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent


def show_proxy(report: Report) -> None:
    """The proxy against people: cards, chart, the 2x2 table, every quantity, and whether another rule does better."""
    agreement, whole = report.agreement, quantities.is_whole(report.agreement)
    layout.heading("overview.proxy")
    with st.grid(4):
        for measure in quantities.PROXY:
            quantities.show(measure, getattr(agreement, measure.name), whole=whole)
    st.caption(say("overview.intervals"))
    chart, table = st.columns([3, 2], gap="large")
    with chart:
        texts.heading(say("overview.shares"))
        bars = quantities.bars(agreement)
        if bars:
            st.altair_chart(intervals.intervals(bars), width="stretch", alt=quantities.in_words(bars, whole=whole))
        else:
            st.caption(say("overview.no_share"))
    with table:
        texts.heading(say("overview.against"))
        st.table(_two_by_two(agreement), alt=say("overview.against_alt"))
        st.caption(say("overview.cells" if agreement.shares else "overview.cells_counts"))
    _quantities(report)
    _label_counts(report)
    st.markdown(f"**{say('overview.another_rule')}** {escaped(told(best_rule(report.best)))}")


def _two_by_two(agreement: AgreementReport) -> pd.DataFrame:
    """Rows: the proxy's verdict; columns: what people say."""
    words = quantities.cells(agreement)
    return pd.DataFrame(
        [words[:2], words[2:]],
        index=[say("overview.proxy_pass"), say("overview.proxy_fail")],
        columns=[say("overview.people_right"), say("overview.people_wrong")],
    )


def _quantities(report: Report) -> None:
    """Every quantity with its intervals, n, basis, or why it is not measurable."""
    texts.heading(say("overview.quantities"))
    found = [
        (measure, report.auroc if measure is quantities.AUROC else getattr(report.agreement, measure.name))
        for measure in quantities.ALL
    ]
    layout.table(
        [_quantity(*one, whole=quantities.is_whole(report.agreement)) for one in found],
        [say(f"overview.quantity_{name}") for name in ("name", "estimate", "window", "long_run", "n", "basis")],
        alt=say("overview.quantities"),
        config={
            say("overview.quantity_basis"): st.column_config.TextColumn(width="large", help=say("overview.basis_words"))
        },
    )


def _label_counts(report: Report) -> None:
    """Which labels each count on the page holds, where they differ."""
    labelled, right = report.progress.labelled, report.agreement.correctness.n
    counted = report.agreement.counts.labels
    if len({labelled, right, counted}) > 1:
        unsure = report.progress.unsure
        st.caption(say("overview.label_counts", labelled=labelled, unsure=unsure, correctness=right, proxy=counted))


def _quantity(measure: Measure, one: Estimate, *, whole: bool) -> tuple[str, str, str, str, int, str]:
    return (
        measure.words,
        quantities.number(measure, one.estimate),
        quantities.window(measure, one, whole=whole),
        quantities.long_run(measure, one),
        one.n,
        told(one.reason) if one.reason else one.method,
    )


def show_strata(report: Report) -> None:
    """What was drawn from where."""
    layout.heading("overview.strata")
    names = ("group", "size", "drawn", "rate", "labelled", "response", "wrong", "share_wrong")
    layout.table(
        [_stratum(one) for one in report.agreement.strata],
        [say(f"overview.stratum_{name}") for name in names],
        alt=say("overview.strata_alt"),
    )
    st.caption(say("overview.strata_basis"))


def _stratum(one: StratumReport) -> tuple[object, ...]:
    return (
        stratum_words(one.stratum),
        one.size,
        one.drawn,
        _share(one.rate),
        one.right + one.wrong + one.unsure,
        _share(one.response),
        one.wrong,
        _share(one.share_wrong),
    )


def _share(value: float | None) -> str:
    return "—" if value is None else percent(value)


def show_warnings(report: Report) -> None:
    """What a reader must know before believing a number."""
    if report.warnings:
        layout.heading("overview.warnings")
        st.markdown("\n".join(f"- {escaped(quantities.sentence(told(warning)))}." for warning in report.warnings))
