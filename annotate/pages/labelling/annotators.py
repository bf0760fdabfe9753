"""How far annotators agree, overall and in pairs, who labels how, and what happened to annotations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.labelling.status import HumanSide
from annotate.domain.annotator_activity import Annotator, LogCounts
from annotate.domain.message import message
from annotate.label_studio import address
from annotate.pages.kit import draw, layout, texts
from annotate.pages.kit.messages import render, say
from annotate.pages.kit.privacy import escaped
from annotate.present import labelling_status, labels, report
from annotate.present.document import Table
from annotate.store import Store
from proxy.evaluation.annotator_agreement import FEWEST_ITEMS, AnnotatorAgreement

TWO_ANNOTATORS = "assay push --annotator NAME --annotator NAME --overlap 0.2"
LOG_COLUMNS = ("source", "annotations", "edits", "deleted", "skipped", "by_others")


def show(store: Store, state: HumanSide, who: str) -> None:
    """Annotators; folded, how far they agree and what happened to annotations."""
    listed = labelling_status.annotators(state.annotators)
    _annotators(state.annotators, listed)
    with st.expander(say("labelling.agree_how_far")):
        if state.annotators:
            draw.messages([labelling_status.pace(state.pace), *([listed.caption] if listed.caption else [])])
        overlap = state.overlap
        st.caption(say("labelling.overlap", given=overlap.given, read=overlap.read))
        if (sentence := report.shifted_by_neighbours(state.neighbours)) is not None:
            draw.messages([sentence])
        _agreement(store, state.annotator_agreement)
    if state.log:
        with st.expander(say("labelling.happened")):
            _log(state.log)


def _agreement(store: Store, annotator_agreement: AnnotatorAgreement) -> None:
    """Overall as cards with intervals, in pairs as a table."""
    if not annotator_agreement.n:
        is_known = address.is_known(store.path)
        st.caption(say("labelling.no_overlap" if is_known else "labelling.no_overlap_by_file"))
        layout.commands([TWO_ANNOTATORS] if is_known else [])
        return
    draw.cards(labelling_status.agreement(annotator_agreement), columns=4)
    if annotator_agreement.warning:
        st.warning(escaped(f"{draw.capital(render(annotator_agreement.warning))}."))
    if annotator_agreement.n < FEWEST_ITEMS:
        st.caption(say("labelling.few_read", fewest=FEWEST_ITEMS))
    draw.table(report.pairs(annotator_agreement), message("labelling.pairs_alt"))


def _annotators(activity: Sequence[Annotator], listed: Table) -> None:
    """Who labels how, in the order of the names."""
    if not activity:
        st.caption(say("labelling.nobody"))
        return
    draw.table(listed._replace(caption=None), message("labelling.annotators_alt"))
    for annotator in activity:
        for note in annotator.notes:
            st.markdown(f"- {escaped(f'{annotator.name}: {render(note)}.')}")
    if any(annotator.notes for annotator in activity):
        st.caption(escaped(f"{render(labels.NOTE_RULE)}."))


def _log(counts: Sequence[LogCounts]) -> None:
    """What happened to the annotations of each source."""
    columns = [say(f"labelling.column_{name}") for name in LOG_COLUMNS]
    layout.table(
        [(texts.others(source, "source"), *numbers) for source, *numbers in counts],
        columns,
        alt=say("labelling.log_alt"),
    )
    st.caption(say("labelling.history"))
    layout.commands(["assay labels history ITEM"])
