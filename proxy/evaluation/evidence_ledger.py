"""Collect the evidence that limits what can be claimed from the labels, and list objections to a claim.

The ledger holds the number of unsure, unanswered and pending draws with the worst and best case that they allow, the agreement
of annotators, the number of clusters, how many items judges could not score, and the labels that chose the threshold. A claim
with an objection is not made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.annotator_agreement import AnnotatorAgreement, Reliability
from proxy.evaluation.domains import Evidence
from proxy.evaluation.estimate import COEFFICIENTS, Estimate, as_long_run
from proxy.evaluation.worst_case import Cases, spanned, widened
from proxy.reason import Reason, joined
from proxy.records import Verdict
from proxy.stats.sampling.clusters import effective
from proxy.stats.sampling.design_effect import alikeness
from proxy.text.numbers import Kind, written


class Doubt(StrEnum):
    """Why a claim cannot be made."""

    ANNOTATORS = "annotators"  # they agree no better than chance
    MISSING = "missing"  # unsure or unanswered draws could turn it
    PENDING = "pending"  # draws that still wait for a label could turn it


class Objection(NamedTuple):
    """A reason against a claim, as a clause, and what would remove it."""

    doubt: Doubt
    reason: str
    remedy: str

    @property
    def words(self) -> str:
        """The reason with what would remove it, unless the reason says so itself."""
        return self.reason if self.remedy in self.reason else f"{self.reason}; {self.remedy}"


NO_LABEL_BACK = "not measurable: no label has come back; label the items that are drawn"


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawCounts:
    """Counts of draws by outcome: `answered` right or wrong, `unsure`, `unanswered` for good, or `pending`.

    The shares are weighted by design, of all draws counted here. A draw is unanswered where an annotator passed it over or its
    item can no longer be shown, and pending where nobody has seen it.
    """

    drawn: int = 0
    answered: int = 0
    unsure: int = 0
    unanswered: int = 0
    pending: int = 0
    unsure_share: float = 0.0
    unanswered_share: float = 0.0
    pending_share: float = 0.0

    @property
    def missing(self) -> int:
        """The number of draws without a right or wrong."""
        return self.unsure + self.unanswered + self.pending

    @property
    def missing_share(self) -> float:
        """The share of draws without a right or wrong, weighted by design."""
        return self.unsure_share + self.unanswered_share + self.pending_share

    @property
    def doubt(self) -> Doubt:
        """The doubt that the missing draws raise: PENDING where waiting for labels is enough, else MISSING."""
        return Doubt.MISSING if self.unsure + self.unanswered else Doubt.PENDING

    def words(self, of: str = "drawn answers") -> str:
        """Describe the missing draws, such as "12 of 60 drawn answers have no right or wrong (12 unsure or disagreed on)"."""
        kinds = (
            (self.unsure, "{count} unsure or disagreed on"),
            (self.unanswered, "{count} left unanswered"),
            (self.pending, "{count} waiting for a label"),
        )
        listed = [Reason(kind, count=count) for count, kind in kinds if count]
        return Reason(
            f"{{missing}} of {{drawn}} {of} have no right or wrong ({{kinds}})",
            missing=self.missing,
            drawn=self.drawn,
            kinds=joined(listed) if listed else None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Clusters:
    """The groups and questions behind the labels, and Kish's number of equally heavy clusters of the fewer of them.

    `there` is that number for all traffic, `alike` the intraclass correlation of right and wrong among passed answers.
    """

    groups: int
    questions: int
    effective: float
    there: float = 0.0
    alike: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeEvidence:
    """The coverage of a judge.

    `abstained` items do not apply to the judge, `failed` ones it could not score for another reason.
    """

    judge: str
    signature: str
    scored: int
    failed: int
    abstained: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceLedger:
    """The evidence on the rule in force.

    `draws`, `passed` and `failed` count what became of draws, all and by verdict; `pending_waves` went out and have no label at
    all yet, so that no estimate and no case speaks of them. `among` is measured on what annotators could judge, `cases` with the
    rest filled in, None where nothing is missing. `chose` are the draws whose labels chose the threshold.
    """

    draws: DrawCounts
    passed: DrawCounts
    failed: DrawCounts
    pending_waves: tuple[int, ...]
    among: AgreementReport
    auroc: Estimate
    false_passes: Estimate
    cases: Cases | None
    annotators: AnnotatorAgreement
    clusters: Clusters
    judges: tuple[JudgeEvidence, ...]
    items: int
    without_passages: int
    labelled_without_passages: int
    chose: frozenset[int]

    @property
    def response(self) -> Estimate:
        """The share of draws that annotators called right or wrong, weighted by design; it speaks of the draws alone."""
        if not self.draws.answered + self.draws.unsure:
            return Estimate(estimate=None, n=self.draws.drawn, reason=NO_LABEL_BACK)
        share = 1 - self.draws.missing_share
        return Estimate(estimate=share, low=share, high=share, n=self.draws.drawn, method="counted on every draw")

    def spanned(self, quantity: str) -> Estimate:
        """Return the quantity with intervals that hold whatever the missing answers are; its own where none is missing."""
        among = self.among_judged(quantity)
        if self.cases is None:
            return among
        return spanned(quantity, among, self.worst(quantity), self.best(quantity))

    def worst(self, quantity: str) -> Estimate:
        """Return the quantity in its worst case over what is missing."""
        if self.cases is None:
            return self.among_judged(quantity)
        return self.cases.worst_of(quantity)

    def best(self, quantity: str) -> Estimate:
        """Return the quantity in its best case over what is missing."""
        if self.cases is None:
            return self.among_judged(quantity)
        return self.cases.best_of(quantity)

    def against(self, *, quantity: str = "pass_precision", width: float | None = None) -> tuple[Objection, ...]:
        """List the objections to a claim from these labels, the most serious first; empty where there are none.

        Parameters
        ----------
        quantity : str
            What the claim is about, by its name in the report.
        width : float, optional
            The claim is that the quantity's interval is at most so wide. An objection where its labels say so and the interval
            over all cases does not.

        Returns
        -------
        tuple of Objection
        """
        objections = against_labels(self.annotators)
        if width is not None and self._is_widened(quantity, width):
            return (*objections, self._missing(quantity))
        return objections

    def counts(self, quantity: str) -> DrawCounts:
        """Return the counts of the draws that a quantity rests on."""
        of_passed = {"pass_precision": self.passed, "false_passes": self.passed}
        return (of_passed | {"npv": self.failed}).get(quantity, self.draws)

    def among_judged(self, quantity: str) -> Estimate:
        """Return the quantity among what annotators could judge."""
        beside = {"auroc": self.auroc, "false_passes": self.false_passes}
        estimate: Estimate = beside[quantity] if quantity in beside else getattr(self.among, quantity)
        return estimate

    def over_cases(self) -> AgreementReport:
        """Return the agreement with intervals that hold whatever the missing answers are: what is shown, and held to limits."""
        if self.cases is None:
            return self.among
        correctness = self.spanned("correctness")
        wider = widened(self.among, self.cases.worst, self.cases.best)
        return replace(wider, correctness=correctness, correctness_long_run=as_long_run(correctness))

    def _is_widened(self, quantity: str, width: float) -> bool:
        """Check whether the interval is narrow enough by the labels alone, and too wide over all cases."""
        among, with_cases = self.among_judged(quantity), self.spanned(quantity)
        if self.cases is None or among.long_run is None or with_cases.long_run is None:
            return False
        return _width(among) <= width < _width(with_cases)

    def _missing(self, quantity: str) -> Objection:
        """Object to the draws without a right or wrong, with the worst case that may follow."""
        counts, worst = self.counts(quantity), self.worst(quantity)
        words = counts.words()
        if worst.estimate is not None:
            kind = Kind.COEFFICIENT if quantity in COEFFICIENTS else Kind.SHARE
            words += f"; in the worst case {quantity.replace('_', ' ')} is {written(worst.estimate, kind)}"
        return Objection(counts.doubt, words, _remedy(counts))


def against_labels(annotators: AnnotatorAgreement) -> tuple[Objection, ...]:
    """List the objections to any claim from these annotators' labels, whatever it is about; empty where there are none."""
    if annotators.reliability is not Reliability.UNRELIABLE:
        return ()
    reason = annotators.warning or "two annotators agree no better than chance"
    return (Objection(Doubt.ANNOTATORS, reason, "clear up the guide, then have items read again"),)


def _remedy(counts: DrawCounts) -> str:
    """What would take away the doubt that draws without a right or wrong raise."""
    if counts.doubt is Doubt.PENDING:
        return "label them"
    if counts.pending:
        return "label those that wait, and have the others read by a second annotator"
    return "have them read by a second annotator"


def clusters_behind(evidence: Evidence, there: float = 0.0) -> Clusters:
    """Count the groups and the questions of the labels; `there` is the effective number for all traffic."""
    draws = evidence.arrays
    is_judged = draws.judged > 0
    weight = draws.weight * draws.judged
    if not weight.any():
        return Clusters(groups=0, questions=0, effective=0.0, there=there)
    ways = draws.ways
    groups, questions = (len(np.unique(way[is_judged])) for way in (ways.group, ways.question))
    passed = is_judged & np.array([item.verdict is Verdict.PASS for item in evidence.returned], dtype=np.bool_)
    return Clusters(
        groups=groups,
        questions=questions,
        effective=effective(ways, weight).clusters,
        there=there,
        alike=max(alikeness(draws.right[passed], way[passed]) for way in (ways.group, ways.question)),
    )


class SilentShare(NamedTuple):
    """A share of right answers (or of errors) among what annotators could judge, and the share of draws that they could not."""

    share: float
    missing: float

    @property
    def least(self) -> float:
        """The share if every missing answer counts against it."""
        return self.share * (1 - self.missing)

    @property
    def most(self) -> float:
        """The share if every missing answer counts for it."""
        return self.least + self.missing


def can_turn(shown: float, larger: SilentShare, smaller: SilentShare) -> bool:
    """Return whether missing answers could take away what labels show of a difference between two shares.

    Parameters
    ----------
    shown : float
        The end of the difference's interval that lies nearest to 0, above 0 where a difference is shown.
    larger, smaller : SilentShare
        The two shares among what annotators could judge, the larger first.

    Returns
    -------
    bool
        Whether shown <= (larger - its least) + (the most of the smaller - smaller): the bias that the missing could hide.
    """
    bias = (larger.share - larger.least) + (smaller.most - smaller.share)
    return bias > 0 and shown <= bias


def _width(estimate: Estimate) -> float:
    return 1.0 if estimate.low is None or estimate.high is None else estimate.high - estimate.low
