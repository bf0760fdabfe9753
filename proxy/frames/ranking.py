"""Rank systems by the labelled answers of a DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proxy.comparison.given_answers import MissingAnswers, answers_of, census, is_census, sampled_of
from proxy.comparison.ranking import Standings, standings
from proxy.evaluation.estimate import as_dict
from proxy.evaluation.ledger import DECIDED
from proxy.frames.labelled_rows import Design
from proxy.frames.result import ESTIMATE_COLUMNS, Result, estimate_row, frame_of
from proxy.frames.system_rows import system_rows
from proxy.rule import DEFAULT_EXPRESSION, Rule
from proxy.text.numbers import several

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, repr=False)
class Ranking(Result):
    """Systems by their share of right answers; those that are not distinguished share a range of ranks.

    Attributes
    ----------
    rule : Rule
        The rule whose value sharpens the estimates.
    names : tuple of str
        The systems as they were named; `standings` refers to them by number.
    standings : Standings
        The systems from the best rate to the worst, and every pair of those measured.
    questions, shared : int
        Questions that any, and that all of them answered.
    is_census : bool
        Whether every answer is labelled right or wrong.
    missing : tuple of MissingAnswers
        Drawn answers of each system without a right or wrong; intervals hold whatever those are.
    """

    rule: Rule
    names: tuple[str, ...]
    standings: Standings
    questions: int
    shared: int
    is_census: bool
    missing: tuple[MissingAnswers, ...]

    def facts(self) -> Mapping[str, str | None]:
        """Return who leads, and what it rests on."""
        leaders = [self.names[standing.number] for standing in self.standings.leaders]
        clear, pairs = len(self.standings.clear), len(self.standings.pairs)
        return {
            "rule": self.rule.expression,
            "leaders": ", ".join(leaders) if clear else None,
            "told apart": f"{clear:,} of {several(pairs, 'pair')} of systems",
            "questions": f"{self.questions:,}, of which {self.shared:,} by all systems",
            "reason": None if self.standings.measured else "no system is measurable: label some answers of each",
        }

    def to_dict(self) -> dict[str, object]:
        """Return the ranking as plain values, under the keys of `assay compare --json` for three systems or more."""
        return {
            "rule": self.rule.expression,
            "questions": self.questions,
            "shared_questions": self.shared,
            "is_census": self.is_census,
            "missing": {name: missing.draws for name, missing in zip(self.names, self.missing, strict=True)},
            "systems": [
                {
                    "system": self.names[standing.number],
                    "answers": standing.answers,
                    "labels": standing.labels,
                    "correctness": as_dict(standing.correctness),
                    "best_rank": standing.best,
                    "worst_rank": standing.worst,
                }
                for standing in self.standings.systems
            ],
            "pairs": [
                {
                    "better": self.names[pair.better],
                    "worse": self.names[pair.worse],
                    "difference": as_dict(pair.difference),
                    "p_value": pair.p_value,
                    "p_value_long_run": pair.p_long_run,
                    "is_clear": pair.is_clear,
                    "is_clear_long_run": pair.is_lasting,
                    "is_open": pair.is_open,
                }
                for pair in self.standings.pairs
            ],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system, best first: its ranks, answers, and correctness."""
        return frame_of(
            [
                {
                    "system": self.names[standing.number],
                    "best_rank": standing.best,
                    "worst_rank": standing.worst,
                    "answers": standing.answers,
                    **estimate_row(standing.correctness),
                }
                for standing in self.standings.systems
            ],
            ["system", "best_rank", "worst_rank", "answers", *ESTIMATE_COLUMNS],
        ).set_index("system")


def rank(
    frame: pd.DataFrame,
    *,
    system: str = "system",
    systems: Sequence[str] | None = None,
    question: str | None = "question",
    rule: str | Rule = DEFAULT_EXPRESSION,
    label: str = "label",
    design: Design | None = None,
) -> Ranking:
    """Rank systems by the share of right answers, with intervals and ranges of ranks.

    Parameters
    ----------
    frame : pandas.DataFrame
        All traffic, one row an answer of a system, labelled or not: the scores in [0, 1] of the rule's judges, and the labels.
    system : str
        Column that says which system answered.
    systems : sequence of str, optional
        The systems to rank; without it all in the column.
    question : str, optional
        Column that says what was asked: equal values are the same question. None where no two answers are to the same question.
    rule : str or Rule
        Its value predicts what is right; each system's own labels correct it. Its threshold does not matter.
    label : str
        Column of right, wrong, unsure (or True and False); missing where nobody judged the answer.
    design : Design, optional
        How the labelled rows were chosen; needed where some rows have no label.

    Returns
    -------
    Ranking
        Rates with 95 % intervals for these answers and for the long run, ranges of ranks, and every pair with its p-value.

    Raises
    ------
    InputError
        For a frame or a design that cannot be measured; the message names the column and the row.
    UsageError
        For fewer than two systems, or one that no row is of.
    RuleError
        For a rule that cannot be read.

    Notes
    -----
    A rate is the difference estimator of Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, 6.3, with Wilson's
    interval at the effective sample size. Pairs: score tests, adjusted by Holm (1979) over all pairs, so that the order of any
    two that are distinguished is wrong in at most 5 % of rankings.
    """
    by_system = system_rows(
        frame, rule=rule, system=system, systems=systems, question=question, label=label, design=design, what="rank"
    )
    answers = [by_system.answers(number) for number in range(len(by_system.names))]
    labels = by_system.labels()
    is_whole = is_census(answers, {place for place, judgement in labels.items() if judgement in DECIDED})
    reached = answers if is_whole else [given.only(given.is_reachable) for given in answers]
    sampled = census(reached, labels) if is_whole else sampled_of(reached, list(labels), by_system.whole.arrays)
    missing = [MissingAnswers(0, 0.0) if is_whole else by_system.missing(number) for number in range(len(answers))]
    questions = [set(given.questions) for given in answers]
    return Ranking(
        rule=by_system.rows.rule,
        names=by_system.names,
        standings=standings(answers_of(reached), sampled, len(answers), [gap.share for gap in missing]),
        questions=len(set().union(*questions)),
        shared=len(set.intersection(*questions)),
        is_census=is_whole,
        missing=tuple(missing),
    )
