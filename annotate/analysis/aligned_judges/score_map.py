"""Read the scores of a judge that labels may map to P(right), and those that measure such a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.aligned_judges.alignment import Kinds
from annotate.analysis.evidence import labels_alone
from annotate.analysis.excluded_draws import excluded_from_judges
from annotate.analysis.rule_in_force import rule_in_force, signature_in_use
from annotate.store import Store
from proxy.errors import UsageError
from proxy.evaluation.alignment import fold_of, tunes
from proxy.evaluation.candidates import JudgeKey, single
from proxy.evaluation.discrimination import Valued, valued
from proxy.evaluation.score_map import LanguageMaps, TuningScores
from proxy.judges.llm.prompts import LANGUAGES, language_of
from proxy.judges.taught import is_mapped


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoresToMap:
    """Scores of a judge with their labels, the language of each, and in which half of the questions it is."""

    labels: Valued
    languages: NDArray[np.str_]
    half: NDArray[np.float64]

    @property
    def kinds(self) -> Kinds:
        """How many of the labels say right, and how many wrong."""
        right = int(self.labels.right.sum())
        return Kinds(right, len(self.labels.values) - right)

    @property
    def tuning(self) -> TuningScores:
        """These, to choose a map by."""
        return TuningScores(labels=self.labels, languages=self.languages, half=self.half)

    def mapped(self, maps: LanguageMaps) -> Valued:
        """Return the mapped scores with the same labels."""
        return Valued(draws=self.labels.draws, values=maps.at(self.labels.values, self.languages))


def score_to_map(store: Store, judge: str, signature: str | None) -> JudgeKey:
    """Return the scores to map: those of this signature, else those that the rule in force reads, else those in use.

    Raises
    ------
    UsageError
        Where the judge has no such scores, and for scores that are mapped already.
    """
    known = [name for name in store.scores.signatures().get(judge, ()) if not is_mapped(name)]
    if not known:
        raise UsageError(f"{judge} has no scores to map: `assay judge --judges {judge}` gives them")
    if signature is None:
        read = rule_in_force(store)[1].signatures.get(judge)
        return JudgeKey(judge=judge, signature=signature_in_use(judge, known, read))
    if signature not in known:
        raise UsageError(f"{judge} has no scores of {signature} to map: it has {', '.join(known)}")
    return JudgeKey(judge=judge, signature=signature)


def labelled_scores(store: Store, base: JudgeKey, *, tuning: bool, share: float) -> ScoresToMap:
    """Return the scores of a judge on the labels that tune it, or on those that measure it; high is good.

    Parameters
    ----------
    store
        Read only.
    base
        The judge whose scores they are.
    tuning
        Whether those that tune; else those that measure.
    share
        The share of questions that tune.
    """
    described = store.traffic.partitions.described(store.sampling.ledger.last_counted())
    excluded = frozenset(about.draw for about in described if tunes(about.question, share) is not tuning)
    if not tuning:
        excluded |= excluded_from_judges(store, [base.signature])
    traffic = labels_alone(store, [single(base)], excluded)
    items = store.traffic.items.read([draw.item for draw in traffic.drawn])
    languages = [float(LANGUAGES.index(language_of(items[draw.item]))) for draw in traffic.drawn]
    halves = {about.item: float(fold_of(about.question)) for about in described}
    half = [halves[draw.item] for draw in traffic.drawn]
    labels, language, number = valued(traffic.evidence(traffic.rules[0]), traffic.rules[0].values, languages, half)
    return ScoresToMap(
        labels=labels, languages=np.array(LANGUAGES, dtype=np.str_)[language.values.astype(int)], half=number.values
    )
