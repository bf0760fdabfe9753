"""Measure how much a judge's score moves when the same text is judged again, from every repeat that the store holds.

Repeats are found, never assumed: texts that came twice, runs that differ by their seed alone, test answers that several runs
asked, and offline judges asked anew here. What a changed prompt, model or version does is no noise and stays out.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.judges.table import JudgeRow
from annotate.analysis.rule_in_force import own_judge
from annotate.analysis.signatures import JudgeKind
from annotate.store import Store
from annotate.store.scores.usage import Told
from proxy.evaluation.repeats import Moves, moves_of
from proxy.judges.llm.canaries import ORDERS
from proxy.judges.menu import NAMES
from proxy.records import Score

# Chosen for the time that a page may take: twins and seeds are read from the store, where a share of 2,000 is known to 2 points;
# judging anew runs the judge, and 40 answers take it a moment.
MOST_TWINS, MOST_SEEDS, ASKED_AGAIN = 2_000, 5_000, 40
# Chosen: a share of 100 scores is known to 10 points, and the requests cost little.
ASKED_BY_COMMAND = 100
SEED = "seed"
Numbers = NDArray[np.float64]


class RepeatSource(StrEnum):
    """The source of the second score."""

    TWINS = "twins"
    SEED = "seed"
    TESTS = "tests"
    ANEW = "anew"


@dataclass(frozen=True, kw_only=True, slots=True)
class Repeats:
    """One judge's scores of the same texts, given twice; `most` is where counting stopped, None where all were counted."""

    row: JudgeRow
    source: RepeatSource
    moves: Moves
    most: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatNoise:
    """All repeats, and the judges without any with the command that makes some; None where only other texts would help."""

    repeats: Sequence[Repeats]
    unknown: Sequence[tuple[JudgeRow, str | None]]


def build(store: Store, rows: Sequence[JudgeRow]) -> RepeatNoise:
    """Collect every repeat of every judge."""
    twins = store.scores.judge_pairs.twins(MOST_TWINS)
    settings, test_values = store.scores.usage.settings(), store.scores.usage.test_values()
    repeats = [
        repeat
        for row in rows
        for repeat in (
            _of_twins(store, row, twins),
            *_of_seeds(store, row, rows, settings),
            _of_tests(row, test_values),
            _anew(store, row),
        )
        if repeat.moves.n
    ]
    known = {repeat.row.totals.key for repeat in repeats}
    return RepeatNoise(
        repeats=repeats,
        unknown=[(row, _command(row)) for row in rows if row.is_in_use and row.totals.key not in known],
    )


def _of_twins(store: Store, row: JudgeRow, twins: Sequence[tuple[int, int]]) -> Repeats:
    """Compare answers that are the same in every word under two ids; to a judge of references they may differ."""
    pairs = () if row.needs_reference else twins
    before, after = store.scores.judge_pairs.of_twins(row.totals.key, pairs)
    return _repeats(row, RepeatSource.TWINS, before, after, MOST_TWINS if len(twins) >= MOST_TWINS else None)


def _of_seeds(
    store: Store, row: JudgeRow, rows: Sequence[JudgeRow], settings: Mapping[str, Mapping[str, object]]
) -> list[Repeats]:
    """Compare older signatures of this judge that stand for the same but for the seed."""
    own_settings = _without_seed(row, settings)
    older = [
        version
        for version in rows
        if own_settings is not None
        and version.totals.judge == row.totals.judge
        and version.totals.key < row.totals.key
        and _without_seed(version, settings) == own_settings
    ]
    repeats = []
    for version in older:
        before, after = store.scores.judge_pairs.both(version.totals.key, row.totals.key, MOST_SEEDS)
        repeats.append(
            _repeats(row, RepeatSource.SEED, before, after, MOST_SEEDS if before.size == MOST_SEEDS else None)
        )
    return repeats


def _without_seed(row: JudgeRow, settings: Mapping[str, Mapping[str, object]]) -> tuple[object, ...] | None:
    """Return all that shapes a model's scores but the seed; None where that is not known."""
    remaining = dict(settings.get(row.totals.signature, {}))
    parameters = remaining.pop("parameters", None)
    if row.kind is not JudgeKind.MODEL or not isinstance(parameters, Mapping):
        return None
    kept = sorted((name, repr(value)) for name, value in parameters.items() if name != SEED)
    # The signature's last part is the digest of all settings, the seed among them.
    return (row.totals.signature.rpartition("|")[0], repr(sorted(remaining.items())), repr(kept))


def _of_tests(row: JudgeRow, test_values: Sequence[Told]) -> Repeats:
    """Compare the first two values of each test answer: every run asks one, in turn, so that they come back."""
    values = defaultdict[int, list[float]](list)
    for test in test_values:
        if test.signature == row.totals.signature:
            values[test.run % len(ORDERS)].append(test.value)
    pairs = np.array([runs[:2] for runs in values.values() if len(runs) > 1]).reshape(-1, 2)
    return _repeats(row, RepeatSource.TESTS, pairs[:, 0], pairs[:, 1], None)


def _anew(store: Store, row: JudgeRow) -> Repeats:
    """Ask an offline judge again, here and now, about some of the answers that it has scored."""
    judge = own_judge(row.totals.judge)
    empty = np.zeros(0)
    if judge is None or judge.signature != row.totals.signature or row.needs_reference:
        return _repeats(row, RepeatSource.ANEW, empty, empty, None)
    before = dict(store.scores.judge_pairs.some_scored(row.totals.key, ASKED_AGAIN))
    outcomes = {key: judge.judge(item) for key, item in store.traffic.items.read(list(before)).items()}
    again = {key: outcome.value for key, outcome in outcomes.items() if isinstance(outcome, Score)}
    return _repeats(
        row,
        RepeatSource.ANEW,
        np.array([before[key] for key in again], dtype=np.float64),
        np.array(list(again.values()), dtype=np.float64),
        ASKED_AGAIN if len(before) < row.totals.scored else None,
    )


def _repeats(row: JudgeRow, source: RepeatSource, before: Numbers, after: Numbers, most: int | None) -> Repeats:
    return Repeats(row=row, source=source, moves=moves_of(before, after, row.alone.rule.threshold), most=most)


def _command(row: JudgeRow) -> str | None:
    """Return the command that asks the model again about 100 answers, under its own signature; None where it cannot be said."""
    judge = row.totals.judge
    if row.kind is not JudgeKind.MODEL or row.model is None or judge not in NAMES:
        return None
    url = next((words for name, words in row.described if name == "url"), None)
    address = ["--base-url", url] if url else []
    which = ["--one-call"] if row.with_others else ["--judges", judge]
    more = ["--parameter", f"{SEED}=2", "--limit", str(ASKED_BY_COMMAND)]
    return shlex.join(["assay", "judge", "--backend", "openai", "--model", row.model, *address, *which, *more])
