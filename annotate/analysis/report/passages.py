"""Read what experts said of passages: the draws that were asked, each with its chance, and what their answers stand for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.evidence import Traffic, sampled
from annotate.analysis.report.compared_rules import JudgeReport
from annotate.analysis.selected_items import SelectedItems
from annotate.domain.passage_relevance import PassageRelevance
from annotate.store import Store
from annotate.store.scores.judge_totals import JudgeTotals
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.ledger import Total
from proxy.evaluation.nonresponse import responses
from proxy.evaluation.passages import (
    NOT_ASKED,
    AskedSample,
    agrees_relevant,
    agrees_sufficient,
    mean_answer,
    ranks_relevant,
    ranks_sufficient,
)
from proxy.judges.metrics.catalogue import metric_of
from proxy.judges.metrics.metric import MetricNeed
from proxy.rule import Rule, needs_above

Numbers = NDArray[np.float64]
# What is counted of all traffic is kept under a name of its own, beside what is counted for the verdicts.
SUFFIX = ", asked about passages"


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageAnswers:
    """The labelled draws that were asked about passages, by their items, and what their annotators come to."""

    items: Sequence[int]
    sample: AskedSample
    answers: Sequence[PassageRelevance]

    @property
    def precision(self) -> Numbers:
        """The share of relevant passages of each; nan unless each passage was answered."""
        return np.array([answer.precision for answer in self.answers], dtype=np.float64)

    @property
    def sufficient(self) -> Numbers:
        """1 where nothing needed is missing from the passages, 0 where something is; nan where it was not answered."""
        return np.array([answer.is_sufficient for answer in self.answers], dtype=np.float64)

    @property
    def relevant(self) -> Sequence[Numbers]:
        """The answers by rank; none unless each passage was answered."""
        return [
            np.array([] if answer.precision is None else answer.relevant, dtype=np.float64) for answer in self.answers
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageJudge:
    """How well a judge of passages ranks what experts call relevant, and sufficient, beside how well it ranks right answers.

    Where it `scores_each` passage these scores rank the passages, else each passage has the score of its answer. Both shares of
    agreement are at the `threshold` that the rule in force has for this judge's score, else at the one of a judge alone.
    """

    totals: JudgeTotals
    scores_each: bool
    relevant: Estimate
    sufficient: Estimate
    right: Estimate
    threshold: float
    relevant_agreement: Estimate
    sufficient_agreement: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageReport:
    """Passages as experts see them: of the labelled draws `asked` were asked about theirs, and `answered` said something.

    `context_precision` is the mean share of an answer's passages that are relevant, `context_sufficiency` the share of answers
    from whose passages nothing needed is missing; both of all answers that have passages. `judges` are those of passages.
    """

    asked: int
    answered: int
    context_precision: Estimate
    context_sufficiency: Estimate
    judges: Sequence[PassageJudge] = ()


def passage_report(
    store: Store, traffic: Traffic, judges: Sequence[JudgeReport], within: SelectedItems | None = None
) -> PassageReport:
    """Estimate both quantities on all traffic, or on the part of these items, and hold the judges of passages against them."""
    given = passage_answers(store, traffic, within)
    if given is None:
        unknown = Estimate(estimate=None, reason=NOT_ASKED)
        return PassageReport(asked=0, answered=0, context_precision=unknown, context_sufficiency=unknown)
    return PassageReport(
        asked=int(given.sample.has_passages.sum()),
        answered=sum(not answer.is_empty for answer in given.answers),
        context_precision=mean_answer(given.sample, given.precision).leaning_on(traffic.levels.source),
        context_sufficiency=mean_answer(given.sample, given.sufficient).leaning_on(traffic.levels.source),
        judges=[
            _judge(store, given, judge, traffic.rules[0].rule) for judge in judges if is_of_passages(judge.totals.judge)
        ],
    )


def is_of_passages(judge: str) -> bool:
    """Return whether a judge scores passages: its name says context, or it is a metric of retrieval."""
    metric = metric_of(judge)
    return "context" in judge or (metric is not None and MetricNeed.RELEVANT_IDS in metric.needs)


def _judge(store: Store, given: PassageAnswers, judge: JudgeReport, rule: Rule) -> PassageJudge:
    """Measure one judge on the answers that it scored."""
    totals, relevant = judge.totals, given.relevant
    [scores] = store.scores.of_drawn(given.items, [(totals.judge, totals.signature)]).values()
    by_rank = store.scores.passage_scores(given.items, totals.judge, totals.signature)
    of_passages = [
        _by_rank(by_rank.get(item, ()), len(answers)) if by_rank else np.full(len(answers), score)
        for item, answers, score in zip(given.items, relevant, scores, strict=True)
    ]
    threshold = _threshold(rule, judge)
    return PassageJudge(
        totals=totals,
        scores_each=bool(by_rank),
        relevant=ranks_relevant(given.sample, relevant, of_passages),
        sufficient=ranks_sufficient(given.sample, given.sufficient, scores),
        right=judge.alone.auroc,
        threshold=threshold,
        relevant_agreement=agrees_relevant(given.sample, relevant, of_passages, threshold),
        sufficient_agreement=agrees_sufficient(given.sample, given.sufficient, scores, threshold),
    )


def _threshold(rule: Rule, judge: JudgeReport) -> float:
    """Return the threshold of the rule in force for this version's score; where it has none, that of the judge alone."""
    totals = judge.totals
    is_read = rule.signatures.get(totals.judge) == totals.signature
    known = needs_above(rule.expression, totals.judge) if is_read else None
    return judge.alone.rule.threshold if known is None else known


def _by_rank(scores: Sequence[float | None], count: int) -> Numbers:
    """Return the scores of an answer's passages; nan where the judge scored another number of them."""
    return np.array(scores if len(scores) == count else [None] * count, dtype=np.float64)


def passage_answers(store: Store, traffic: Traffic, within: SelectedItems | None = None) -> PassageAnswers | None:
    """Read the answers on this traffic, which is all or the part of these items; None where no draw was asked."""
    questions = store.sampling.passage_questions.by_item()
    if not any(question.is_asked for question in questions.values()):
        return None
    whole = traffic.whole or traffic
    shares = _shares(whole, {item: question.share for item, question in questions.items()})
    drawn = store.sampling.ledger.drawn(traffic.last, traffic.drawings, shares=shares)
    kept = np.ones(len(drawn), dtype=np.bool_) if traffic.kept is None else traffic.kept
    part = [draw for draw, keep in zip(drawn, kept, strict=True) if keep]
    measured = traffic.rules[0]
    levels = traffic.levels.of([draw.item for draw in part])
    rows = [
        (draw.item, sampled(draw, verdict, int(level)))
        for draw, verdict, level in zip(part, measured.verdicts, levels, strict=True)
        if draw.judgement is not None and draw.item in questions and questions[draw.item].is_asked
    ]
    items = [item for item, _ in rows]
    answers, counts = store.labels.passages(), store.traffic.items.passage_counts(items)
    return PassageAnswers(
        items=items,
        sample=AskedSample(
            totals=_totals(store, traffic, shares, within),
            items=[sampled_item for _, sampled_item in rows],
            has_passages=np.array([counts[item] > 0 for item in items], dtype=np.bool_),
            drawings=traffic.drawings,
        ),
        answers=[_of_shown(answers.get(item, PassageRelevance()), counts[item]) for item in items],
    )


def _of_shown(answer: PassageRelevance, shown: int) -> PassageRelevance:
    """Return the answer without the relevance of passages where these are not as many as were shown: a file may say so."""
    return answer if len(answer.relevant) == shown else replace(answer, relevant=())


def _shares(traffic: Traffic, share_of: Mapping[int, float]) -> list[float]:
    """Return the share of each drawing's labelled draws that chance asked: its wave's mean, 0 for draws labelled before.

    Annotators get the draws of a wave in a random order, so the stratum does not decide which were labelled before the question.
    """
    of_wave: dict[int, list[float]] = defaultdict(list)
    for draw in traffic.drawn:
        if draw.judgement is not None:
            of_wave[traffic.drawings[draw.drawing].wave].append(share_of.get(draw.item, 0.0))
    shares = {wave: float(np.mean(values)) for wave, values in of_wave.items()}
    return [shares.get(drawing.wave, 0.0) for drawing in traffic.drawings]


def _totals(store: Store, traffic: Traffic, shares: Sequence[float], within: SelectedItems | None) -> list[Total]:
    """Count the traffic by stratum and verdict, and which of it could be drawn and asked."""
    answering = zip(traffic.drawings, responses(traffic.drawings), shares, strict=True)
    asking = [drawing for drawing, response, share in answering if response * drawing.chance * share]
    rules = [traffic.rules[0].rule]
    levels = traffic.levels._replace(suffix=traffic.levels.suffix + SUFFIX)
    totals = store.scores.totals
    if within is None:
        [slices] = totals.of_rules(rules, traffic.last, asking, levels)
    else:
        [slices] = totals.of_rules_among(rules, traffic.last, asking, levels, within.rows)
    return [
        Total(part.stratum, part.verdict, part.size, part.level, part.is_reachable)
        for part in slices
        if part.stratum is not None
    ]
