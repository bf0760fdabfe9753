"""How much a judge's score moves when the same text is judged again; where nothing was repeated, how to make that so."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotate.analysis.judges.repeat_noise import Noise, Repeats
from annotate.pages.kit import layout, quantities, texts
from annotate.pages.kit.messages import say
from annotate.present import numbers
from annotate.store import Store
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent

COLUMNS = ("judge", "source", "texts", "flips", "moved", "moves", "largest")
HELPED = ("flips", "moves")


def show(store: Store, found: Noise) -> None:
    """The section."""
    layout.heading("judges.noise")
    if found.repeats:
        columns = [say(f"judges.col_{name}") for name in COLUMNS]
        config = {
            say(f"judges.col_{name}"): st.column_config.Column(help=say(f"judges.help_{name}")) for name in HELPED
        }
        layout.table([_row(one) for one in found.repeats], columns, alt=say("judges.noise_alt"), config=config)
    unknown = [say("judges.noise_unknown", judge=row.label) for row, _ in found.unknown]
    lines = [command for _, command in found.unknown if command]
    is_bare = len(lines) < len(found.unknown)
    texts.small([*unknown, *([say("judges.noise_import")] if is_bare else []), say("judges.noise_basis")])
    if lines:
        texts.small([say("judges.noise_make")])
        layout.commands(store, lines)


def _row(one: Repeats) -> list[object]:
    moves = one.moves
    count = f"{moves.n:,}" if one.most is None else f"{moves.n:,} ({say('judges.upto', most=f'{one.most:,}')})"
    return [
        one.row.label,
        say(f"judges.source_{one.source}"),
        count,
        _share(moves.flipped),
        _share(moves.moved),
        _number(moves.distance),
        numbers.fine(moves.largest),
    ]


def _share(found: Estimate) -> str:
    return _span(found, percent)


def _number(found: Estimate) -> str:
    return _span(found, numbers.fine)


def _span(found: Estimate, words: Callable[[float], str]) -> str:
    """An estimate with its interval; — where there is none."""
    if found.estimate is None or found.low is None or found.high is None:
        return "—"
    return f"{words(found.estimate)} ({quantities.span((found.low, found.high), words)})"
