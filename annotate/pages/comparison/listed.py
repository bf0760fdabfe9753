"""What broke and what was mended: the questions whose two answers annotators call differently, and both answers of one."""

from __future__ import annotations

import shlex

import streamlit as st

from annotate.analysis.comparison.compare import ComparedSystems, ListedPair
from annotate.domain.message import Value, message
from annotate.pages.comparison.sentences import names
from annotate.pages.kit import actor, draw, layout, sign_in, texts
from annotate.pages.kit.messages import say, told
from annotate.pages.kit.steps import for_store
from annotate.present import comparison, pairs_drawn
from annotate.present.document import Document
from annotate.store import Store
from annotate.workflow.sampling import paired_waves
from proxy.comparison.comparison import NEEDED
from proxy.errors import AssayError
from proxy.records import Item

SEED = 1
MOST = 10_000


def show(result: ComparedSystems, document: Document) -> None:
    """The table, and below it what was selected."""
    layout.heading("systems.listed")
    draw.section(document.section("systems.listed"), headed=False)
    if not result.listed:
        st.caption(say("systems.listed_none" if result.shared.pairs else "systems.listed_unlabelled"))
        return
    both = names(result)
    place = draw.table(comparison.listed(result, both), message("systems.listed"), select="systems-listed")
    if place is not None:
        _read(result.listed[place], both)


def _read(listed: ListedPair, both: tuple[str, str]) -> None:
    """The question with both answers, side by side."""
    with st.container(border=True):
        texts.show_conversation(listed.first.history, "systems-before")
        texts.heading(say("systems.question"))
        texts.show(listed.first.question, "systems-question")
        sides = ((listed.first, listed.pair.first), (listed.second, listed.pair.second))
        for column, label, (item, answered) in zip(st.columns(2), both, sides, strict=True):
            with column:
                _answer(label, item, comparison.called(answered))


def _answer(label: str, item: Item, called: Value) -> None:
    texts.small([f"{label} · {texts.others(item.id)}", told(called)])
    texts.show(item.answer, f"systems-answer-{label}")


def show_following(store: Store, result: ComparedSystems, document: Document) -> None:
    """The notes, the next step with its commands, and the dry run of a draw."""
    if document.notes:
        layout.heading("systems.notes")
        draw.notes(document)
    layout.heading("systems.next")
    with st.container(border=True):
        draw.steps(store, document.next)
        if sum(result.left) and result.shared.questions:
            _draw(store, (result.sides[0].name, result.sides[1].name))


@sign_in.fragment
def _draw(store: Store, names: tuple[str, str]) -> None:
    """What a draw of so many labels would bring; nothing is written."""
    with st.form("systems-draw", border=False):
        left, right = st.columns([1, 3], vertical_alignment="bottom")
        labels = left.number_input(
            say("systems.draw_labels"),
            min_value=1,
            max_value=MOST,
            value=NEEDED,
            key="systems-draw-labels",
            help=say("systems.draw_labels_help"),
        )
        asked = right.form_submit_button(say("systems.draw_try"), key="systems-draw-try")
    if not asked:
        return
    try:
        drawn = paired_waves.draw(store, names, int(labels), seed=SEED, now=actor.now(), who="", dry_run=True)
    except AssayError as error:
        layout.answer(layout.Tone.UNKNOWN, str(error))
        return
    draw.messages([pairs_drawn.answer(drawn), *pairs_drawn.lines(drawn)])
    st.caption(say("systems.draw_run"))
    both = " ".join(shlex.quote(name) for name in names)
    st.code(for_store(f"assay compare {both} --draw {int(labels)} --seed {SEED}", store.path), language=None)
