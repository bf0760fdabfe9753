"""Two judges crossed at their thresholds, coloured by what annotators say: where the wrong answers lie, and what to mend first.

What `assay diagnose` says: the stage of each system or why none is named, counts, and causes of a named stage. What it says
of each system by itself is on this page already, and its misses on the page of disagreements.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.judges import quadrants as judges_quadrants
from annotate.analysis.judges.quadrants import CrossedJudges, PairChoice
from annotate.analysis.next_step.diagnosis import after_diagnosis
from annotate.domain.message import message
from annotate.pages.kit import cache, draw, layout, texts, url_state
from annotate.pages.kit import quadrants as kit_quadrants
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.privacy import escaped
from annotate.present import diagnosis as present_diagnosis
from annotate.present import quadrants as present_quadrants
from annotate.project.store_access import way_of
from annotate.store import Store
from proxy.rule import Rule

PAIR, SYSTEM = "cross", "of"
EVERY, NO_SYSTEM = "*", "-"


def show(store: Store, rule: Rule) -> None:
    """The section."""
    layout.heading("judges.corners")
    choice = cache.kept(store, "corners choice", lambda: judges_quadrants.choice(store, rule), rule.expression)
    if not choice.pairs:
        draw.messages([message("judges.corners_none", reason=choice.reason)])
        return
    pair, system, is_all = _choose(choice)
    crossed = cache.kept(
        store,
        "corners",
        lambda: judges_quadrants.build(store, pair, system=system, is_all=is_all),
        *(pair, system, is_all),
    )
    picture, words = st.columns([1, 1], gap="medium")
    with picture:
        kit_quadrants.show(store, crossed, "corners-picture")
        if crossed.points:
            draw.messages(present_quadrants.below(crossed))
    with words:
        for corner in crossed.corners:
            if corner.place is not None or corner.answers or corner.wrong:
                with st.container(border=True, gap="xsmall"):
                    draw.section(present_quadrants.corner(crossed, corner))
    draw.messages([message("judges.corners_basis", picked=crossed.hand_picked)])
    if pair.tells_stages:
        show_diagnosis(store, system, is_all=is_all)


def _choose(choice: PairChoice) -> tuple[CrossedJudges, str | None, bool]:
    """The pair and the system that the user wants, kept in the address."""
    pairs = {f"{pair.across}-{pair.up}": pair for pair in choice.pairs}
    systems = {NO_SYSTEM if name is None else texts.others(name): name for name in choice.systems}
    first, second = st.columns(2) if len(pairs) > 1 else (st.container(), st.columns(2)[0])
    code, system = next(iter(pairs)), EVERY
    if len(pairs) > 1:
        with first:
            words = {code: crossing(pair) for code, pair in pairs.items()}
            code = url_state.select(marked("judges.corners_pair"), words, PAIR, default=code)
    if len(systems) > 1:
        with second:
            names = {shown: system_name(name) for shown, name in systems.items()}
            system = url_state.select(
                marked("judges.corners_system"), {EVERY: say("judges.all_systems")} | names, SYSTEM, default=EVERY
            )
    return pairs[code], systems.get(system), system not in systems


def crossing(pair: CrossedJudges) -> str:
    """Both judges in words."""
    return say("judges.crossed", across=texts.others(pair.across), up=texts.others(pair.up))


def system_name(system: str | None) -> str:
    """A system as its annotators call it."""
    return say("judges.no_system") if system is None else texts.others(system)


def show_diagnosis(store: Store, system: str | None, *, is_all: bool) -> None:
    """What can be named in a sentence, then counts by part and the causes of named stages, of the systems looked at."""
    result = cache.kept(store, "diagnoses", lambda: diagnosis.build(store, thresholds=Thresholds()))
    if not is_all:
        result = replace(result, each=[each for each in result.each if each.system == system], unlabelled=())
    document = present_diagnosis.document(result, after_diagnosis(result, way_of(store.path)))
    texts.heading(say("judges.mend"))
    st.markdown(escaped(told(document.answer)))
    of_all = [part for part in document.sections if not part.title or part.title.key != "diagnosis.system"]
    draw.sections(of_all, "judges-diagnosis")
    draw.messages(document.notes)
    draw.steps(store, document.next)
