"""Hold the answers of a system as columns, and turn those of several into what a ranking reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxy.comparison.corrected_rates import SampledAnswers
from proxy.comparison.expected import Answers
from proxy.evaluation.ledger import DECIDED, SampledItem, numbered, weight_of
from proxy.records import Judgement
from proxy.stats.sampling.survey import Draws


class GivenAnswers(NamedTuple):
    """The answers of a system, or of one in a window, as columns of one length.

    `items` numbers them among all answers. `verdicts` are places in VERDICTS, and what is unscored has the value nan.
    `is_reachable` says whether a drawing that brought labels could have drawn it.
    """

    items: NDArray[np.int64]
    questions: Sequence[str]
    groups: Sequence[str]
    verdicts: NDArray[np.intp]
    values: NDArray[np.float64]
    is_reachable: NDArray[np.bool_]

    def only(self, kept: NDArray[np.bool_]) -> GivenAnswers:
        """Select the answers that are marked in `kept`."""
        return GivenAnswers(
            items=self.items[kept],
            questions=list(compress(self.questions, kept.tolist())),
            groups=list(compress(self.groups, kept.tolist())),
            verdicts=self.verdicts[kept],
            values=self.values[kept],
            is_reachable=self.is_reachable[kept],
        )


class MissingAnswers(NamedTuple):
    """The draws of a system without a right or wrong: how many, and their share of all its draws, weighted by design."""

    draws: int
    share: float


def missing_answers(sample: Iterable[SampledItem]) -> MissingAnswers:
    """Count the draws without a right or wrong; what had no chance is left out."""
    weights = [(weight_of(item.chances, item.own)[0], item) for item in sample if any(item.chances)]
    missing = [weight for weight, item in weights if item.judgement not in DECIDED]
    return MissingAnswers(len(missing), sum(missing) / sum(weight for weight, _ in weights) if weights else 0.0)


def items_of(systems: Sequence[GivenAnswers]) -> list[int]:
    """Return the items of all answers, system by system."""
    return [item for answers in systems for item in answers.items.tolist()]


def answers_of(systems: Sequence[GivenAnswers]) -> Answers:
    """Return the answers of several systems as arrays, system by system."""
    return Answers(
        system=np.repeat(np.arange(len(systems)), [len(answers.items) for answers in systems]),
        question=numbered([question for answers in systems for question in answers.questions]),
        value=np.concatenate([answers.values for answers in systems]),
    )


def is_census(systems: Sequence[GivenAnswers], decided: Collection[int]) -> bool:
    """Return whether every answer is among the decided items: then nothing was chosen, however the labels came."""
    items = items_of(systems)
    return bool(items) and all(item in decided for item in items)


def census(systems: Sequence[GivenAnswers], judgements: Mapping[int, Judgement | None]) -> SampledAnswers:
    """Return every answer with its label, each standing for itself."""
    items = items_of(systems)
    ones, zeros = np.ones(len(items)), np.zeros(len(items))
    draws = Draws(
        right=np.array([judgements[item] is Judgement.RIGHT for item in items], dtype=np.float64),
        judged=ones,
        weight=ones,
        step=ones,
        missed=zeros,
        drawing=np.zeros(len(items), dtype=np.intp),
        returned=len(items) * ones,
        is_fixed=ones > 0,
        cluster=numbered([group for answers in systems for group in answers.groups]),
        question=numbered([question for answers in systems for question in answers.questions]),
        score=zeros,
    )
    return SampledAnswers(np.arange(len(items)), draws)


def sampled_of(systems: Sequence[GivenAnswers], returned: Sequence[int], draws: Draws) -> SampledAnswers:
    """Return the draws of these answers that came back; `returned` is the item of each of `draws`."""
    rows = {item: row for row, item in enumerate(items_of(systems))}
    is_included = np.array([item in rows for item in returned], dtype=np.bool_)
    return SampledAnswers(
        np.array([rows[item] for item in returned if item in rows], dtype=np.intp), draws.only(is_included)
    )
