"""Definitions of frames: cells by hand, what no definition can give, and the way to JSON and back."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from annotate.domain.sampling.frame_definition import (
    KINDS,
    FrameCell,
    FrameDefinition,
    FrameInputs,
    RankedCells,
    definition_of,
)
from proxy.evaluation.levels import levels_of
from proxy.evaluation.predictor import PredictorScores, TaughtPredictor, fit
from proxy.planning import strata
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame
from support.sampling import FAILED, PASSED, UNSCORED, frame


def defined(rows: SamplingFrame, names: Coded, chances: np.ndarray | None = None) -> FrameDefinition | None:
    return definition_of(
        rows,
        names,
        chances,
        rule=3,
        disputed_by=(-1, ()),
        judges=(5,),
        is_by_question=True,
        excluded=(1, 2),
    )


def inputs(rows: SamplingFrame, scores: PredictorScores | None = None) -> FrameInputs:
    kinds = np.array([KINDS.index(kind) for kind in rows.kinds], dtype=np.uint8)
    nothing = PredictorScores(np.zeros((len(kinds), 0)), np.zeros(len(kinds), dtype=np.intp))
    return FrameInputs(kinds, rows.values, nothing if scores is None else scores)


def test_a_rank_lies_in_the_cell_of_the_cuts_below_it() -> None:
    """A cut belongs to the cell below it; nan, which no cut parts, lies in the only one."""
    cells = RankedCells((0.2, 0.5), (4, 0, 9))

    assert cells.places(np.array([0.1, 0.2, 0.21, 0.5, 0.9])).tolist() == [4, 4, 0, 0, 9]
    assert RankedCells((), (7,)).places(np.array([np.nan, 1.0])).tolist() == [7, 7]


def test_a_frame_that_values_cut_is_defined_by_its_cuts() -> None:
    rows = frame({PASSED: 60, FAILED: 30, UNSCORED: 9})
    names = strata.stratify(rows, 200)
    definition = defined(rows, names)

    assert definition is not None
    assert [len(definition.by_kind[kind].cells) for kind in (PASSED, FAILED, UNSCORED)] == [3, 2, 1]
    cells = [definition.cells[place] for place in definition.places(inputs(rows))]
    assert cells == [FrameCell(name, None) for name in names]
    assert (definition.rule, definition.excluded) == (3, (1, 2))
    # Nobody disputes: the judge of words decides nothing.
    assert definition.judges == frozenset()


def test_a_frame_that_levels_cut_has_chances_by_level() -> None:
    """The levels are those of the predictor that the definition keeps; chances that rise and fall with them are kept, too."""
    rows = frame({PASSED: 120, FAILED: 60})
    rng = np.random.default_rng(4)
    right = np.where(rng.random(180) < 0.5, (rng.random(180) < 0.6).astype(float), np.nan)
    table = np.column_stack([rows.values, np.where(rng.random(180) < 0.1, np.nan, rng.random(180))])
    scores = PredictorScores(table, rng.integers(0, 10, 180).astype(np.intp))
    labelled = np.flatnonzero(~np.isnan(right))
    known = PredictorScores(table[labelled], scores.fold[labelled])
    predictor = fit((), known, right[labelled])
    levels = predictor.levels(scores)
    rows = replace(rows, right=right, level=levels, fitted=TaughtPredictor(predictor, known))
    chances = np.abs(levels.astype(float) - 32) / 64
    chances[rows.kinds.among(FAILED)] = np.nan

    definition = defined(rows, rows.kinds, chances)

    assert definition is not None
    read = FrameDefinition.of_json(definition.to_json())
    places = read.places(inputs(rows, scores))
    given = np.array([np.nan if read.cells[place].chance is None else read.cells[place].chance for place in places])
    np.testing.assert_array_equal(given, chances)
    assert [read.cells[place].stratum for place in places] == rows.kinds.tolist()
    assert read.has_chances
    assert read.judges == {5}
    assert read.to_json() == definition.to_json()


def test_what_cannot_be_defined_is_not() -> None:
    """Strata of one kind that overlap, levels that nothing gives, no items."""
    rows = frame({PASSED: 40})
    mixed = Coded((f"{PASSED}_1", f"{PASSED}_2"), (np.arange(40) % 2).astype(np.uint8))

    assert defined(rows, mixed) is None
    assert defined(replace(rows, level=levels_of(np.full(40, 0.5))), rows.kinds) is None
    assert defined(rows.only(np.zeros(0, dtype=np.intp)), rows.kinds) is None


def test_a_definition_has_a_digest_for_each_stretch() -> None:
    """One changed code changes the digest of its stretch alone."""
    rows = replace(frame({PASSED: 5000}), keys=np.arange(1, 5001))
    definition = defined(rows, rows.kinds)
    assert definition is not None
    codes = np.ones(5000, dtype=np.uint8)
    sealed = definition.sealed(rows.keys, codes, None, None)
    codes[4200] = 2
    other = definition.sealed(rows.keys, codes, None, None)

    assert sealed.stretches() == [(1, 1000), (1001, 2000), (2001, 3000), (3001, 4000), (4001, 5000)]
    differs = [one != two for one, two in zip(sealed.digests, other.digests, strict=True)]
    assert differs == [False, False, False, False, True]
    assert sealed.items == 5000


def test_a_definition_of_a_newer_format_is_refused() -> None:
    rows = frame({PASSED: 4})
    definition = defined(rows, rows.kinds)
    assert definition is not None
    content = json.dumps(json.loads(definition.to_json()) | {"format": 2})

    with pytest.raises(ValueError, match="newer"):
        FrameDefinition.of_json(content)
