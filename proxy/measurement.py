"""Measure a proxy against labels in a DataFrame: the same estimators as the store's report, without a store.

Each row is an answer with its judges' scores and, where a person judged it, a label. A `Design` says how the labelled rows
were chosen, so that each stands for the rows that it was drawn to stand for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proxy import frames
from proxy.errors import InputError, RuleError
from proxy.evaluation.agreement import AgreementReport, Counts, pass_rate
from proxy.evaluation.agreement import measure as agreement_of
from proxy.evaluation.annotator_agreement import agreement_between
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Clusters, DrawCounts, EvidenceLedger
from proxy.evaluation.ledger import DECIDED, Drawing, SampledItem, Total, draws_of
from proxy.evaluation.score_levels import edges_of, levels_of
from proxy.evaluation.trust import DEFAULT_LIMIT, TrustVerdict, judge_trust
from proxy.evaluation.worst_case import cases
from proxy.records import Judgement, Verdict
from proxy.rule import DEFAULT_EXPRESSION, VERDICTS, Rule, evaluate, judges_of, percentile_knots
from proxy.stats.sampling.clusters import effective
from proxy.stats.sampling.design_effect import alikeness

if TYPE_CHECKING:
    import pandas as pd

Values = NDArray[np.float64]
QUANTITIES = (
    *(
        "correctness",
        "pass_rate",
        "pass_precision",
        "npv",
        "sensitivity",
        "specificity",
        "accuracy",
        "f1",
        "kappa",
        "mcc",
    ),
    *("ac1", "auroc"),
)
ALL = "all"
BEYOND_CHANCE = 6.0  # standard errors


@dataclass(frozen=True, kw_only=True)
class Design:
    """How the labelled rows were chosen.

    Parameters
    ----------
    strata : str, optional
        Column that names the stratum that a row was drawn in. Without it all rows are one stratum.
    probability : str, optional
        Column with the inclusion probability in (0, 1] of each drawn row. Without it, each stratum's drawn rows are a simple
        random sample of its rows. A weight is 1 / probability.
    sizes : Mapping, pandas.Series or int, optional
        The number of items of each stratum in all traffic (of all, without strata), where the frame holds the drawn rows
        alone. Without it the frame is all traffic, and the rows without a label were not drawn.
    cluster : str, optional
        Column of what behaves together (a conversation, a patient): intervals count it once.
    question : str, optional
        Column that says which rows answer the same question: intervals count that once, too.
    drawn : str, optional
        Column of True and False: which rows were drawn, where some of them came back without a label.
    """

    strata: str | None = None
    probability: str | None = None
    sizes: Mapping[str, float] | pd.Series | int | None = None
    cluster: str | None = None
    question: str | None = None
    drawn: str | None = None


@dataclass(frozen=True, kw_only=True)  # without slots: the verdict is worked out once
class Report:
    """The measurement of a rule; each quantity is an Estimate with n, interval and basis, or says why there is none.

    Attributes
    ----------
    rule : Rule
        The rule that was measured.
    items : int
        Answers that the estimates speak of.
    verdicts : Mapping
        How many of them pass, fail and have no score.
    agreement : AgreementReport
        The rule against people.
    auroc : Estimate
        How well the rule's value ranks right above wrong answers.
    evidence : EvidenceLedger
        What the labels can carry.
    limit : float
        The share of right answers among passed ones that `trust` asks for.
    """

    rule: Rule
    items: int
    verdicts: Mapping[Verdict, int]
    agreement: AgreementReport
    auroc: Estimate
    evidence: EvidenceLedger
    limit: float

    @property
    def judged(self) -> int:
        """The number of answers that the rule gave a verdict."""
        return self.verdicts[Verdict.PASS] + self.verdicts[Verdict.FAIL]

    @property
    def labels(self) -> int:
        """The number of drawn answers with a label, unsure among them."""
        return self.evidence.draws.answered + self.evidence.draws.unsure

    @property
    def pass_rate(self) -> Estimate:
        """The share of scored answers that pass."""
        return pass_rate(self.verdicts[Verdict.PASS], self.verdicts[Verdict.FAIL])

    @property
    def correctness(self) -> Estimate:
        """The share of right answers among all."""
        return self.agreement.correctness

    @property
    def pass_precision(self) -> Estimate:
        """P(right given pass)."""
        return self.agreement.pass_precision

    @property
    def npv(self) -> Estimate:
        """P(wrong given fail)."""
        return self.agreement.npv

    @property
    def sensitivity(self) -> Estimate:
        """P(pass given right)."""
        return self.agreement.sensitivity

    @property
    def specificity(self) -> Estimate:
        """P(fail given wrong)."""
        return self.agreement.specificity

    @property
    def accuracy(self) -> Estimate:
        """The share of scored answers on which the rule and people agree."""
        return self.agreement.accuracy

    @property
    def f1(self) -> Estimate:
        """Harmonic mean of pass precision and sensitivity."""
        return self.agreement.f1

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa of the rule's verdicts and people's."""
        return self.agreement.kappa

    @property
    def mcc(self) -> Estimate:
        """Matthews correlation of the rule's verdicts and people's."""
        return self.agreement.mcc

    @property
    def ac1(self) -> Estimate:
        """Gwet's AC1 of the rule's verdicts and people's."""
        return self.agreement.ac1

    @property
    def counts(self) -> Counts:
        """The 2x2 table of the labels, unweighted."""
        return self.agreement.counts

    @cached_property
    def trust(self) -> TrustVerdict:
        """Whether the rule can stand in for people, in one sentence; missing labels count in their worst case."""
        seen = self.counts.right_pass + self.counts.wrong_pass
        left = max(0, self.verdicts[Verdict.PASS] - seen)
        return judge_trust(self.agreement, self.limit, evidence=self.evidence, left=left)

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values, under the keys of `assay report --json`."""
        return {
            "items": self.items,
            "judged": self.judged,
            "labels": self.labels,
            "rule": {"expression": self.rule.expression, "cut": self.rule.cut},
            "verdict": {"status": self.trust.status.value, "sentence": self.trust.sentence, "limit": self.limit},
            **{name: _as_dict(getattr(self, name)) for name in QUANTITIES},
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a quantity: estimate, low, high, n, the ends for the long run, method and reason."""
        import pandas as pd

        rows = {name: _row(getattr(self, name)) for name in QUANTITIES}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("quantity")

    def __repr__(self) -> str:
        width = max(map(len, QUANTITIES))
        lines = [f"  {name:<{width}}  {_words(getattr(self, name))}" for name in QUANTITIES]
        return "\n".join([self.trust.sentence, f"{self.rule.expression} on {self.items:,} answers", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(_words(getattr(self, name)))}</td></tr>" for name in QUANTITIES
        )
        return f"<p>{escape(self.trust.sentence)}</p><table>{rows}</table>"


def measure(
    frame: pd.DataFrame,
    *,
    rule: str | Rule = DEFAULT_EXPRESSION,
    label: str = "label",
    design: Design | None = None,
    limit: float = DEFAULT_LIMIT,
) -> Report:
    """Measure a rule over judges' scores against people's labels.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row an answer: a column of scores in [0, 1] for each judge of the rule (missing: unscored), and the labels. An
        index, and a column `id` or `item_id` where there is one, without repeats.
    rule : str or Rule
        Such as ``"min(context_relevance, faithfulness) > 0.5"``: an answer passes strictly above the number.
    label : str
        Column of right, wrong, unsure (or True and False); missing where nobody judged the answer.
    design : Design, optional
        How the labelled rows were chosen; needed where some rows have no label.
    limit : float
        The share of right answers among passed ones that the verdict on trust asks for.

    Returns
    -------
    Report
        Estimates with intervals for this window and for the long run.

    Raises
    ------
    InputError
        For a frame or a design that cannot be measured; the message names the column and the row.
    RuleError
        For a rule that cannot be read.

    Notes
    -----
    Each drawn row has the weight 1 / (inclusion probability x response of its stratum); thin post-strata (stratum by verdict)
    are taken together. Proportions have Wilson intervals at the effective sample size, quantities of the 2x2 table intervals
    from draws of both of its sides. Korn and Graubard (1998), Survey Methodology 24.
    """
    rows = _Rows.of(frames.checked(frame), rule, label, design)
    judged = rows.evidence(as_drawn=False)
    drawn = rows.evidence(as_drawn=True)
    agreement = agreement_of(judged)
    auroc = agreement.known(auroc_of(valued(judged, rows.values_of_drawn)[0]))
    is_whole = all(item.judgement in DECIDED for item in drawn.sample)
    evidence = EvidenceLedger(
        draws=_counts(drawn, tuple(Verdict)),
        passed=_counts(drawn, (Verdict.PASS,)),
        failed=_counts(drawn, (Verdict.FAIL,)),
        pending_waves=(),
        among=agreement,
        auroc=auroc,
        cases=None if is_whole else cases(drawn, rows.values_of_drawn),
        people=agreement_between(()),
        clusters=_clusters(judged),
        judges=(),
        items=rows.items,
        without_passages=0,
        labelled_without_passages=0,
        chose=frozenset(),
    )
    return Report(
        rule=rows.rule,
        items=rows.items,
        verdicts=rows.verdicts,
        agreement=agreement,
        auroc=auroc,
        evidence=evidence,
        limit=limit,
    )


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """The frame as arrays of one length; `sizes` has the items of each stratum where the frame holds the drawn rows alone."""

    rule: Rule
    values: Values
    words: Sequence[Verdict]
    labels: Sequence[Judgement | None]
    is_drawn: Sequence[bool]
    strata: Sequence[str]
    chances: Values | None
    clusters: Sequence[str]
    questions: Sequence[str]
    sizes: Mapping[str, int] | None

    @classmethod
    def of(cls, frame: pd.DataFrame, rule: str | Rule, label: str, design: Design | None) -> _Rows:
        """Read the frame; InputError where the design does not fit it."""
        expression = rule.expression if isinstance(rule, Rule) else rule
        judges, ranked = judges_of(expression)
        columns = frames.scores(frame, judges)
        labels = frames.labels(frame, label)
        if design is None and None in labels:
            row = frame.index[labels.index(None)]
            raise InputError(
                f"column {label!r}, row {frames.shown(row)}: no label, and no design says how the labelled rows were chosen; "
                "pass design=proxy.Design() where they are a simple random sample of all rows"
            )
        asked = design or Design()
        if ranked and asked.sizes is not None:
            raise RuleError(
                f"pct({ranked[0]}) ranks among all traffic, and with sizes the frame holds the drawn rows alone"
            )
        knots = {judge: percentile_knots(columns[judge][~np.isnan(columns[judge])]) for judge in ranked}
        known = Rule(
            name="measured",
            version=1,
            expression=expression,
            signatures=dict.fromkeys(judges, ""),
            percentiles=rule.percentiles if isinstance(rule, Rule) and rule.percentiles else knots,
        )
        places, values = evaluate(known, {(judge, ""): column for judge, column in columns.items()}, len(frame))
        alone = [str(place) for place in range(len(frame))]
        questions = alone if asked.question is None else frames.names(frame, asked.question, "the question")
        strata = [ALL] * len(frame) if asked.strata is None else frames.names(frame, asked.strata, "the stratum")
        is_drawn = _drawn(frame, label, labels, asked)
        probability = asked.probability
        return cls(
            rule=known,
            values=values,
            words=[VERDICTS[place] for place in places],
            labels=labels,
            is_drawn=is_drawn,
            strata=strata,
            chances=None if probability is None else frames.probabilities(frame, probability, is_drawn),
            clusters=questions if asked.cluster is None else frames.names(frame, asked.cluster, "the cluster"),
            questions=questions,
            sizes=None if asked.sizes is None else _sizes(asked, strata),
        )

    @property
    def items(self) -> int:
        """The number of answers that the estimates speak of."""
        return sum(self.verdicts.values())

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """The number of answers with each verdict."""
        counts = Counter[Verdict]()
        for total in self.totals(reached=None):
            counts[total.verdict] += total.size
        return {verdict: counts[verdict] for verdict in Verdict}

    @property
    def values_of_drawn(self) -> list[float | None]:
        """The rule's value of each drawn row, None where it has none."""
        return [
            None if np.isnan(value) else float(value)
            for value, drawn in zip(self.values, self.is_drawn, strict=True)
            if drawn
        ]

    @cached_property
    def levels(self) -> NDArray[np.intp]:
        """The band of each row's value among all traffic; a single band where the frame is only a part of it."""
        if self.sizes is not None:
            return np.zeros(len(self.values), dtype=np.intp)
        return levels_of(self.values, edges_of(self.values))

    def totals(self, reached: frozenset[str] | None) -> list[Total]:
        """Count all traffic by stratum, verdict and level; `reached` strata have labels that speak for them, None: all."""
        rows = list(zip(self.strata, self.words, self.levels.tolist(), strict=True))
        sizes: Mapping[tuple[str, Verdict, int], int] = Counter(rows)
        if self.sizes is not None:
            sizes = _scaled(rows, self.sizes)
        return [
            Total(stratum, verdict, size, level, reached is None or stratum in reached)
            for (stratum, verdict, level), size in sorted(sizes.items())
        ]

    def evidence(self, *, as_drawn: bool) -> Evidence:
        """Build the evidence; with `as_drawn` as if every drawn row had come back, to fill in what is missing."""
        drawings = self.drawings(as_drawn=as_drawn)
        number = {drawing.stratum: place for place, drawing in enumerate(drawings)}
        speaks = frozenset(drawing.stratum for drawing in drawings if drawing.returned)
        rows = [place for place, drawn in enumerate(self.is_drawn) if drawn]
        sample = [
            SampledItem(
                stratum=self.strata[place],
                verdict=self.words[place],
                judgement=self.labels[place],
                group=self.clusters[place],
                question=self.questions[place],
                drawing=number[self.strata[place]],
                chances=(drawings[number[self.strata[place]]].response * self._chance(place, drawings, number),),
                level=int(self.levels[place]),
            )
            for place in rows
        ]
        is_all = speaks >= set(self.strata)
        return Evidence(
            totals=self.totals(None if is_all else speaks),
            sample=sample,
            drawings=drawings,
            grouping=_grouping(self.clusters, self.questions),
        )

    def _chance(self, place: int, drawings: Sequence[Drawing], number: Mapping[str, int]) -> float:
        drawing = drawings[number[self.strata[place]]]
        return drawing.chance if drawing.is_fixed or self.chances is None else float(self.chances[place])

    def drawings(self, *, as_drawn: bool) -> list[Drawing]:
        """List each stratum with its draws and labels; InputError where the probabilities contradict the draws."""
        sizes = self.sizes or Counter(self.strata)
        made = []
        for stratum in sorted(sizes):
            rows = [place for place, name in enumerate(self.strata) if name == stratum and self.is_drawn[place]]
            returned = len(rows) if as_drawn else sum(self.labels[place] is not None for place in rows)
            is_fixed = True
            if self.chances is not None and rows:
                is_fixed = _is_fixed(self.chances[rows], len(rows), sizes[stratum], stratum)
            made.append(Drawing(1, stratum, sizes[stratum], len(rows), len(rows), returned, is_fixed=is_fixed))
        return made


def _drawn(frame: pd.DataFrame, label: str, labels: Sequence[Judgement | None], design: Design) -> list[bool]:
    """Return which rows were drawn."""
    if design.drawn is not None:
        if design.drawn not in frame.columns:
            raise InputError(f"there is no column {design.drawn!r} (which rows were drawn)")
        is_drawn = []
        for row, value in frame[design.drawn].items():
            if value not in (True, False):
                raise InputError(
                    f"column {design.drawn!r}, row {frames.shown(row)}: expected True or False, found {frames.shown(value)}"
                )
            is_drawn.append(bool(value))
        for row, drawn, judgement in zip(frame.index, is_drawn, labels, strict=True):
            if judgement is not None and not drawn:
                raise InputError(
                    f"column {label!r}, row {frames.shown(row)}: labelled and not drawn; leave out labels that no design chose"
                )
        return is_drawn
    return [True] * len(labels) if design.sizes is not None else [judgement is not None for judgement in labels]


def _sizes(design: Design, strata: Sequence[str]) -> dict[str, int]:
    """Return the size of each stratum; without strata, one number for all."""
    given = {ALL: design.sizes} if isinstance(design.sizes, int) else design.sizes
    return frames.sizes({} if given is None else given, list(strata))


def _scaled(rows: Sequence[tuple[str, Verdict, int]], sizes: Mapping[str, int]) -> dict[tuple[str, Verdict, int], int]:
    """Count all traffic by stratum where the rows are the drawn ones: all of a stratum has one verdict."""
    totals: dict[tuple[str, Verdict, int], int] = {}
    for stratum, size in sizes.items():
        verdicts = {verdict for name, verdict, _ in rows if name == stratum}
        if len(verdicts) > 1:
            raise InputError(
                f"sizes: stratum {stratum!r} holds answers that pass and answers that do not, so its size does not say how "
                "many of all traffic pass; draw by verdict, or pass all traffic and leave sizes out"
            )
        for verdict in verdicts:
            totals[stratum, verdict, 0] = size
    return totals


def _is_fixed(chances: Values, drawn: int, size: int, stratum: str) -> bool:
    """Return whether the rows are a simple random sample of fixed size; InputError where chances and draws disagree."""
    if np.ptp(chances) < 1e-12 and abs(chances[0] * size - drawn) < 0.5 + 1e-9 * size:
        return True
    # Horvitz-Thompson: the sum of 1 / chance estimates the size of the stratum.
    estimated = float((1 / chances).sum())
    error = float(np.sqrt(((1 - chances) / chances**2).sum()))
    if abs(estimated - size) > BEYOND_CHANCE * error + 1:
        raise InputError(
            f"the inclusion probabilities of stratum {stratum!r} do not go with its draws: {drawn:,} rows of {size:,} were "
            f"drawn, and 1 / probability adds up to {estimated:,.0f}"
        )
    return False


def _grouping(clusters: Sequence[str], questions: Sequence[str]) -> float:
    """Compute sum m^2 / sum m over the sizes m of groups, questions, or both; return the largest.

    Both is group + question - intersection.
    """

    def by(keys: Sequence[object]) -> float:
        counts = np.array(list(Counter(keys).values()), dtype=np.float64)
        return float((counts**2).sum() / counts.sum())

    group, question = by(clusters), by(questions)
    return max(group, question, group + question - by(list(zip(clusters, questions, strict=True))))


def _counts(evidence: Evidence, verdicts: Sequence[Verdict]) -> DrawCounts:
    """Count the draws with these verdicts by outcome; a draw without a label is unanswered."""
    flat = dict.fromkeys({item.level for item in evidence.sample}, 0.0)
    weights = draws_of(evidence.sample, evidence.drawings, flat).weight.tolist() if evidence.sample else []
    rows = [(item, weight) for item, weight in zip(evidence.sample, weights, strict=True) if item.verdict in verdicts]
    whole = sum(weight for _, weight in rows) or 1.0
    unsure = [weight for item, weight in rows if item.judgement is Judgement.UNSURE]
    unanswered = [weight for item, weight in rows if item.judgement is None]
    return DrawCounts(
        drawn=len(rows),
        answered=len(rows) - len(unsure) - len(unanswered),
        unsure=len(unsure),
        unanswered=len(unanswered),
        unsure_share=sum(unsure) / whole,
        unanswered_share=sum(unanswered) / whole,
    )


def _clusters(evidence: Evidence) -> Clusters:
    """Count the groups and the questions of the labels; the fewer of them count."""
    if not evidence.returned:
        return Clusters(groups=0, questions=0, effective=0.0)
    draws = evidence.arrays.draws
    weight = draws.weight * draws.judged
    if not weight.any():
        return Clusters(groups=0, questions=0, effective=0.0)
    is_judged = draws.judged > 0
    groups, questions = (len(np.unique(way[is_judged])) for way in (draws.ways.group, draws.ways.question))
    passes = is_judged & np.array([item.verdict is Verdict.PASS for item in evidence.returned], dtype=np.bool_)
    return Clusters(
        groups=groups,
        questions=questions,
        effective=effective(draws.ways, weight).clusters,
        alike=max(alikeness(draws.right[passes], way[passes]) for way in (draws.ways.group, draws.ways.question)),
    )


def _as_dict(quantity: Estimate) -> dict[str, object]:
    """Return an estimate in its standard shape."""
    fields: dict[str, object] = {name: getattr(quantity, name) for name in ("estimate", "low", "high", "n", "method")}
    if quantity.reason:
        fields["reason"] = quantity.reason
    if quantity.long_run:
        fields["long_run"] = quantity.long_run._asdict()
    return fields


def _row(quantity: Estimate) -> dict[str, object]:
    """Return an estimate as a row of a frame."""
    behind = quantity.long_run
    return {
        "estimate": quantity.estimate,
        "low": quantity.low,
        "high": quantity.high,
        "n": quantity.n,
        "long_run_low": behind.low if behind else None,
        "long_run_high": behind.high if behind else None,
        "method": quantity.method,
        "reason": quantity.reason,
    }


def _words(quantity: Estimate) -> str:
    """Format an estimate in a line, with its interval and n."""
    if quantity.estimate is None:
        return f"—  {quantity.reason or ''}".rstrip()
    span = (
        f" ({quantity.low:.3f} to {quantity.high:.3f})"
        if quantity.low is not None and quantity.high is not None
        else ""
    )
    return f"{quantity.estimate:.3f}{span}, n = {quantity.n:,}"
