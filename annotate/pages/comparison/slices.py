"""Where the proxy errs more than elsewhere: on demand where the store is large, as a picture and tables, with what to do next."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.next_step.slices import after_slices
from annotate.analysis.slices import find
from annotate.charts.slices import SliceShare, slices
from annotate.domain.message import Name, message
from annotate.pages.kit import background, cache, draw, folded, following, layout, links, texts
from annotate.pages.kit.messages import render, say
from annotate.present import slices as present_slices
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.evaluation.slices import SliceFinding
from proxy.text import numbers

LOOK = "slices"
QUICK = 5_000
CHARTED = 10


def show(store: Store) -> None:
    """At once in a small store, else when it is asked for."""
    items = cache.kept(store, "items", store.traffic.items.count)
    wanted = items <= QUICK or st.toggle(say("slices.look"), key=LOOK, bind="query-params", help=say("slices.help"))
    if not wanted:
        return
    with st.spinner(say("slices.working")):
        result = background.awaited(store, "slices", find.build)
    document = present_slices.document(result, after_slices(result, way_of(store.path)))
    layout.answer(draw.TONES[document.status], render(document.answer))
    if result.examined.tested:
        _picture(result.examined.tested[:CHARTED])
    folded.show(document.sections, "systems-slices")
    following.show(document.next)


def _picture(tested: Sequence[SliceFinding]) -> None:
    """The slices with the smallest adjusted p: the share of mistakes in each, and elsewhere."""
    words = say("slices.here"), say("slices.elsewhere")
    spots = [
        SliceShare(
            _name(finding),
            where,
            share.estimate,
            *share.interval,
            share.n,
            f"p {numbers.p_value(finding.adjusted_p)}",
            behind or "",
        )
        for finding in tested
        for where, share, behind in zip(
            words,
            (finding.here, finding.elsewhere),
            (links.behind(present_slices.answers_in(finding)), None),
            strict=True,
        )
    ]
    alt = "; ".join(
        f"{_name(finding)}: {render(present_slices.evidence(finding.here))} {words[0]}, "
        f"{render(present_slices.evidence(finding.elsewhere))} {words[1]}, "
        f"{say('slices.adjusted_p')} {numbers.p_value(finding.adjusted_p)}"
        for finding in tested
    )
    layout.counted(slices(spots, here=words[0]), "slices-picture", words=say("slices.alt", spots=alt))


def _name(finding: SliceFinding) -> str:
    name = Name(finding.slice.name)
    return texts.others(render(message("slices.spot", slice=name, mistake=present_slices.mistake(finding))))
