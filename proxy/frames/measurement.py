"""Measure a proxy against labels in a DataFrame: the same estimators as the store's report, without a store.

Each row is an answer with its judges' scores and, where an annotator judged it, a label. A `Design` says how the labelled rows
were chosen, so that each stands for the rows that it was drawn to stand for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from proxy.evaluation.agreement import AgreementReport, ConfusionCounts, pass_rate
from proxy.evaluation.agreement import measure as agreement_of
from proxy.evaluation.annotator_agreement import agreement_between
from proxy.evaluation.discrimination import auroc_of, valued
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import COEFFICIENTS, Estimate, as_dict
from proxy.evaluation.evidence_ledger import DrawCounts, EvidenceLedger, clusters_behind
from proxy.evaluation.false_passes import false_passes
from proxy.evaluation.ledger import DECIDED, draws_of
from proxy.evaluation.trust import DEFAULT_LIMIT, Trust, TrustVerdict, judge_trust
from proxy.evaluation.worst_case import cases
from proxy.frames import checks
from proxy.frames.labelled_rows import Design, LabelledRows
from proxy.frames.result import Result, estimate_row
from proxy.records import Judgement, Verdict
from proxy.rule import DEFAULT_EXPRESSION, Rule
from proxy.text.numbers import Kind, percent

if TYPE_CHECKING:
    import pandas as pd

# Each is a field or a property of Report.
QUANTITIES = (
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
    "ac1",
    "auroc",
)
VERDICTS = {
    Trust.YES: "can be trusted",
    Trust.NO: "cannot be trusted",
    Trust.OPEN: "undecided",
    Trust.UNKNOWN: "not measurable",
}


@dataclass(frozen=True, kw_only=True, repr=False)  # without slots: the verdict is worked out once
class Report(Result):
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
        The rule against the labels.
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
        """The share of scored answers on which the rule and annotators agree."""
        return self.agreement.accuracy

    @property
    def f1(self) -> Estimate:
        """Harmonic mean of pass precision and sensitivity."""
        return self.agreement.f1

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa of the rule's verdicts and annotators'."""
        return self.agreement.kappa

    @property
    def mcc(self) -> Estimate:
        """Matthews correlation of the rule's verdicts and annotators'."""
        return self.agreement.mcc

    @property
    def ac1(self) -> Estimate:
        """Gwet's AC1 of the rule's verdicts and annotators'."""
        return self.agreement.ac1

    @property
    def counts(self) -> ConfusionCounts:
        """The 2x2 table of the labels, unweighted."""
        return self.agreement.counts

    @cached_property
    def trust(self) -> TrustVerdict:
        """Whether the rule can stand in for annotators; missing labels count in their worst case."""
        seen = self.counts.right_pass + self.counts.wrong_pass
        left = max(0, self.verdicts[Verdict.PASS] - seen)
        return judge_trust(self.evidence.among, self.limit, evidence=self.evidence, left=left)

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain values, under the keys of `assay report --json`."""
        return {
            "items": self.items,
            "judged": self.judged,
            "labels": self.labels,
            "rule": {"expression": self.rule.expression, "threshold": self.rule.threshold},
            "verdict": {"status": self.trust.status.value, "limit": self.limit},
            **{name: as_dict(getattr(self, name)) for name in QUANTITIES},
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a quantity: estimate, low, high, n, the ends for the long run, method and reason."""
        import pandas as pd

        rows = {name: estimate_row(getattr(self, name)) for name in QUANTITIES}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("quantity")

    def facts(self) -> Mapping[str, str | None]:
        """Return the rule, how much it was measured on, and whether it can be trusted."""
        return {
            "rule": self.rule.expression,
            "answers": f"{self.items:,}",
            "labels": f"{self.labels:,}",
            "predictors": self._predictors,
            "verdict": f"{VERDICTS[self.trust.status]} (limit: {percent(self.limit)} of passed answers right)",
            "reason": self.trust.reason,
        }

    @property
    def _predictors(self) -> str | None:
        """What predicts the answers without a label, so that a column that should not is seen."""
        source = self.correctness.predictor
        return ", ".join(name for name, _ in source.judges) or None if source else None

    def kind(self, row: object, column: str) -> Kind:
        """Return how a quantity is written."""
        return Kind.COEFFICIENT if row in COEFFICIENTS else super().kind(row, column)


def measure(
    frame: pd.DataFrame,
    *,
    rule: str | Rule = DEFAULT_EXPRESSION,
    label: str = "label",
    design: Design | None = None,
    limit: float = DEFAULT_LIMIT,
) -> Report:
    """Measure a rule over judges' scores against annotators' labels.

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
        The share of right answers among passed ones that the verdict on trust asks for, between 0 and 1.

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
    UsageError
        For a limit that is no share.

    Notes
    -----
    Each labelled row has the weight w = 1 / (inclusion probability x response of its stratum). The cells c are stratum by
    verdict, thin ones taken together; N_c is the number of all rows of a cell, N their sum, y is 1 for right and 0 for wrong,
    and f the prediction of P(right) from the rule's value and the scores of `Design.predictors`, fitted to labels of other
    questions. A share of right answers (correctness, pass precision, 1 - NPV) is

    ``p = sum_c (N_c / N) [ sum_c w y / sum_c w  +  b (mean_c f of all rows  -  sum_c w f / sum_c w) ]``

    the weighted mean of the labels of each cell, corrected by how far the labelled rows were predicted otherwise than all rows.
    b is one slope for all cells, fitted to the labels by least squares and shrunk to b max(0, 1 - se^2 / b^2), within [0, 1]:
    0 where the scores are not shown to predict, and then p is the post-stratified mean. So it is with `Design.sizes`, where
    the rows that were not drawn have no scores. With unsure labels N_c counts the rows that annotators can judge, estimated by
    weight; a cell with a label on every row has no sampling error for this window.

    A share has Wilson's interval at its effective sample size. Sensitivity, specificity, accuracy, F1, kappa, MCC and AC1 follow
    from pass precision, NPV and the counted pass rate; their intervals are percentiles over draws of the first two from Beta
    distributions of their effective sizes.

    References
    ----------
    Särndal, Swensson, Wretman (1992), Model Assisted Survey Sampling, ch. 6 and 7: the difference and post-stratified estimators.
    Angelopoulos, Duchi, Zrnic (2023), PPI++: b. Korn and Graubard (1998), Survey Methodology 24: the effective sample size.
    """
    checks.between(limit, "limit")
    rows = LabelledRows.of(checks.checked(frame), rule, label, design)
    evidence = evidence_ledger(rows)
    return Report(
        rule=rows.rule,
        items=rows.items,
        verdicts=rows.verdicts,
        agreement=evidence.over_cases(),
        auroc=evidence.spanned("auroc"),
        evidence=evidence,
        limit=limit,
    )


def evidence_ledger(rows: LabelledRows) -> EvidenceLedger:
    """Measure the rule, and collect what its labels can carry."""
    judged = rows.evidence(as_drawn=False)
    drawn = rows.evidence(as_drawn=True)
    agreement = agreement_of(judged)
    auroc = agreement.known(auroc_of(valued(judged, rows.values_of_drawn)[0]))
    is_whole = all(item.judgement in DECIDED for item in drawn.sample)
    return EvidenceLedger(
        draws=_counts(drawn, tuple(Verdict)),
        passed=_counts(drawn, (Verdict.PASS,)),
        failed=_counts(drawn, (Verdict.FAIL,)),
        pending_waves=(),
        among=agreement,
        auroc=auroc,
        false_passes=false_passes(judged),
        cases=None if is_whole else cases(drawn, rows.values_of_drawn),
        annotators=agreement_between(()),
        clusters=clusters_behind(judged),
        judges=(),
        items=rows.items,
        without_passages=0,
        labelled_without_passages=0,
        chose=frozenset(),
    )


def _counts(evidence: Evidence, verdicts: Sequence[Verdict]) -> DrawCounts:
    """Count the draws with these verdicts by outcome; a draw without a label is unanswered."""
    weights = draws_of(evidence.sample, evidence.drawings).weight.tolist() if evidence.sample else []
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
