"""Say whether neighbours in the labelling order shift verdicts: blocks of answers to one question against answers read apart."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import NamedTuple

from annotate.store import Store
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.neighbours import neighbour_effect, share_apart, share_next


class Neighbours(NamedTuple):
    """How much more often neighbours' verdicts differ, and the questions read in a block and apart that it rests on."""

    effect: Estimate
    together: int
    apart: int


def neighbours(store: Store) -> Neighbours:
    """Measure it on what each annotator says now, of all answers that came in an order of ours; unsure is a verdict, too.

    Questions of which one annotator has read at least two answers count, each once. Where several annotators share a project,
    those answers of a block that one of them read count as neighbours.
    """
    shares: dict[bool, dict[str, list[float]]] = {False: defaultdict(list), True: defaultdict(list)}
    for (*_, question, is_spread), readings in groupby(store.labels.outbox.read_in_order(), key=lambda row: row[:-1]):
        verdicts = [reading.judgement for reading in readings]
        if len(verdicts) > 1:
            share = share_apart(verdicts) if is_spread else share_next(verdicts)
            shares[is_spread][question].append(share)
    together, apart = (
        [sum(of_question) / len(of_question) for of_question in shares[is_spread].values()]
        for is_spread in (False, True)
    )
    return Neighbours(neighbour_effect(together, apart), len(together), len(apart))
