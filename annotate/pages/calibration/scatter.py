"""Each labelled answer by what people said and what a judge scored: the post's jittered columns, for any judge."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from annotate import labelled_scores
from annotate.charts import jitter
from annotate.charts.jitter import Spot
from annotate.labelled_scores import Scores
from annotate.pages import address, digits, figures, frame, measures, texts
from annotate.pages.calibration.looking import View
from annotate.pages.say import marked, say
from annotate.store import Store
from proxy.calibration import value_of
from proxy.estimate import Estimate
from proxy.records import Judgement

RULE = "rule"
ORDER = (Judgement.RIGHT, Judgement.WRONG, Judgement.UNSURE)


class Shown(NamedTuple):
    """What is drawn: its name, the scores, the cut to draw, how well it ranks, and the ends of the scale."""

    name: str
    scores: Scores
    cut: float
    auroc: Estimate
    span: tuple[float, float]


def show(store: Store, view: View) -> None:
    """The choice of a judge, the picture, and the same in words."""
    frame.heading("calibration.scatter")
    found = _chosen(store, view)
    if not found.scores.points:
        st.info(marked("calibration.no_scores", judge=found.name), icon=frame.SIGNS[frame.Tone.UNKNOWN])
        return
    columns = [say(f"calibration.{word.value}") for word in ORDER]
    spots = [Spot(ORDER.index(one.judgement), one.value) for one in found.scores.points]
    st.altair_chart(
        jitter.jitter(spots, columns, found.cut, (texts.others(found.name), say("calibration.axis_cut")), found.span),
        width="stretch",
        alt=say("calibration.scatter_alt", judge=texts.others(found.name), columns=_in_words(found.scores)),
    )
    _below(found)


def _chosen(store: Store, view: View) -> Shown:
    """The rule's own value or one judge, kept in the address."""
    judges = {f"{one.totals.judge}|{one.totals.signature}": one for one in view.report.judges}
    names = [one.totals.judge for one in judges.values()]
    short = {key: one.totals.judge if names.count(one.totals.judge) == 1 else key for key, one in judges.items()}
    by_name = {texts.others(short[key]): one for key, one in judges.items()}
    words = {RULE: say("calibration.of_rule", value=value_of(view.whole.rule)), **{name: name for name in by_name}}
    one = by_name.get(address.select(say("calibration.judge"), words, "judge", default=RULE))
    if one is None:
        scores = labelled_scores.of_values(view.whole.traffic.drawn, view.whole.traffic.rules[0].values)
        span = (view.scale.low, view.scale.high)
        return Shown(value_of(view.whole.rule), scores, view.cut, view.report.auroc, span)
    judge, signature = one.totals.judge, one.totals.signature
    scores = figures.kept(
        store, "scores of", lambda: labelled_scores.of_judge(store, judge, signature), judge, signature
    )
    return Shown(judge, scores, one.alone.rule.cut, one.alone.auroc, (0.0, 1.0))


def _in_words(scores: Scores) -> str:
    return "; ".join(
        say(
            "calibration.column",
            said=say(f"calibration.{one.judgement.value}"),
            n=one.labels,
            median=digits.cut(one.median),
            low=digits.cut(one.low),
            high=digits.cut(one.high),
        )
        for one in scores.columns
    )


def _below(found: Shown) -> None:
    """How well it ranks, the columns in words, and what is not drawn."""
    lines = [_in_words(found.scores)]
    if found.auroc.estimate is None:
        lines.insert(0, measures.sentence(found.auroc.reason or ""))
    else:
        lines.insert(0, say("calibration.auroc_plain", auroc=_spelled(found.auroc), n=found.auroc.n))
    shown = len(found.scores.points)
    lines.append(say("calibration.scatter_basis", n=found.scores.labels, unscored=found.scores.unscored, shown=shown))
    texts.small([measures.sentence(line) for line in lines])


def _spelled(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return measures.number(measures.AUROC, one.estimate)
    return f"{measures.number(measures.AUROC, one.estimate)} ({measures.between(measures.AUROC, (one.low, one.high))})"
