"""Each labelled answer by what annotators said and what a judge scored: the post's jittered columns, for any judge."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from annotate.analysis.calibration import curves, labelled_scores
from annotate.analysis.calibration.labelled_scores import ScoresByLabel
from annotate.charts import jitter
from annotate.charts.jitter import JitterSpot
from annotate.domain.message import Name, message
from annotate.pages.calibration import looking
from annotate.pages.kit import cache, draw, layout, pictures, texts, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.present import explore
from annotate.present.quantity import is_whole
from annotate.store import Store
from proxy.evaluation.candidates import is_lower_better
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.threshold import value_of
from proxy.records import Judgement

RULE = "rule"
ORDER = (Judgement.RIGHT, Judgement.WRONG, Judgement.UNSURE)


class ScatterView(NamedTuple):
    """What is drawn: its name, the scores, the threshold to draw, how well it ranks, and the ends of the scale.

    `is_lower_better` where 1 is bad, so that the ranking is of 1 - score.
    """

    name: str
    scores: ScoresByLabel
    threshold: float
    auroc: Estimate
    span: tuple[float, float]
    is_lower_better: bool = False


def show(store: Store) -> None:
    """The choice of a judge, the picture, whose dots open their answers, and the same in words."""
    shown = _chosen(store)
    if not shown.scores.points:
        st.info(marked("calibration.no_scores", judge=shown.name), icon=layout.SIGNS[layout.Tone.UNKNOWN])
        return
    present = {point.judgement for point in shown.scores.points}
    columns = [
        say(f"calibration.{judgement.value}") for judgement in (ORDER if Judgement.UNSURE in present else ORDER[:-1])
    ]
    spots = [JitterSpot(ORDER.index(point.judgement), point.value) for point in shown.scores.points]
    name = texts.others(shown.name)
    picked = pictures.picked(
        jitter.jitter(spots, columns, shown.threshold, (name, say("calibration.axis_threshold")), shown.span),
        "calibration-labels",
        words=say("calibration.scatter_alt", judge=name, columns=render(explore.score_columns(shown.scores))),
    )
    if picked is not None:
        [item_id] = store.traffic.items.ids([shown.scores.points[int(str(picked["spot"]))].item])
        layout.go("disagreements", item=item_id)
    ranking = explore.auroc(shown.auroc, is_exact=is_whole(cache.head(store).agreement))
    draw.messages(words for words in (ranking, *explore.scores(shown.scores)) if words)
    if shown.is_lower_better:
        draw.messages([message("judges.lower_better", names=Name(shown.name))])


def _chosen(store: Store) -> ScatterView:
    """The rule's own value or one judge, kept in the address."""
    report, whole = cache.report(store), looking.whole(store)
    every = [judge.totals.judge for judge in report.judges]
    by_name = {
        texts.others(name if every.count(name) == 1 else f"{name}|{judge.totals.signature}"): judge
        for name, judge in zip(every, report.judges, strict=True)
    }
    words = {RULE: say("calibration.of_rule", value=value_of(whole.rule)), **{name: name for name in by_name}}
    chosen = by_name.get(url_state.select(say("calibration.judge"), words, "judge", default=RULE))
    if chosen is None:
        scores = labelled_scores.of_values(whole.traffic.drawn, whole.traffic.rules[0].values)
        scale = curves.scale_of(whole)
        span = (scale.low, scale.high)
        return ScatterView(value_of(whole.rule), scores, whole.rule.threshold, report.auroc, span)
    judge, signature = chosen.totals.judge, chosen.totals.signature
    scores = cache.kept(store, "scores of", lambda: labelled_scores.of_judge(store, judge, signature), judge, signature)
    alone = chosen.alone
    return ScatterView(judge, scores, alone.rule.threshold, alone.auroc, (0.0, 1.0), is_lower_better(judge))
