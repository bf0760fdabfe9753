"""What a value means: the reliability diagram with its counts, the strip of all traffic below it, and each band in words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.calibration import curves
from annotate.analysis.calibration.reliability import Explained
from annotate.analysis.next_step import after_reliability, way_of
from annotate.charts import reliability
from annotate.charts.reliability import Dot, Stretch
from annotate.domain.message import message
from annotate.pages.calibration import looking
from annotate.pages.kit import cache, draw, layout, quantities, texts, url_state
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say, told
from annotate.present import numbers
from annotate.present import reliability as present_reliability
from annotate.present.reliability import bands, of_band, quality, tells_nothing
from annotate.store import Store
from proxy.evaluation.bands import nearest
from proxy.evaluation.reliability_curve import Band, Meaning
from proxy.evaluation.threshold import value_of
from proxy.evaluation.trust import percent

BINS = 40
MAPS = {"Platt": "platt", "isotonic": "isotonic"}


def ask(store: Store, found: Meaning) -> tuple[float, str]:
    """The value that is asked about, and the map that it is read by, both kept in the address."""
    layout.heading("calibration.meaning")
    left, right = st.columns(2)
    with left:
        value = looking.value_asked(store)
    if found.reason:
        return value, MAPS["Platt"]
    with right:
        chosen = url_state.segmented(
            say("calibration.map"),
            {name: name for name in MAPS},
            "map",
            default="isotonic" if found.prefers_isotonic else "Platt",
            help=marked("calibration.map_help"),
        )
    return value, MAPS[chosen]


def show(store: Store, explained: Explained, value: float, mapped: str) -> None:
    """The diagram and the table; where nothing can be said, why, and what brings it."""
    found = explained.meaning
    band = nearest(found, value)
    if found.reason or band is None:
        document = present_reliability.document(explained, after_reliability(explained, way_of(store.path)))
        st.info(escaped(told(document.answer)), icon=layout.SIGNS[layout.Tone.UNKNOWN])
        for section in document.sections:
            draw.section(section)
        draw.steps(store, document.next)
        _strip(store, explained)
        return
    meaning = quantities.sentence(told(of_band(band, value)))
    st.markdown(marked("calibration.value_means", meaning=meaning, map=_of_map(band, mapped)))
    if not found.tells:
        st.warning(escaped(told(tells_nothing(found))))
    _diagram(store, explained, mapped)
    _strip(store, explained)
    draw.table(bands(found), message("calibration.bands_alt", n=len(found.bands)))
    draw.messages([*([found.unseen] if found.unseen else []), *quality(found)])


def _of_map(band: Band, mapped: str) -> str:
    share = percent(_mapped(band, mapped))
    return say("calibration.map_says", map=say(f"calibration.map_{mapped}"), share=share)


def _mapped(band: Band, mapped: str) -> float:
    return band.isotonic if mapped == "isotonic" else band.platt


def _diagram(store: Store, explained: Explained, mapped: str) -> None:
    shown, scale = explained.meaning.bands, curves.scale_of(looking.whole(store))
    dots = [Dot(one.mean, one.share, one.interval.low, one.interval.high, one.n, _mapped(one, mapped)) for one in shown]
    words = reliability.Words(
        value=say("calibration.axis_value", value=value_of(explained.rule)),
        share=say("calibration.axis_share"),
        labels=say("calibration.labels"),
        mapped=say(f"calibration.map_{mapped}"),
        measured=say("calibration.axis_share"),
    )
    texts.heading(say("calibration.diagram"))
    st.altair_chart(
        reliability.diagram(
            dots,
            (scale.low, scale.high),
            explained.rule.threshold,
            words,
            is_share=scale.is_share,
            is_stepped=mapped == "isotonic",
        ),
        width="stretch",
        alt=say("calibration.diagram_alt", bands="; ".join(told(of_band(band, band.mean)) for band in shown)),
    )
    key = "calibration.diagram_share" if scale.is_share else "calibration.diagram_plain"
    st.caption(marked(key, cut=numbers.threshold(explained.rule.threshold), map=say(f"calibration.map_{mapped}")))


def _strip(store: Store, explained: Explained) -> None:
    """How much of all traffic, and of the labels, has which value."""
    whole = looking.whole(store)
    scale = curves.scale_of(whole)
    rows = cache.kept(store, "strip", lambda: curves.strip_of(whole, scale.low, scale.high, BINS), BINS)
    strips = {
        "traffic": [Stretch(one.low, one.high, one.items) for one in rows],
        "right": [Stretch(one.low, one.high, one.right) for one in rows],
        "wrong": [Stretch(one.low, one.high, one.wrong) for one in rows],
    }
    shown = [name for name, bars in strips.items() if any(one.number for one in bars)]
    for name in shown:
        title = say(f"calibration.strip_{name}")
        st.altair_chart(
            reliability.strip(strips[name], (scale.low, scale.high), title, has_axis=name == shown[-1]),
            width="stretch",
            alt=_strip_words(title, strips[name]),
        )
    st.caption(marked("calibration.strip", value=value_of(explained.rule)))


def _strip_words(title: str, bars: Sequence[Stretch]) -> str:
    """The three fullest stretches, for those who do not see the bars."""
    fullest = [one for one in sorted(bars, key=lambda one: -one.number)[:3] if one.number]
    spans = "; ".join(
        say("calibration.stretch", low=numbers.threshold(one.low), high=numbers.threshold(one.high), n=one.number)
        for one in fullest
    )
    return say("calibration.strip_alt", title=title, n=sum(one.number for one in bars), stretches=spans)
