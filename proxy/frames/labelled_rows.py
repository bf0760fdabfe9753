"""Read a DataFrame of scores and labels as evidence: what all traffic holds, what was drawn, and what came back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proxy.errors import InputError, RuleError, UsageError
from proxy.evaluation.candidates import is_reference_based
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.evaluation.levels import SAME, SHARES, Levels
from proxy.evaluation.predictor import LEAST_COVERAGE, Predictor, PredictorScores, PredictorSource, fit, fold_of
from proxy.frames import checks
from proxy.records import Judgement, Verdict
from proxy.rule import DEFAULT_EXPRESSION, VERDICTS, Rule, evaluate, judges_of, percentile_knots

if TYPE_CHECKING:
    import pandas as pd

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
ALL = "all"
BEYOND_CHANCE = 6.0  # standard errors


@dataclass(frozen=True, kw_only=True)
class Design:
    """How the labelled rows were chosen.

    Parameters
    ----------
    strata : str, optional
        Column that names the stratum of a row, which every row has, drawn or not. Without it all rows are one stratum.
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
    predictors : sequence of str, optional
        Columns of scores in [0, 1], known of every row before anyone labels, that predict which answers are right. By default
        those that the rule reads and every other column of decimal numbers in [0, 1] that nine of ten rows have, drawn or not,
        but for metrics that need a reference or relevant ids. They narrow intervals; what is estimated stays the same. With an
        empty list the value of the rule alone predicts.

    Notes
    -----
    A design describes one drawing. Where rows were drawn in several waves, give the probability of each row to be drawn in any
    of them, 1 - (1 - p1) (1 - p2) ..., as `probability`; intervals then treat the waves as one Poisson drawing. A store
    (`annotate.Project`) keeps each wave's own probabilities.

    With `sizes` the verdict of a row that was not drawn is unknown, so strata must be drawn by verdict: all drawn rows of one
    stratum pass, or all of them fail.
    """

    strata: str | None = None
    probability: str | None = None
    sizes: Mapping[str, float] | pd.Series | int | None = None
    cluster: str | None = None
    question: str | None = None
    drawn: str | None = None
    predictors: Sequence[str] | None = None


@dataclass(frozen=True, kw_only=True)
class LabelledRows:
    """The frame as arrays of one length; `sizes` has the items of each stratum where the frame holds the drawn rows alone.

    `scores` has a row an answer and a column each for the rule's value and for what else predicts, the `predictors`.
    """

    rule: Rule
    index: Sequence[object]
    ids: Sequence[str]
    rule_values: Values
    scores: Values
    predictors: Sequence[str]
    verdicts_of_rows: Sequence[Verdict]
    labels: Sequence[Judgement | None]
    is_drawn: Sequence[bool]
    strata: Sequence[str]
    probability: str | None
    chances: Values | None
    clusters: Sequence[str]
    questions: Sequence[str]
    sizes: Mapping[str, int] | None

    @classmethod
    def of(cls, frame: pd.DataFrame, rule: str | Rule, label: str | None, design: Design | None) -> LabelledRows:
        """Read the frame; InputError where the design does not fit it. Without `label` no row has one."""
        expression = rule.expression if isinstance(rule, Rule) else rule
        if not isinstance(expression, str):
            raise RuleError(
                f"rule is an expression like {DEFAULT_EXPRESSION!r} or a proxy.Rule, not {checks.shown(rule)}"
            )
        judges, ranked = judges_of(expression)
        columns = checks.scores(frame, judges)
        labels = [None] * len(frame) if label is None else checks.labels(frame, label)
        if design is None and label is not None and None in labels:
            row = frame.index[labels.index(None)]
            raise InputError(
                f"column {label!r}, row {checks.shown(row)}: no label, and no design says how the labelled rows were chosen; "
                "pass design=proxy.Design() where they are a simple random sample of all rows"
            )
        if design is not None and not isinstance(design, Design):
            raise UsageError(f"design is a proxy.Design, not {checks.shown(design)}: pass proxy.Design(probability=…)")
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
        verdicts = [VERDICTS[place] for place in places]
        alone = [str(place) for place in range(len(frame))]
        questions = alone if asked.question is None else checks.names(frame, asked.question, "the question")
        is_drawn = _drawn(frame, label, labels, asked)
        strata = [ALL] * len(frame) if asked.strata is None else checks.strata(frame, asked.strata, is_drawn)
        if asked.sizes is not None:
            _refuse_unscored(frame, columns, strata, verdicts)
        others = checks.scores(frame, _predictors(frame, judges, label, asked, is_drawn))
        probability = asked.probability
        return cls(
            rule=known,
            index=list(frame.index),
            ids=checks.ids(frame),
            rule_values=values,
            scores=np.column_stack([values, *others.values()]),
            predictors=list(others),
            verdicts_of_rows=verdicts,
            labels=labels,
            is_drawn=is_drawn,
            strata=strata,
            probability=probability,
            chances=None if probability is None else checks.probabilities(frame, probability, is_drawn),
            clusters=questions if asked.cluster is None else checks.names(frame, asked.cluster, "the cluster"),
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
    def drawn(self) -> Mask:
        """Which rows were drawn."""
        return np.array(self.is_drawn, dtype=np.bool_)

    @property
    def values_of_drawn(self) -> list[float | None]:
        """The rule's value of each drawn row, None where it has none."""
        return [
            None if np.isnan(value) else float(value)
            for value, drawn in zip(self.rule_values, self.is_drawn, strict=True)
            if drawn
        ]

    @cached_property
    def known(self) -> PredictorScores:
        """What predicts each row, with its fold: that of its cluster where no question stands in two, else of its question."""
        pairs = set(zip(self.questions, self.clusters, strict=True))
        names = self.clusters if len(pairs) == len(set(self.questions)) else self.questions
        return PredictorScores(self.scores, np.array([fold_of(name) for name in names], dtype=np.intp))

    @cached_property
    def right(self) -> Values:
        """1 for a right label, 0 for a wrong one, nan for rows without either."""
        words = {Judgement.RIGHT: 1.0, Judgement.WRONG: 0.0}
        return np.array([words.get(label, np.nan) if label else np.nan for label in self.labels], dtype=np.float64)

    @cached_property
    def predictor(self) -> Predictor | None:
        """P(right) by the labels of other questions; None without labels, and where the frame is only a part of traffic."""
        labelled = ~np.isnan(self.right)
        if self.sizes is not None or not labelled.any():
            return None
        known = PredictorScores(self.known.table[labelled], self.known.fold[labelled])
        return fit((self.rule.expression, *self.predictors), known, self.right[labelled])

    @cached_property
    def source(self) -> PredictorSource | None:
        """What the predictor was fitted to; the columns of a frame have no signatures."""
        predictor = self.predictor
        return (
            None
            if predictor is None
            else PredictorSource(
                signature=predictor.signature,
                rule=self.rule.expression,
                judges=tuple((name, "") for name in self.predictors),
                labels=predictor.labels,
            )
        )

    @cached_property
    def levels(self) -> Levels:
        """The level of each row as the labels of other questions predict it; one where nothing predicts."""
        if self.predictor is None:
            return np.full(len(self.rule_values), SAME, dtype=np.uint8)
        return self.predictor.levels(self.known)

    @property
    def predicted(self) -> Values:
        """P(right) of each row as the labels of other questions predict it."""
        return SHARES[self.levels]

    def totals(self, reached: frozenset[str] | None) -> list[Total]:
        """Count all traffic by stratum, verdict and level; `reached` strata have labels that speak for them, None: all."""
        rows = list(zip(self.strata, self.verdicts_of_rows, self.levels.tolist(), strict=True))
        sizes: Mapping[tuple[str, Verdict, int], int] = Counter(rows)
        if self.sizes is not None:
            sizes = _scaled(rows, self.sizes)
        return [
            Total(stratum, verdict, size, level, reached is None or stratum in reached)
            for (stratum, verdict, level), size in sorted(sizes.items())
        ]

    def check_whole(self, what: str) -> None:
        """Raise InputError where the frame holds the drawn rows alone, and `what` needs all traffic."""
        if self.sizes is not None:
            raise InputError(
                f"{what} reads every row of the traffic, labelled or not: pass all rows and leave sizes out"
            )

    def evidence_within(self, rows: Mask, whole: Evidence) -> Evidence:
        """Build the evidence on some of the rows of all traffic; their labels keep the weights that the whole gives them."""
        drawn = rows[self.drawn]
        returned = [kept for kept, item in zip(drawn, whole.sample, strict=True) if item.judgement is not None]
        speaks = frozenset(drawing.stratum for drawing in whole.drawings if drawing.returned)
        chosen = list(compress(zip(self.strata, self.verdicts_of_rows, self.levels.tolist(), strict=True), rows))
        return Evidence(
            totals=[
                Total(stratum, verdict, size, level, stratum in speaks)
                for (stratum, verdict, level), size in sorted(Counter(chosen).items())
            ],
            sample=list(compress(whole.sample, drawn)),
            drawings=whole.drawings,
            grouping=whole.grouping,
            columns=whole.arrays.only(np.array(returned, dtype=np.bool_)),
            whole=whole,
        )

    def evidence(self, *, as_drawn: bool) -> Evidence:
        """Build the evidence; with `as_drawn` as if every drawn row had come back, to fill in what is missing."""
        drawings = self.drawings(as_drawn=as_drawn)
        number = {drawing.stratum: place for place, drawing in enumerate(drawings)}
        speaks = frozenset(drawing.stratum for drawing in drawings if drawing.returned)
        rows = [place for place, drawn in enumerate(self.is_drawn) if drawn]
        sample = [
            SampledItem(
                stratum=self.strata[place],
                verdict=self.verdicts_of_rows[place],
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
            source=self.source,
        )

    def chance_of_all(self, drawings: Sequence[Drawing]) -> Values:
        """Return the inclusion probability of every row, drawn or not; InputError where one of them is missing."""
        number = {drawing.stratum: place for place, drawing in enumerate(drawings)}
        chances = np.array([self._chance(place, drawings, number) for place in range(len(self.strata))])
        missing = np.flatnonzero(np.isnan(chances))
        if len(missing):
            raise InputError(
                f"column {self.probability!r}, row {checks.shown(self.index[missing[0]])}: the inclusion probability is missing; "
                "that of every row is needed here, drawn or not"
            )
        return chances

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


def _predictors(
    frame: pd.DataFrame, judges: Sequence[str], label: str | None, design: Design, is_drawn: Sequence[bool]
) -> list[str]:
    """Return the columns that predict: those asked for, or the rule's judges and every other score known of nearly all rows.

    Of drawn and of other rows alike: a column that came with the labels would tell which rows were drawn.
    """
    if design.predictors is not None:
        return list(design.predictors)
    named = {label, design.strata, design.probability, design.cluster, design.question, design.drawn}
    reference_based = {name for name in map(str, frame.columns) if is_reference_based(name)}
    others = checks.score_columns(frame, {*judges, *reference_based, *(name for name in named if name is not None)})
    drawn = np.array(is_drawn, dtype=np.bool_)
    drawn_and_not = [rows for rows in (drawn, ~drawn) if rows.any()]
    return [
        *judges,
        *(
            name
            for name, column in others.items()
            if all((~np.isnan(column[rows])).mean() >= LEAST_COVERAGE for rows in drawn_and_not)
        ),
    ]


def _drawn(frame: pd.DataFrame, label: str | None, labels: Sequence[Judgement | None], design: Design) -> list[bool]:
    """Return which rows were drawn."""
    if design.drawn is not None:
        if design.drawn not in frame.columns:
            raise InputError(f"there is no column {design.drawn!r} (which rows were drawn)")
        is_drawn = []
        for row, value in frame[design.drawn].items():
            if value not in (True, False):
                raise InputError(
                    f"column {design.drawn!r}, row {checks.shown(row)}: expected True or False, found {checks.shown(value)}"
                )
            is_drawn.append(bool(value))
        for row, drawn, judgement in zip(frame.index, is_drawn, labels, strict=True):
            if judgement is not None and not drawn:
                raise InputError(
                    f"column {label!r}, row {checks.shown(row)}: labelled and not drawn; leave out labels that no design chose"
                )
        return is_drawn
    return [True] * len(labels) if design.sizes is not None else [judgement is not None for judgement in labels]


def _sizes(design: Design, strata: Sequence[str]) -> dict[str, int]:
    """Return the size of each stratum; without strata, one number for all."""
    given = {ALL: design.sizes} if isinstance(design.sizes, int) else design.sizes
    return checks.sizes({} if given is None else given, list(strata))


def _refuse_unscored(
    frame: pd.DataFrame, columns: Mapping[str, Values], strata: Sequence[str], verdicts: Sequence[Verdict]
) -> None:
    """Raise InputError for a row without a verdict whose stratum has others with one: its size says nothing of either."""
    scored = {stratum for stratum, verdict in zip(strata, verdicts, strict=True) if verdict is not Verdict.UNSCORED}
    for place, (stratum, verdict) in enumerate(zip(strata, verdicts, strict=True)):
        if verdict is Verdict.UNSCORED and stratum in scored:
            judge = next((name for name, column in columns.items() if np.isnan(column[place])), None)
            where = f"row {checks.shown(frame.index[place])}"
            start = f"{where}: the rule has no value" if judge is None else f"column {judge!r}, {where}: no score"
            raise InputError(
                f"{start}, so the size of its stratum{'' if stratum == ALL else f' {stratum!r}'} does not say how many answers "
                "of all traffic have a verdict; put unscored answers in a stratum of their own, or pass all traffic and leave "
                "sizes out"
            )


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
