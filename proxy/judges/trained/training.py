"""Train light judges on pairs that are made from supported answers: a logistic regression a criterion.

The features are standardised, both kinds of pairs count alike whatever their numbers, each weight counts only as its feature
means, and all are shrunk towards the offline judge (`fitting`, `shrinkage`). Coefficients are kept with six decimals, so that
machines agree but for a rare last digit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxy.judges.trained.features import FEATURES
from proxy.judges.trained.fitting import Table, fit
from proxy.judges.trained.judge import EMBEDDING, Embed, TrainedJudge, values_of
from proxy.judges.trained.model import TrainedModel
from proxy.judges.trained.pairs import POSITIVE, Criterion, PairKind, TrainingPair, pairs_of
from proxy.judges.trained.shrinkage import TeachingRows, chosen_shrinkage
from proxy.judges.trained.supported_answers import SupportedAnswer, parted
from proxy.records import JudgeFailure
from proxy.stats.sampling.permanent_random import permanent_random_number

# Chosen: below it a pair or two of a kind decide a weight.
FEWEST = 10
# Chosen: more teach nothing that a few features could hold, and each takes about 10 ms.
MOST = 2000
DIGITS = 6
_NARROWEST = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class Trained:
    """A judge with the number of pairs that taught it, and the pairs that were held out.

    `shrinkage` is infinite where pairs show no gain over the offline judge: then the judge ranks answers just as that one does.
    """

    judge: TrainedJudge
    taught: Mapping[PairKind, int]
    held_out: tuple[TrainingPair, ...]
    shrinkage: float

    @property
    def is_stock(self) -> bool:
        """Whether it ranks answers as the offline judge does."""
        return math.isinf(self.shrinkage)


@dataclass(frozen=True, kw_only=True, slots=True)
class NotTrained:
    """A criterion for which no judge was trained, and the number of pairs of each kind that there were."""

    criterion: Criterion
    positives: int
    negatives: int


def train(
    answers: Sequence[SupportedAnswer], *, seed: int = 0, embed: Embed | None = None
) -> tuple[Trained | NotTrained, ...]:
    """Train a judge of each criterion.

    Parameters
    ----------
    answers : sequence of SupportedAnswer
        Of more than MOST, the first MOST by a keyed hash teach and are held out.
    seed : int
        Which answers are held out, and which pairs are made, follows from it.
    embed : callable, optional
        Further features of an item, such as the parts of an embedding: as many numbers for each item.

    Returns
    -------
    tuple of Trained or NotTrained
        In the order of `Criterion`. NotTrained where there are fewer than FEWEST pairs of either kind to learn from.
    """
    from threadpoolctl import threadpool_limits

    used = sorted(answers, key=lambda answer: permanent_random_number(answer.question, f"taken for training {seed}"))
    teaching, held_out = (pairs_of(part, seed) for part in parted(used[:MOST], seed))
    # Tables of a few columns: threads wait for each other longer than they work, where cores are busy ten times as long.
    with threadpool_limits(1, user_api="blas"):
        return tuple(_train(criterion, teaching, held_out, embed) for criterion in Criterion)


def _train(
    criterion: Criterion, teaching: Sequence[TrainingPair], held_out: Sequence[TrainingPair], embed: Embed | None
) -> Trained | NotTrained:
    kinds = POSITIVE[criterion]
    rows, used = [], []
    for pair in teaching:
        values = values_of(criterion, pair.item, embed) if pair.kind in kinds else None
        if values is not None and not isinstance(values, JudgeFailure):
            rows.append(values)
            used.append(pair)
    labels = np.array([kinds[pair.kind] for pair in used], dtype=np.bool_)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if min(positives, negatives) < FEWEST:
        return NotTrained(criterion=criterion, positives=positives, negatives=negatives)
    model, shrinkage = _fit(criterion, np.array(rows, dtype=np.float64), labels, used)
    return Trained(
        judge=TrainedJudge(model=model, embed=embed),
        taught=Counter(pair.kind for pair in used),
        held_out=tuple(pair for pair in held_out if pair.kind in kinds),
        shrinkage=shrinkage,
    )


def _fit(
    criterion: Criterion, table: Table, labels: NDArray[np.bool_], pairs: Sequence[TrainingPair]
) -> tuple[TrainedModel, float]:
    known = FEATURES[criterion]
    own = tuple(f"{EMBEDDING}{number}" for number in range(table.shape[1] - len(known.names)))
    # The caller's own features have no known meaning, so their weights are free.
    signs = (*known.signs, *(0 for _ in own))
    means = table.mean(axis=0).round(DIGITS)
    deviations = np.maximum(table.std(axis=0), _NARROWEST).round(DIGITS)
    standardised = (table - means) / deviations
    kinds, units = [pair.kind for pair in pairs], np.array([pair.unit for pair in pairs], dtype=np.intp)
    shrinkage = chosen_shrinkage(TeachingRows(standardised, labels, kinds, units), signs)
    fitted = fit(standardised, labels, signs, shrinkage)
    model = TrainedModel(
        criterion=criterion,
        features=(*known.names, *own),
        means=tuple(means.tolist()),
        deviations=tuple(deviations.tolist()),
        weights=tuple(fitted.weights.round(DIGITS).tolist()),
        intercept=round(fitted.intercept, DIGITS),
    )
    return model, shrinkage
