"""Predict P(right) of every item from all its reference-free scores and the labels so far.

Estimates take it cross-fitted, so that no label predicts its own question; what is not labelled yet is expected from all
labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from annotate.store import Store
from annotate.store.scores.predicted import RULE_VALUE, PredictedLevels
from proxy.evaluation.candidates import is_reference_based
from proxy.evaluation.levels import SHARES
from proxy.evaluation.predictor import PredictorScores, TaughtPredictor, fit
from proxy.judges.taught import is_taught
from proxy.planning.strata import SamplingFrame
from proxy.rule import Rule

Judges = Sequence[tuple[str, str]]
FORESEEN = ", foreseen"


def predictors(store: Store) -> Judges:
    """Return the judges whose scores predict: those that need no reference and have tried nearly every item.

    Taught judges are left out: such a score of an answer may hang on that answer's own label.
    """
    known = store.scores.predicted.judges(set(filter(is_reference_based, store.scores.signatures())))
    return [pair for pair in known if not is_taught(pair[1])]


def known(store: Store, rule: Rule, items: Sequence[int]) -> PredictorScores:
    """Return what predicts each of these items: the rule's value, then the scores."""
    return store.scores.predicted.scores(rule, predictors(store), items)


def cross_fitted(
    store: Store, rule: Rule, items: Sequence[int], right: NDArray[np.float64], suffix: str = ""
) -> PredictedLevels:
    """Return the level of every item as these labels of other questions predict it.

    Parameters
    ----------
    store : Store
    rule : Rule
        The rule in force, whose value is the first column.
    items : sequence of int
        The labelled items, by row.
    right : array of numbers
        1 for right, 0 for wrong, of each.
    suffix : str
        Tells these labels from others that are asked for as often, so that the levels of both are kept.
    """
    pairs = predictors(store)
    predictor = None
    if len(items):
        predictor = fit(_columns(pairs), store.scores.predicted.scores(rule, pairs, items), right)
    return store.scores.predicted.levels(rule, pairs, predictor, suffix)


def without_each(
    store: Store, rule: Rule, items: Sequence[int], right: NDArray[np.float64]
) -> Mapping[str, NDArray[np.float64]]:
    """Return P(right) of each item as the labels of other questions predict it without one judge's scores, for each judge.

    Parameters
    ----------
    store : Store
    rule : Rule
        The rule in force; without a judge of its own its value is left out too.
    items : sequence of int
        Drawn items, by row.
    right : array of numbers
        1 for right, 0 for wrong, nan for neither, of each.
    """
    pairs = predictors(store)
    names = dict.fromkeys(judge for judge, _ in (*rule.signatures.items(), *pairs))
    scores = store.scores.predicted.scores(rule, pairs, items)
    decided = ~np.isnan(right)
    predicted = {}
    for name in names:
        kept = [name not in rule.signatures, *(judge != name for judge, _ in pairs)]
        other = PredictorScores(scores.table[:, kept], scores.fold)
        predictor = fit((), PredictorScores(other.table[decided], other.fold[decided]), right[decided])
        predicted[name] = SHARES[predictor.levels(other)]
    return predicted


def foreseen(store: Store, rule: Rule, frame: SamplingFrame) -> SamplingFrame:
    """Return the frame with P(right) of each item as the labels of other questions let expect it; without a label as it is.

    By other questions, because an item's chance in a wave must not depend on its own label (design/027).
    """
    labelled = frame.labelled
    if not len(labelled):
        return frame
    pairs = predictors(store)
    scores = store.scores.predicted.scores(rule, pairs, frame.keys[labelled].tolist())
    predictor = fit(_columns(pairs), scores, frame.right[labelled].astype(np.float64))
    levels = store.scores.predicted.levels(rule, pairs, predictor, FORESEEN)
    return replace(frame, level=levels.of(frame.keys), source=levels.source, fitted=TaughtPredictor(predictor, scores))


def _columns(pairs: Judges) -> list[str]:
    return [RULE_VALUE, *(f"{judge} {signature}" for judge, signature in pairs)]
