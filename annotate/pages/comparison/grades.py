"""What a judge of correctness gave both: grades from 1 to 5 by question and system, means, their difference; no person's word."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.comparison.compare import Compared
from annotate.analysis.comparison.graded import NAMED, JudgesWord
from annotate.charts import heat_map
from annotate.charts.grades import Grade, Level, grades
from annotate.pages.comparison.sentences import names
from annotate.pages.kit import layout, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say
from annotate.present import numbers
from proxy.comparison.grade_pairs import GradeTally, tally
from proxy.stats.testing.paired_power import MeanWithin


def show(found: Compared) -> None:
    """Means as cards, then each question by system, and all questions by both grades where they are many."""
    layout.heading("systems.grades")
    word = found.word
    if word is None:
        st.caption(marked("systems.grades_none"))
        return
    both = names(found)
    texts.small([say("systems.grades_word", signature=texts.others(word.found.signature))])
    if word.others:
        texts.small([say("systems.grades_others", n=word.others)])
    _means(word, both)
    if not word.found.questions:
        return
    _by_question(word, both)
    if len(word.found.questions) > NAMED:
        _table(tally(word.found), both)


def number(value: float) -> str:
    """A grade or a mean of grades, three decimals at most."""
    return numbers.fine(value).rstrip("0").rstrip(".")


def _means(word: JudgesWord, both: tuple[str, str]) -> None:
    found = word.found
    top = say("systems.mean_of", top=found.scale.top or 1)
    method = say("systems.mean_paired" if found.is_paired else "systems.mean_welch")
    with st.grid(3):
        for label, one in zip(both, (found.first, found.second), strict=True):
            _card(f"{label}: {top}", number(one.mean), one)
        _card(say("systems.difference"), numbers.coefficient(found.difference.mean, "+"), found.difference, method)


def _card(label: str, value: str, one: MeanWithin, method: str | None = None) -> None:
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(escaped(label), value, help=say("systems.mean_help"))
        lines = [say("systems.no_interval")]
        if one.low is not None and one.high is not None:
            lines = [say("systems.interval", low=numbers.coefficient(one.low), high=numbers.coefficient(one.high))]
        lines.append(say("systems.over_questions", n=one.n))
        texts.small([*lines, *([method] if method else [])])


def _question(word: JudgesWord, key: str) -> str:
    """What was asked; by its key where that is not known."""
    return texts.others(word.questions.get(key, key))


def _by_question(word: JudgesWord, both: tuple[str, str]) -> None:
    """Dots for the first NAMED questions, the means of all as lines."""
    found = word.found
    shown = found.questions[:NAMED]
    given = [
        Grade(place, _question(word, one.question)[:200], system, grade)
        for place, one in enumerate(shown, start=1)
        for system, grade in zip(both, (one.first, one.second), strict=True)
    ]
    means = [
        Level(system, one.mean, one.low, one.high)
        for system, one in zip(both, (found.first, found.second), strict=True)
    ]
    texts.heading(say("systems.grades_chart"))
    told = "; ".join(f"{place}: {number(one.first)}, {number(one.second)}" for place, one in enumerate(shown, start=1))
    st.altair_chart(
        grades(given, means, found.scale.span, (say("systems.question"), say("systems.grade"))),
        width="stretch",
        alt=say("systems.grades_alt", first=both[0], second=both[1], grades=told),
    )
    st.caption(say("systems.grades_first", shown=len(shown), n=len(found.questions)))


def _table(counted: GradeTally, both: tuple[str, str]) -> None:
    texts.heading(say("systems.grades_table"))
    cells = [
        heat_map.Cell(
            number(one.first), number(one.second), one.questions, f"{one.questions:,}" if one.questions else ""
        )
        for one in counted.pairs
    ]
    told = say("systems.grades_tally", higher=counted.higher, lower=counted.lower, equal=counted.equal)
    left, _ = st.columns([3, 2])
    left.altair_chart(heat_map.heat_map(cells, both[0], both[1]), width="stretch", alt=told)
    st.caption(told)
