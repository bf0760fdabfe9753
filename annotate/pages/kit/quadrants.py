"""The picture of two judges crossed at their thresholds: each labelled answer is a dot, and a click opens it."""

from __future__ import annotations

from annotate.analysis.judges.quadrants import CrossedQuadrants
from annotate.charts.quadrants import HEIGHT, AnswerDot, QuadrantWords, quadrants
from annotate.pages.kit import layout, pictures, texts
from annotate.pages.kit.messages import render, say
from annotate.present import quadrants as present_quadrants
from annotate.store import Store
from proxy.records import Judgement


def show(store: Store, crossed: CrossedQuadrants, key: str, *, height: int = HEIGHT) -> None:
    """The labelled answers as dots; one that is clicked opens on the page of disagreements."""
    if not crossed.points:
        texts.small([say("judges.quadrants_no_labels")])
        return
    names = {judgement: say(f"calibration.{judgement.value}") for judgement in Judgement}
    first, second, third, fourth = (
        texts.others(render(present_quadrants.quadrant_name(crossed.pair, quadrant.place)))
        for quadrant in crossed.quadrants
        if quadrant.place is not None
    )
    words = QuadrantWords(
        across=texts.others(crossed.pair.across),
        up=texts.others(crossed.pair.up),
        labels=(names[Judgement.RIGHT], names[Judgement.WRONG], names[Judgement.UNSURE]),
        names=(first, second, third, fourth),
    )
    dots = [AnswerDot(point.across, point.up, names[point.judgement]) for point in crossed.points]
    chart = quadrants(dots, (crossed.thresholds.relevance, crossed.thresholds.faithfulness), words, height=height)
    alt = texts.others(render(present_quadrants.chart_alt_text(crossed)))
    picked = pictures.picked(chart, key, words=alt)
    if picked is not None:
        [item_id] = store.traffic.items.ids([crossed.points[int(str(picked["place"]))].key])
        layout.go("disagreements", item=item_id)
