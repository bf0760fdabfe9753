"""The waves: how far each is, and the ledger of one of them with the chance of every stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.analysis.labelling import status
from annotate.analysis.labelling.status import FrameCoverage, HumanSide, WaveRow
from annotate.charts.wave_progress import OutcomeCount, wave_progress
from annotate.domain.counted import code, counted
from annotate.domain.message import share
from annotate.domain.sampling.designs import WaveDesign
from annotate.pages.kit import cache, draw, layout, links, texts
from annotate.pages.kit.messages import marked, render, say
from annotate.pages.kit.tables import TableCell
from annotate.present import labelling_status
from annotate.present.waves import chance, stratum
from annotate.store import Store
from annotate.store.labels.adjudication import WaveProgress
from annotate.store.sampling.ledger import StratumProgress

CHARTED = 12
WAVE, LEDGER, COUNTS = "lw", "lw-ledger", "lw-counts"
LABELS = ("right", "wrong", "unsure")
OUTCOMES = (*LABELS, "open")
COLUMNS = ("wave", "day", "design", "part", "drawn", *OUTCOMES, "skipped", "gone", "counts")
STRATA_COLUMNS = ("stratum", "size", "drawn", "chance", *OUTCOMES, "skipped", "gone")
NONE = "—"
CARD = 360


def show(store: Store, state: HumanSide, who: str) -> None:
    """Every wave in one row; folded, one wave in all its strata, and all counts."""
    if not state.waves:
        st.caption(say("labelling.no_waves_hand_picked" if state.annotators else "labelling.no_waves"))
        return
    _chart(state.waves)
    newest = list(reversed(state.waves))
    layout.table(
        [_row(wave) for wave in newest],
        [say(f"labelling.column_{name}") for name in COLUMNS],
        alt=say("labelling.waves_alt"),
    )
    texts.small([f"{draw.capital(render(note))}." for note in state.notes])
    if state.second:
        st.caption(say("labelling.second", count=state.second))
    if state.asked:
        st.caption(say("labelling.asked", count=state.asked))
    with st.expander(say("labelling.ledger"), key=LEDGER, on_change="rerun") as ledger:
        if ledger.open:
            _ledger(newest)(_coverage(store))
    with st.expander(say("labelling.counts"), key=COUNTS, on_change="rerun") as counts:
        if counts.open:
            draw.cards(labelling_status.figures(state), columns=4)
            with st.container(width=CARD):
                draw.card(labelling_status.uncovered(_coverage(store)))


def _coverage(store: Store) -> FrameCoverage:
    """The traffic that no wave which counts has framed, and the frames."""
    with st.spinner(say("labelling.counting")):
        return cache.kept(store, "coverage", lambda: status.coverage(store))


def _labelled(done: WaveProgress | StratumProgress, kind: str, *of: object) -> list[TableCell]:
    """The counts of each label, as links to their answers."""
    counts = [counted(getattr(done, name), kind, name, *of) for name in LABELS]
    return [TableCell(count, links.answers(count)) for count in counts]


def _row(row: WaveRow) -> tuple[TableCell | str | int, ...]:
    """A wave in the table."""
    return (
        row.wave.number,
        texts.day(row.wave.at),
        design_words(row.wave.design),
        row.wave.part or say("labelling.whole"),
        row.drawn,
        *_labelled(row.done, "wave", row.wave.number),
        row.done.open,
        row.done.skipped,
        row.gone,
        say("labelling.yes" if row.counts else "labelling.not_yet"),
    )


def design_words(design: WaveDesign) -> str:
    """How a wave draws."""
    return say(f"labelling.design_{design.value}")


def _chart(waves: Sequence[WaveRow]) -> None:
    """The newest waves, a bar each."""
    shown = [row for row in reversed(waves) if row.done.drawn][:CHARTED]
    if not shown:
        return
    words = [say(f"labelling.column_{name}") for name in OUTCOMES]
    counts = [part for row in shown for part in _bar(row, words)]
    chart = wave_progress(
        counts,
        words,
        wave=say("labelling.column_wave"),
        outcome=say("labelling.outcome"),
        draws=say("labelling.column_drawn"),
    )
    outcomes = "; ".join(
        say(
            "labelling.wave_said",
            number=row.wave.number,
            right=row.done.right,
            wrong=row.done.wrong,
            unsure=row.done.unsure,
            open=row.done.open,
        )
        for row in shown
    )
    layout.counted(chart, "waves-picture", words=say("labelling.waves_chart", waves=outcomes))


def _bar(row: WaveRow, words: Sequence[str]) -> Iterator[OutcomeCount]:
    """The parts of a wave's bar, one after the other."""
    name, before = say("labelling.wave_number", number=row.wave.number), 0
    for place, outcome in enumerate(OUTCOMES):
        draws = getattr(row.done, outcome)
        ends = (before / row.done.drawn, (before + draws) / row.done.drawn)
        behind = code("wave", outcome, row.wave.number) if draws and outcome in LABELS else ""
        yield OutcomeCount(name, words[place], place, draws, *ends, behind)
        before += draws


def _ledger(newest: Sequence[WaveRow]) -> Callable[[FrameCoverage], None]:
    """One wave's ledger, and how to say what its frame holds once that is counted."""
    numbers = [row.wave.number for row in newest]
    chosen = st.selectbox(say("labelling.which_wave"), numbers, key=WAVE, bind="query-params", width=160)
    row = newest[numbers.index(chosen)] if chosen in numbers else newest[0]
    wave = row.wave
    st.markdown(
        marked(
            "labelling.drawn_how",
            at=texts.moment(wave.at),
            design=design_words(wave.design),
            part=wave.part or say("labelling.whole"),
            labels=wave.labels or NONE,
            audit=render(share(wave.audit)),
            seed=str(wave.seed),
            rule=f"`{texts.others(wave.rule)}`",
        )
    )
    if row.is_old_rule:
        st.caption(say("labelling.old_rule"))
    place = st.empty()
    layout.table(
        [
            (
                stratum_words(part.stratum),
                part.size,
                part.drawn,
                render(chance(part.chance)),
                *_labelled(part.done, "wave-stratum", wave.number, part.stratum),
                part.done.open,
                part.done.skipped,
                part.done.gone,
            )
            for part in row.strata
        ],
        [say(f"labelling.column_{name}") for name in STRATA_COLUMNS],
        alt=say("labelling.ledger_alt", number=wave.number),
    )
    st.caption(say("labelling.ledger_basis"))
    return lambda covered: _frame(place, covered, wave.number)


def _frame(place: DeltaGenerator, covered: FrameCoverage, number: int) -> None:
    """What the wave could draw from, and how much of it has changed since."""
    state = next((frame for frame in covered.frames if frame.wave == number), None)
    if state is not None:
        place.caption(say("labelling.framed", items=state.items, gone=state.gone))


def stratum_words(name: str) -> str:
    """What its items are sampled as."""
    return render(stratum(name))
