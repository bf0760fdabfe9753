"""What a value means: the reliability diagram with its counts, the strip of all traffic below it, and each band in words."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from annotate.analysis.calibration import curves
from annotate.analysis.calibration import reliability as calibration_reliability
from annotate.analysis.calibration.reliability import RuleReliability
from annotate.analysis.next_step.calibration import after_reliability
from annotate.charts import reliability
from annotate.charts.reliability import BandDot, Stretch
from annotate.domain.counted import code
from annotate.domain.message import message
from annotate.pages.calibration import looking
from annotate.pages.kit import cache, draw, following, layout, texts, url_state
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import explore
from annotate.present import reliability as present_reliability
from annotate.present.calibration import threshold as written
from annotate.present.reliability import bands, by_map, quality, tells_nothing
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.evaluation.bands import Strip, nearest
from proxy.evaluation.reliability_curve import Band, ReliabilityCurve
from proxy.evaluation.threshold import value_of

STRIPS = ("items", "right", "wrong")
MAPS = {"Platt": "platt", "isotonic": "isotonic"}


def show(store: Store) -> None:
    """The value asked about in words, the diagram and the table; where nothing can be said, why, and what brings it."""
    explained = cache.kept(store, "explain", lambda: calibration_reliability.explain(store))
    curve = explained.curve
    if curve.reason or not curve.bands:
        document = present_reliability.document(explained, after_reliability(explained, way_of(store.path)))
        st.info(escaped(render(document.answer)), icon=layout.SIGNS[layout.Tone.UNKNOWN])
        for section in document.sections:
            draw.section(section)
        following.show(document.next)
        _strip(store, explained)
        return
    value, mapped = _ask(store, curve)
    if band := nearest(curve, value):
        st.markdown(escaped(draw.capital(render(present_reliability.of_value(band, value, mapped)))))
    if mapped is None:
        st.warning(escaped(render(tells_nothing(curve))))
    _diagram(store, explained, mapped)
    _strip(store, explained)
    draw.table(bands(curve), message("calibration.bands_alt", n=len(curve.bands)))
    draw.messages([*([curve.unseen] if curve.unseen else []), *quality(curve)])


def _ask(store: Store, curve: ReliabilityCurve) -> tuple[float, str | None]:
    """The value that is asked about, and the map that it is read by, both kept in the address; none where none tells anything."""
    left, right = st.columns(2)
    with left:
        value = looking.value_asked(store)
    if not curve.tells:
        return value, None
    with right:
        chosen = url_state.segmented(
            say("calibration.map"),
            {name: name for name in MAPS},
            "map",
            default="isotonic" if curve.prefers_isotonic else "Platt",
            help=marked("calibration.map_help"),
        )
    return value, MAPS[chosen]


def _diagram(store: Store, explained: RuleReliability, mapped: str | None) -> None:
    shown, scale = explained.curve.bands, curves.scale_of(looking.whole(store))
    dots = [_dot(band, mapped) for band in shown]
    words = reliability.ReliabilityWords(
        value=say("calibration.axis_value", value=value_of(explained.rule)),
        share=say("calibration.axis_share"),
        labels=say("calibration.labels"),
        mapped=say(f"calibration.map_{mapped}") if mapped else "",
        measured=say("calibration.axis_share"),
    )
    texts.heading(say("calibration.diagram"))
    layout.counted(
        reliability.diagram(
            dots,
            (scale.low, scale.high),
            explained.rule.threshold,
            words,
            is_share=scale.is_share,
            is_stepped=mapped == "isotonic",
        ),
        "reliability-diagram",
        words=render(present_reliability.picture(shown)),
    )
    st.caption(" ".join(_marks(explained, mapped, is_share=scale.is_share)))


def _marks(explained: RuleReliability, mapped: str | None, *, is_share: bool) -> Iterator[str]:
    """What each mark of the diagram means."""
    yield marked("calibration.diagram_dots")
    if mapped:
        yield marked("calibration.diagram_line", map=say(f"calibration.map_{mapped}"))
    if is_share:
        yield marked("calibration.diagram_perfect")
    yield marked("calibration.diagram_threshold", threshold=written(explained.rule.threshold))


def _dot(band: Band, mapped: str | None) -> BandDot:
    right = band.right
    low, high, behind = right.low or 0.0, right.high or 0.0, code("band", repr(band.least), repr(band.most))
    return BandDot(
        band.mean, right.estimate or 0.0, low, high, right.n, by_map(band, mapped) if mapped else None, behind
    )


def _stretch(row: Strip, name: str, place: int) -> Stretch:
    """A bar; one of labels opens them, of all traffic most is in no list."""
    number = getattr(row, name)
    return Stretch(row.low, row.high, number, code("strip", name, place) if number and name != "items" else "")


def _strip(store: Store, explained: RuleReliability) -> None:
    """How much of all traffic, and of the labels, has which value."""
    whole = looking.whole(store)
    scale = curves.scale_of(whole)
    rows = cache.kept(store, "strip", lambda: curves.strip_of(whole, scale.low, scale.high))
    shown = [name for name in STRIPS if any(getattr(row, name) for row in rows)]
    for name in shown:
        bars = [_stretch(row, name, place) for place, row in enumerate(rows)]
        chart = reliability.strip(
            bars, (scale.low, scale.high), say(f"calibration.strip_{name}"), has_axis=name == shown[-1]
        )
        layout.counted(chart, f"strip-{name}", words=render(explore.strip(name, rows)))
    st.caption(marked("calibration.strip", value=value_of(explained.rule)))
