"""The page's answer: how many labels differ from the proxy, and what share of traffic they stand for, with its cards."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from annotate.analysis.disagreements import WeighedDisagreements
from annotate.pages.kit import cache, draw, layout
from annotate.pages.kit.layout import Tone
from annotate.pages.kit.messages import say, told
from annotate.present import disagreements
from annotate.present.quantity import is_whole
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementKind


def none(store: Store) -> None:
    """Nothing differs: because nobody has labelled anything, or because all agree."""
    labels = cache.report(store).agreement.counts.labels
    if labels:
        layout.answer(Tone.GOOD, say("disagreements.agree", labels=labels))
        layout.rule_in_force(store)
    else:
        layout.nothing(store, say("disagreements.no_labels"))


def counted(counts: Mapping[DisagreementKind, int]) -> None:
    """What is known at once: the labels at hand."""
    layout.answer(Tone.OPEN, _counted(counts))


def weighed(counts: Mapping[DisagreementKind, int], result: WeighedDisagreements) -> None:
    """The labels at hand and the share of traffic that they stand for."""
    layout.answer(Tone.OPEN, f"{_counted(counts)} {told(disagreements.weighed(result))}")


def _counted(counts: Mapping[DisagreementKind, int]) -> str:
    return told(disagreements.counted(counts[DisagreementKind.MISS], counts[DisagreementKind.FALSE_FAIL]))


def waiting() -> None:
    """The cards while the report is on its way, so that nothing below moves when it comes."""
    draw.cards(disagreements.coming(say("disagreements.coming")))
    st.caption(say("disagreements.coming"))


def cards(store: Store, result: WeighedDisagreements) -> None:
    """The shares with n and interval."""
    draw.cards(disagreements.figures(result, is_exact=is_whole(cache.report(store).agreement)))
    if result.silent:
        st.caption(say("disagreements.silent", count=result.silent))
    layout.rule_in_force(store)
