"""Where is the proxy wrong? Misses and false fails, what they stand for, a list to filter, one of them with all that is known.

The rule: what is asked for and which item is open stand in the address, and nowhere else.
"""

from __future__ import annotations

import streamlit as st

from annotate.analysis import disagreements
from annotate.analysis.disagreements import Ground
from annotate.pages.disagreements import answer, filters, item, table
from annotate.pages.kit import actor, cache, layout
from annotate.pages.kit.messages import say
from annotate.store import Store
from annotate.store.labels.disagreements import DisagreementFilter


def show(store: Store) -> None:
    """The page."""
    layout.title("disagreements")
    who = actor.name_given()
    sentence = st.container()
    ground: Ground = cache.kept(store, "disagreements", lambda: disagreements.ground(store))
    table.show_opposite(store)
    counts = cache.kept(
        store, "disagreements-all", lambda: store.labels.disagreements.count(ground.key, DisagreementFilter())
    )
    if not sum(counts.values()):
        with sentence:
            answer.none(store)
        item.show(store, ground, DisagreementFilter(), who)
        return
    slot = sentence.empty()
    with slot.container():
        answer.counted(counts)
    cards = st.empty()
    with cards.container():
        answer.waiting()
    asked = filters.ask(store, ground)
    listed = disagreements.listed(store, ground, asked, page=table.page(), size=table.SIZE)
    table.show(store, ground, asked, listed)
    item.show(store, ground, asked, who)
    answer.show(store, ground, asked)
    layout.heading("disagreements.next")
    st.markdown(say("disagreements.next_words"))
    layout.commands(store, ("assay diagnose", "assay slices"))
    # Last, because on a large store the report takes seconds: what is above is read meanwhile.
    weighed = disagreements.weigh(counts, cache.report(store).agreement)
    with slot.container():
        answer.weighed(counts, weighed)
    with cards.container():
        answer.cards(store, weighed)
