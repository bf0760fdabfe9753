"""The page's answer: how many labels differ from the proxy, and what share of traffic they stand for, with its cards."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from annotate.analysis.disagreements import Weighed
from annotate.pages.kit import cache, layout, quantities
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import say
from annotate.pages.kit.quantities import Measure
from annotate.store import Store
from annotate.store.labels.disagreements import Kind
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent

SHARES = (Measure("differ"), Measure("wrong_among_passed"), Measure("right_among_failed"))


def none(store: Store) -> None:
    """Nothing differs: because nobody has labelled anything, or because all agree."""
    report = cache.report(store)
    counts = report.agreement.counts
    labels = counts.right_pass + counts.wrong_pass + counts.right_fail + counts.wrong_fail
    if labels:
        layout.answer(Tone.GOOD, say("disagreements.agree", labels=labels))
        layout.rule_in_force(store)
    else:
        layout.nothing(store, say("disagreements.no_labels"))


def counted(counts: Mapping[Kind, int]) -> None:
    """What is known at once: the labels at hand."""
    layout.answer(Tone.OPEN, _counts(counts))


def weighed(store: Store, counts: Mapping[Kind, int], found: Weighed) -> None:
    """The labels at hand and the share of traffic that they stand for."""
    whole = quantities.is_whole(cache.report(store).agreement)
    layout.answer(Tone.OPEN, f"{_counts(counts)} {_shares(found, whole=whole)}")


def waiting() -> None:
    """The cards while the report is on its way, so that nothing below moves when it comes."""
    coming = Estimate(estimate=None, reason=say("disagreements.coming"))
    with st.grid(3):
        for measure in SHARES:
            quantities.show(measure, coming)
    st.caption(say("disagreements.coming"))


def cards(store: Store, found: Weighed) -> None:
    """The shares with n and interval."""
    whole = quantities.is_whole(cache.report(store).agreement)
    with st.grid(3):
        for measure, one in zip(
            SHARES, (found.differ, found.wrong_among_passed, found.right_among_failed), strict=True
        ):
            quantities.show(measure, one, whole=whole)
    if found.silent:
        st.caption(say("disagreements.silent", count=found.silent))
    layout.rule_in_force(store)


def _counts(counts: Mapping[Kind, int]) -> str:
    return say("disagreements.counted", misses=counts[Kind.MISS], false_fails=counts[Kind.FALSE_FAIL])


def _shares(found: Weighed, *, whole: bool) -> str:
    """What they stand for, or why nobody knows."""
    one = found.differ
    if one.estimate is None or found.misses is None or found.false_fails is None:
        return say("disagreements.no_share", reason=one.reason or "—")
    return say(
        "disagreements.share",
        share=percent(one.estimate),
        span=_span(one, whole=whole),
        misses=percent(found.misses),
        false_fails=percent(found.false_fails),
        labels=found.labels,
    )


def _span(one: Estimate, *, whole: bool) -> str:
    """The interval in words."""
    if one.low is None or one.high is None:
        return "—"
    if not quantities.has_width(one.low, one.high):
        return quantities.span((one.low, one.high), percent, whole=whole)
    return say("disagreements.interval", low=percent(one.low), high=percent(one.high))
