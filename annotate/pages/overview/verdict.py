"""The answer: the verdict in one sentence, each limit with what was found, what to do next, and whether the gate opens."""

from __future__ import annotations

import streamlit as st

from annotate.analysis.report.limits import BEYOND_CHANCE, HARM, PEOPLE, Held, Standing, held
from annotate.analysis.report.report import Report
from annotate.domain import gate_limits
from annotate.pages.kit import cache, layout, quantities, texts
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.quantities import Measure
from annotate.pages.kit.steps import commands_of, for_store, in_words, next_step
from annotate.pages.overview import sentence as overview_sentence
from annotate.store import Store
from proxy.evaluation.annotator_agreement import Reliability

SIGNS = {Standing.MET: "✓", Standing.MISSED: "✗", Standing.OPEN: "…", Standing.UNMEASURABLE: "—"}
SHOWN_REASONS = 10
SHAKY = {Reliability.WEAK: "overview.readers_weak", Reliability.OPEN: "overview.readers_open"}
BY_NAME = {one.name: one for one in quantities.ALL}


def say_verdict(report: Report) -> None:
    """The answer, in words, with a sign and a colour; below it the limits that it rests on."""
    is_measured = report.progress.labelled > 0
    status = overview_sentence.status(report)
    sentence = overview_sentence.sentence(report) if is_measured else say("overview.unlabelled")
    layout.answer(overview_sentence.TONES[status], sentence, say(f"overview.answer_{status.value}"))
    if is_measured and report.people.reliability in SHAKY:
        found = report.people.alpha
        alpha = f"{quantities.number(quantities.KAPPA, found.estimate)} ({quantities.window(quantities.KAPPA, found)})"
        texts.small([say(SHAKY[report.people.reliability], alpha=alpha, count=report.people.n)])
    if report.judged:
        st.caption(
            marked(
                "overview.meaning",
                rule=f"`{report.rule.expression}`",
                name=texts.others(report.rule.name),
                version=report.rule.version,
                basis=report.rule.basis,
            )
        )
    if is_measured:
        _show_limits(report)


def _show_limits(report: Report) -> None:
    """Limit by limit: what must hold, what was found, and whether it is met."""
    wanted = gate_limits.ReportLimits() if cache.limits_problem() else gate_limits.of_report()
    rows = held(report, wanted)
    met = sum(one.standing is Standing.MET for one in rows)
    with st.container(border=True, gap="xsmall"):
        texts.heading(marked("overview.limits", met=met, count=len(rows)))
        layout.table(
            [_limit(one) for one in rows],
            [say(f"overview.limit_{name}") for name in ("standing", "what", "wanted", "found", "interval", "labels")],
            alt=say("overview.limits_alt", met=met, count=len(rows)),
        )
        for one in rows:
            if one.found and one.found.reason and one.standing is Standing.UNMEASURABLE:
                texts.small([f"{_name(one)}: {one.found.reason}"])
        st.caption(say("overview.limits_where"))


def _limit(one: Held) -> tuple[str, str, str, str, str, str]:
    """A row of the table."""
    standing = f"{SIGNS[one.standing]} {say(f'overview.standing_{one.standing.value}')}"
    if one.found is None:
        wanted = say("overview.at_most", value=f"{one.limit:,.0f}")
        return standing, _name(one), wanted, f"{one.count:,}", say("overview.counted"), ""
    measure = _measure(one)
    key = {BEYOND_CHANCE: "overview.above", PEOPLE: "overview.reliable"}.get(one.name, "overview.at_least")
    wanted = say(key, value=quantities.number(measure, one.limit))
    found = quantities.number(measure, one.found.estimate)
    return standing, _name(one), wanted, found, quantities.long_run(measure, one.found), f"{one.found.n:,}"


def _measure(one: Held) -> Measure:
    return quantities.KAPPA if one.name in {BEYOND_CHANCE, PEOPLE} else BY_NAME[one.name]


def _name(one: Held) -> str:
    """What the limit is on."""
    if one.name in {BEYOND_CHANCE, PEOPLE, HARM}:
        return say(f"overview.limit_{one.name}")
    return BY_NAME[one.name].words


def show_next(store: Store, report: Report) -> None:
    """What to do next, with its commands."""
    steps = next_step(report, store.path)
    with st.container(border=True):
        words, commands = st.columns([2, 3], vertical_alignment="center", gap="medium")
        words.markdown(f"**{say('overview.next')}**  \n{escaped(in_words(steps))}")
        commands.code(
            "\n".join(for_store(command, store.path) for command in commands_of(steps)), language=None, wrap_lines=True
        )
        missing = cache.kept(store, "without_reference", lambda: len(store.gold.without_reference()))
        if missing:
            words.caption(marked("overview.without_reference", count=missing))


def show_gate(report: Report) -> None:
    """Whether `assay report --gate` lets this pass, and why not."""
    layout.heading("overview.gate")
    if report.gate.passed:
        st.caption(say("overview.gate_open"))
        return
    st.caption(say("overview.gate_shut"))
    shown = report.gate.reasons[:SHOWN_REASONS]
    more = len(report.gate.reasons) - len(shown)
    lines = [escaped(told(one)) for one in shown] + ([say("overview.more", count=more)] if more else [])
    st.markdown("\n".join(f"- {line}" for line in lines))
