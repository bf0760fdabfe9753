"""Judges beside each other: every version with what it stands for, any two judges in use on the same answers."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.analysis.judges.pairs import MOST, JudgePairs
from annotate.analysis.judges.table import JudgeRow
from annotate.pages.kit import layout, texts, times
from annotate.pages.kit.messages import say
from annotate.present import numbers
from proxy.evaluation.trust import percent

VERSIONS = ("judge", "signature", "notes", "first", "last", "scored", "before", "described")
PAIRS = ("one", "other", "both", "equal", "kappa", "correlation", "distance")
HELPED = ("equal", "kappa", "correlation", "distance")


def show_versions(rows: Sequence[JudgeRow], pairs: JudgePairs) -> None:
    """Every signature that has scored, a judge's oldest first."""
    layout.heading("judges.versions")
    before = {one.other.totals.key: one.found for one in pairs.versions}
    ordered = sorted(rows, key=lambda one: (one.totals.judge, one.totals.key))
    cells = []
    for row in ordered:
        found, span = before.get(row.totals.key), row.span
        same = "—"
        if found is not None and found.agreement is not None:
            same = say("judges.same", share=percent(found.agreement), n=f"{found.n:,}")
        notes = "judges.note_read" if row.is_read else "judges.note_old"
        cells.append(
            [
                row.totals.judge,
                row.totals.signature,
                say(notes) if row.is_read or not row.is_in_use else "",
                times.moment(span.first_at) if span else "—",
                times.moment(span.last_at) if span else "—",
                row.totals.scored,
                same,
                _stands_for(row),
            ]
        )
    config = {say("judges.col_signature"): st.column_config.Column(help=say("judges.help_signature"))}
    columns = [say(f"judges.col_{name}") for name in VERSIONS]
    layout.table(cells, columns, alt=say("judges.versions_alt"), config=config)
    texts.small([say("judges.versions_basis")])


def _stands_for(row: JudgeRow) -> str:
    """Who judges, and all else that shaped the scores, where it is known."""
    who = say(f"judges.kind_{row.kind}", model=row.model)
    return "; ".join([who, *(f"{name} {words}" for name, words in row.described)])


def show_pairs(pairs: JudgePairs) -> None:
    """Any two judges in use."""
    layout.heading("judges.pairs")
    if not pairs.between:
        texts.small([say("judges.pairs_one")])
        return
    cells = [
        [
            one.one.label,
            one.other.label,
            one.found.n,
            "—" if one.found.agreement is None else percent(one.found.agreement),
            *(numbers.coefficient(value) for value in (one.found.kappa, one.found.correlation, one.found.distance)),
        ]
        for one in pairs.between
    ]
    columns = [say(f"judges.col_{name}") for name in PAIRS]
    config = {say(f"judges.col_{name}"): st.column_config.Column(help=say(f"judges.help_{name}")) for name in HELPED}
    layout.table(cells, columns, alt=say("judges.pairs_alt"), config=config)
    left = [say("judges.pairs_left", most=MOST, count=pairs.left_out)] if pairs.left_out else []
    texts.small([*left, say("judges.pairs_basis")])
