"""Can the proxy be trusted? The sentence first, then what to do next, the numbers, and where the wrong answers sit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from annotate import charts
from annotate.pages import acting, measures, texts
from annotate.pages.steps import for_store, next_step
from annotate.report import Miss, Report, build
from annotate.store import Store
from annotate.strata import Stratum, kind
from proxy.agreement import AgreementReport
from proxy.diagnosis import Quadrant, where_to_look
from proxy.records import Verdict
from proxy.trust import Trust, percent

ANSWERS: dict[Trust, tuple[Callable[..., object], str, str]] = {
    Trust.YES: (st.success, "Yes", ":material/check_circle:"),
    Trust.NO: (st.error, "No", ":material/cancel:"),
    Trust.OPEN: (st.warning, "Not yet", ":material/hourglass_top:"),
    Trust.UNKNOWN: (st.info, "It cannot be said yet", ":material/help:"),
}
UNLABELLED = "No person has labelled a drawn answer yet, so nobody knows how far the proxy is right."
SHOWN_REASONS = 10
SHOWN_HARMFUL = 5
STRATA = {
    Stratum.THUMBS_DOWN: "thumbs-down",
    Stratum.DISPUTED: "disputed (supported by the model, not by the words)",
    Stratum.UNSCORED: "not scored",
    Stratum.PASSED: "passed",
    Stratum.FAILED: "failed",
}


def show(store: Store) -> None:
    """The page."""
    report = build(store, now=acting.now())
    st.title("Can the proxy be trusted?")
    _say(report)
    _harmful(report)
    _next(report, store)
    _counts(report)
    if report.progress.labelled:
        _measured(report.agreement)
        st.markdown(f"**Would another rule do better?** {texts.escaped(report.best.sentence)}")
    if report.progress.labelled or report.hand_picked:
        _wrong_answers(report)
    if report.progress.labelled:
        _strata(report)
    _notes(report.warnings if report.progress.labelled else ())
    if report.progress.labelled or report.hand_picked:
        _gate(report)


def _say(report: Report) -> None:
    """The answer, in words, with a sign and a colour."""
    is_measured = report.progress.labelled > 0
    box, title, icon = ANSWERS[report.trust.status if is_measured else Trust.UNKNOWN]
    box(texts.escaped(report.trust.sentence if is_measured else UNLABELLED), title=title, icon=icon)
    if report.judged:
        st.caption(
            f"The proxy stands in for people: it passes an answer when `{report.rule.expression}` "
            f"(rule {texts.escaped(report.rule.name)}, version {report.rule.version}). The sentence speaks of the long run, "
            "that is of traffic like this to come, and holds the share of right answers among the passed against a limit of "
            f"{percent(report.trust.limit)}."
        )


def _harmful(report: Report) -> None:
    """The answers that people mark as seriously harmful, before anything else."""
    if not report.harmed:
        return
    count = len(report.harmed)
    st.error(
        f"People mark {count:,} {'answer' if count == 1 else 'answers'} as seriously harmful: read and mend "
        f"{'it' if count == 1 else 'them'} first.",
        title="Serious harm",
        icon=":material/warning:",
    )
    for place, miss in enumerate(report.harmful[:SHOWN_HARMFUL], start=1):
        _miss(miss, f"harm-{place}")
    if count > SHOWN_HARMFUL:
        st.caption(f"and {count - SHOWN_HARMFUL:,} more: `assay report --json` names them all.")


def _gate(report: Report) -> None:
    """Whether `assay report --gate` lets this pass, and why not."""
    st.subheader("Does the gate let this pass?")
    if report.gate.passed:
        st.caption("Yes: nobody marks serious harm, and the proxy can be trusted.")
        return
    st.caption("No; a release that runs `assay report --gate` stops here:")
    shown = report.gate.reasons[:SHOWN_REASONS]
    more = len(report.gate.reasons) - len(shown)
    lines = [texts.escaped(one) for one in shown] + ([f"and {more:,} more"] if more else [])
    st.markdown("\n".join(f"- {line}." for line in lines))


def _next(report: Report, store: Store) -> None:
    """What to do next, with its commands."""
    step = next_step(report)
    with st.container(border=True):
        words, commands = st.columns([2, 3], vertical_alignment="center", gap="medium")
        words.markdown(f"**Do next**  \n{texts.escaped(step.words)}")
        commands.code(
            "\n".join(for_store(command, store.path) for command in step.commands), language=None, wrap_lines=True
        )
        missing = len(store.gold.without_reference())
        if missing:
            words.caption(f"Wrong answers that still need a reference answer: {missing:,} (page Gold set).")


def _counts(report: Report) -> None:
    """How much there is, and how good the app is."""
    if not report.items:
        return
    progress, passed = report.progress, report.verdicts[Verdict.PASS]
    st.subheader("How good are the answers?" if progress.labelled else "What is here so far?")
    with st.grid(4):
        if progress.labelled:
            measures.show(measures.CORRECTNESS, report.agreement.correctness)
            measures.show(measures.PASS_RATE, report.pass_rate)
        else:
            words = f"{report.judged:,} are judged, {passed:,} of them passed"
            _count("Answers", f"{report.items:,}", words, "Questions with their answers that were brought in.")
        _labels(report)
        _count(
            "Marked down by users",
            f"{report.thumbs_down:,}",
            f"of {report.items:,} answers; a hint, not a sample",
            "Thumbs-down of end users: they say where to look, not how often the app is wrong.",
        )


def _labels(report: Report) -> None:
    """How many of the drawn answers have a label, and what the labels say."""
    progress = report.progress
    below = f"{progress.right:,} right, {progress.wrong:,} wrong, {progress.unsure:,} unsure"
    if not progress.drawn:
        below = "no answer is drawn for labelling yet"
    if progress.open:
        below += f"; {progress.open:,} drawn answers still wait"
    if report.hand_picked:
        below += f"; {report.hand_picked:,} hand-picked beside"
    meaning = "Verdicts of people on answers drawn with a known chance; hand-picked ones never count in the numbers."
    _count("Labels", f"{progress.labelled:,} of {progress.drawn:,}", below, meaning)


def _count(words: str, value: str, below: str, meaning: str) -> None:
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(words, value, help=meaning)
        texts.small([measures.sentence(below)])


def _measured(agreement: AgreementReport) -> None:
    """The proxy against people: cards, chart and the 2x2 table."""
    st.subheader("How good is the proxy?")
    with st.grid(4):
        for measure in measures.PROXY:
            measures.show(measure, getattr(agreement, measure.name))
    st.caption(
        "This window: the answers that are here now. Long run: traffic like this to come. "
        "A 95 % interval made this way holds the true value 19 times in 20."
    )
    chart, table = st.columns([3, 2], gap="large")
    with chart:
        texts.heading("Shares with their 95 % intervals")
        bars = measures.bars(agreement)
        if bars:
            st.altair_chart(charts.intervals(bars), width="stretch", alt=measures.in_words(bars))
        else:
            st.caption("No share can be measured yet.")
    with table:
        texts.heading("People against the proxy")
        st.table(_two_by_two(agreement), alt="Labels by the verdict of the proxy and of people")
        st.caption(
            "Counts of labels, and the share of all judged traffic that they stand for."
            if agreement.shares
            else "Counts of labels; what they stand for in all traffic is not measurable yet."
        )


def _two_by_two(agreement: AgreementReport) -> pd.DataFrame:
    """Rows: the proxy's verdict; columns: what people say."""
    counts = agreement.counts
    cells = [counts.right_pass, counts.wrong_pass, counts.right_fail, counts.wrong_fail]
    words = [f"{count:,}" for count in cells]
    if agreement.shares:
        shares = [percent(float(share)) for share in agreement.shares]
        words = [f"{count} ({share})" for count, share in zip(words, shares, strict=True)]
    rows = [words[:2], words[2:]]
    return pd.DataFrame(rows, index=["Proxy: pass", "Proxy: fail"], columns=["People: right", "People: wrong"])


def _wrong_answers(report: Report) -> None:
    """Where the wrong answers sit, and those that the proxy missed."""
    st.subheader("Where do the wrong answers sit?")
    if any(one.wrong or one.right for one in report.quadrants):
        st.dataframe(
            _quadrants(report.quadrants), hide_index=True, alt="Labels by what the judges say of passages and answer"
        )
    st.markdown(texts.escaped(where_to_look(report.quadrants)))
    st.caption("Counts of labels at hand, not of all traffic.")
    st.subheader("Which wrong answers did the proxy pass?")
    counted = report.agreement.counts.wrong_pass
    if not report.misses:
        st.caption("None among the labels.")
    elif counted > len(report.misses):
        st.caption(f"The first {len(report.misses):,} of {counted:,}, the most harmful first.")
    for place, miss in enumerate(report.misses, start=1):
        _miss(miss, f"miss-{place}")


def _quadrants(found: Sequence[Quadrant]) -> pd.DataFrame:
    """A row for each quadrant, the one with most wrong answers first."""
    rows = [(one.wrong, one.right, measures.sentence(one.meaning)) for one in sorted(found, key=lambda one: -one.wrong)]
    return pd.DataFrame(rows, columns=["Wrong", "Right", "What a wrong answer here points to"])


def _miss(miss: Miss, key: str) -> None:
    """One missed answer: the question in sight, the rest on demand."""
    with st.container(border=True, gap="xsmall"):
        texts.show(miss.item.question, f"{key}-question")
        with st.expander(
            "Answer, what people and judges say, reference"
            + (" (serious harm)" if miss.label.harm == "serious" else "")
        ):
            parts = [
                ("The app answered", miss.item.answer),
                ("Why it is wrong", miss.label.rationale),
                ("What it should have said", miss.label.reference),
            ]
            for place, (words, text) in enumerate(parts):
                texts.heading(words)
                texts.show(text or "", f"{key}-{place}")
            texts.heading("What the judges say")
            for place, (judge, value, reason) in enumerate(miss.reasons):
                score = "no score" if value is None else f"{value:.2f}"
                texts.show(f"{judge.replace('_', ' ')} {score}: {reason}", f"{key}-judge-{place}")
            texts.show(f"item {miss.item.id}", f"{key}-id")


def _strata(report: Report) -> None:
    """What was drawn from where."""
    st.subheader("Where do the labels come from?")
    rows = [
        (
            _stratum(one.stratum),
            one.size,
            one.drawn,
            percent(one.drawn / one.size) if one.size else "—",
            one.right + one.wrong + one.unsure,
            "—" if one.response is None else percent(one.response),
            one.wrong,
            percent(one.wrong / (one.right + one.wrong)) if one.right + one.wrong else "—",
        )
        for one in report.agreement.strata
    ]
    names = ["Group", "Answers", "Drawn", "Share drawn", "Labelled", "Right or wrong", "Wrong", "Wrong among labelled"]
    st.dataframe(
        pd.DataFrame(rows, columns=names), hide_index=True, alt="Groups of answers that were drawn at their own rates"
    )
    st.caption(
        "Each group is drawn at its own rate, and a label counts for as many answers as it stands for. "
        "Band 1 holds the lowest values of its side."
    )


def _stratum(name: str) -> str:
    """A stratum in words: `passed_2` is the second band of the passed."""
    band = name.rpartition("_")[2]
    return STRATA[kind(name)] + (f", band {band}" if band.isdigit() else "")


def _notes(warnings: Sequence[str]) -> None:
    """What a reader must know before believing a number."""
    if warnings:
        st.subheader("Before you rely on these numbers")
        st.markdown("\n".join(f"- {texts.escaped(measures.sentence(warning))}." for warning in warnings))
