"""Plan how many more rows of a DataFrame to label, and which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from proxy.errors import UsageError
from proxy.evaluation.effective_labels import EffectiveLabels, effective_labels_of, width_of
from proxy.evaluation.estimate import COEFFICIENTS, Estimate, as_dict
from proxy.evaluation.evidence_ledger import Objection
from proxy.evaluation.ledger import DECIDED
from proxy.evaluation.predictor import PredictorScores
from proxy.frames import checks
from proxy.frames.labelled_rows import Design, LabelledRows
from proxy.frames.measurement import evidence_ledger
from proxy.frames.result import Result, frame_of, in_line
from proxy.planning.allocation import StratumPlan
from proxy.planning.coded import Coded
from proxy.planning.expected_width import QUANTITIES, Outlook
from proxy.planning.labels_needed import LabelsNeeded, PlanStatus, Wanted, needed
from proxy.planning.priors import from_labels
from proxy.planning.simulation import POOL_SEED, PastWaves, WaveSimulation, pool_of
from proxy.planning.strata import SamplingFrame, kind_of
from proxy.records import Verdict
from proxy.rule import DEFAULT_EXPRESSION, Rule
from proxy.text.numbers import Kind, percent, points

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("stratum", "size", "labels", "inclusion_probability")


@dataclass(frozen=True, kw_only=True, repr=False)
class LabelPlan(Result):
    """How many more labels a wanted width asks for, and where they go.

    Attributes
    ----------
    quantity : str
        What is to be known, such as correctness.
    wanted : float
        The wanted width of its 95 % interval for this window, end to end.
    audit : float or None
        The least share of the labels that goes to failed answers; None: the usual one.
    status : PlanStatus
        Whether nothing, the open draws, more draws, or no number of labels does it.
    present : Estimate
        What the labels at hand tell.
    labels, open, further : int
        Labels right or wrong, drawn rows without any label, and rows that are still to be drawn.
    width : float or None
        The width in the middle of the simulations, once open and further rows are labelled.
    strata : tuple of StratumPlan
        The further rows by stratum: passed and failed rows in bins by the rule's value, bin 1 with the lowest.
    effective_labels : EffectiveLabels
        The labels at hand as a plain random sample that would tell as much.
    unlabelled : int
        Rows of whose kind nothing is labelled: half of them are assumed to be right.
    objection : Objection or None
        Why the labels at hand are not enough however narrow their interval.
    assurance : float
        The share of simulations whose interval is as narrow as wanted.
    further_error : float
        The standard error of `further` that simulations leave.
    plain : int or None
        The labels that a plain random sample of all rows would take in all; None where nothing is to be labelled.
    plain_error : float
        The standard error of `plain` that simulations leave; 0 where it is counted exactly.
    """

    quantity: str
    wanted: float
    audit: float | None
    status: PlanStatus
    present: Estimate
    labels: int
    open: int
    further: int
    width: float | None
    strata: tuple[StratumPlan, ...]
    effective_labels: EffectiveLabels
    unlabelled: int
    objection: Objection | None
    assurance: float
    further_error: float
    plain: int | None
    plain_error: float

    @property
    def reason(self) -> str | None:
        """Why no number of labels does it; None where one does."""
        if self.objection:
            return self.objection.reason
        if self.status is not PlanStatus.NEVER:
            return None
        return self.present.reason or "every row is drawn, or too few rows are on one side of the threshold"

    def facts(self) -> Mapping[str, str | None]:
        """Return what is asked, how many labels it takes, and what is known now."""
        in_all, plain = self.labels + self.open + self.further, None
        if self.plain is not None:
            plain = f"{in_all:,} labels; a plain random sample would take {self.plain:,}"
        width, share = points(self.wanted), percent(self.assurance)
        return {
            "asked": f"{self.quantity}, 95 % interval of {width} points in {share} of simulations",
            "needed": self.status.value,
            "open rows": f"{self.open:,}",
            "further rows": f"{self.further:,}",
            "expected": f"{points(self.width)} points" if self.width else None,
            "now": in_line(self.present, Kind.COEFFICIENT if self.quantity in COEFFICIENTS else Kind.SHARE),
            "effective labels": in_line(self.effective_labels, Kind.COUNT),
            "in all": plain,
            "reason": self.reason,
        }

    def to_dict(self) -> dict[str, object]:
        """Return the plan as plain values, under the keys of `assay plan --json`."""
        return {
            "quantity": self.quantity,
            "wanted_width": self.wanted,
            "audit": self.audit,
            "status": self.status.value,
            "reason": self.reason,
            "further_labels": self.further,
            "open_draws": self.open,
            "expected_width": self.width,
            "assurance": self.assurance,
            "further_labels_error": self.further_error,
            "plain_random_sample": {"labels": self.plain, "monte_carlo_error": self.plain_error},
            "present": as_dict(self.present) | {"width": width_of(self.present), "labels": self.labels},
            "strata": [{"stratum": part.stratum, "size": part.size, "drawn": part.drawn} for part in self.strata],
            "effective_labels": _effective(self.effective_labels),
            "assumed_half_right": self.unlabelled,
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a stratum: its rows that may still be drawn, how many to label, and the probability of each."""
        return frame_of(
            [
                {
                    "stratum": part.stratum,
                    "size": part.size,
                    "labels": part.drawn,
                    "inclusion_probability": part.inclusion_probability,
                }
                for part in self.strata
            ],
            COLUMNS,
        )


def _effective(labels: EffectiveLabels) -> dict[str, object]:
    """Return the effective labels with what scores add to them, as in the JSON of a plan."""
    shares = [{"judge": share.judge, "added": as_dict(share.added)} for share in labels.judges]
    scores = labels.scores and {"judge": labels.scores.judge, "added": as_dict(labels.scores.added)}
    return {**as_dict(labels), "scores": scores, "judges": shares}


def plan(
    frame: pd.DataFrame,
    *,
    width: float = 0.1,
    quantity: str = "correctness",
    audit: float | None = None,
    assurance: float = 0.8,
    rule: str | Rule = DEFAULT_EXPRESSION,
    label: str | None = "label",
    design: Design | None = None,
) -> LabelPlan:
    """Plan the fewest further labels whose interval is as narrow as wanted in most simulations, by stratum.

    Parameters
    ----------
    frame : pandas.DataFrame
        All traffic, one row an answer, labelled or not: the scores in [0, 1] of the rule's judges, and the labels.
    width : float
        The wanted width of the 95 % interval for this window, end to end, in (0, 1].
    quantity : str
        correctness, pass_precision, sensitivity, specificity, accuracy or kappa.
    audit : float, optional
        The least share of the labels that goes to failed answers, in [0, 1]; left out, a quarter, or less where few answers
        fail: what costs correctness 3 % of its labels at most, should the proxy tell nothing.
    assurance : float
        The share of simulations that are to reach the width, between 0 and 1: a plan by the expected width is a coin toss.
    rule : str or Rule
        The rule that is measured; rows are drawn by its verdict and value.
    label : str, optional
        Column of right, wrong, unsure (or True and False); None where nothing is labelled yet.
    design : Design, optional
        How the rows that are labelled by now were chosen; needed where some rows have no label.

    Returns
    -------
    LabelPlan
        The labels needed and their strata, or why no number of labels does it.

    Raises
    ------
    InputError
        For a frame or a design that cannot be measured; the message names the column and the row.
    UsageError
        For an argument out of its range.
    RuleError
        For a rule that cannot be read.

    Notes
    -----
    80 % of the labels follow Neyman (1934), J. Royal Statistical Society 97:558, 20 % the sizes of strata; the audit comes first,
    and up to five labels a stratum. A simulation makes up the answers that nobody has read as the labels let expect them, draws,
    fits the predictor and measures; `further_error` is the Monte-Carlo error of the number of labels.
    """
    checks.between(width, "width", ends="high")
    checks.between(assurance, "assurance", ends="")
    if audit is not None:
        checks.between(audit, "audit", ends="both")
    if quantity not in QUANTITIES:
        raise UsageError(f"quantity is one of {', '.join(QUANTITIES)}, not {checks.shown(quantity)}")
    rows = LabelledRows.of(checks.checked(frame), rule, label, design)
    rows.check_whole("plan")
    ledger = evidence_ledger(rows)
    present = getattr(ledger.among, quantity)
    outlook, unlabelled = _outlook(rows)
    waiting = sum(drawn and judgement is None for drawn, judgement in zip(rows.is_drawn, rows.labels, strict=True))
    wanted = Wanted(quantity=quantity, width=width, assurance=assurance, audit=audit)
    design_of_labels = needed(_stage(rows, outlook, quantity), width_of(present), waiting, wanted)
    objections = ledger.against(quantity=quantity, width=width) if design_of_labels.status is PlanStatus.MET else ()
    if objections:
        design_of_labels = LabelsNeeded(PlanStatus.DOUBT)
    return LabelPlan(
        quantity=quantity,
        wanted=width,
        audit=audit,
        status=design_of_labels.status,
        present=present,
        labels=sum(judgement in DECIDED for judgement in rows.labels),
        open=0 if design_of_labels.status is PlanStatus.MET else waiting,
        further=design_of_labels.labels,
        width=design_of_labels.width,
        strata=design_of_labels.strata,
        effective_labels=effective_labels_of(rows.evidence(as_drawn=False)),
        unlabelled=unlabelled,
        objection=objections[0] if objections else None,
        assurance=assurance,
        further_error=design_of_labels.error,
        plain=design_of_labels.plain,
        plain_error=design_of_labels.plain_error,
    )


def _stage(rows: LabelledRows, outlook: Outlook, quantity: str) -> WaveSimulation:
    """Return the rows with what was drawn of them, ready to simulate waves on."""
    past = rows.evidence(as_drawn=True)
    pool = pool_of(outlook, np.random.default_rng(POOL_SEED))
    return WaveSimulation(
        outlook=outlook,
        past=PastWaves(past.sample, np.flatnonzero(rows.drawn), past.drawings),
        pool=pool,
        scores=PredictorScores(rows.known.table[pool], rows.known.fold[pool]),
        quantity=quantity,
    )


def _outlook(rows: LabelledRows) -> tuple[Outlook, int]:
    """Return every row with what is assumed of it, and of how many rows nothing is known."""
    verdicts = Coded.of([verdict.value for verdict in rows.verdicts_of_rows])
    kinds = [kind_of(Verdict(name), is_thumbed_down=False, is_disputed=False).value for name in verdicts.names]
    frame = SamplingFrame(
        keys=np.arange(len(rows.ids)),
        kinds=Coded(tuple(kinds), verdicts.codes),
        values=rows.rule_values,
        right=rows.right,
        is_eligible=~rows.drawn,
    ).foreseen(rows.known)
    expected = from_labels(frame, verdicts)
    chance = rows.chance_of_all(rows.drawings(as_drawn=True))
    came_back = sum(judgement is not None for judgement in rows.labels)
    decided = sum(judgement in DECIDED for judgement in rows.labels)
    outlook = Outlook(
        frame=frame,
        verdicts=verdicts,
        right=expected.right,
        chance=chance,
        missed=1 - chance[rows.drawn],
        decided=(decided + 1) / (came_back + 1),
    )
    return outlook, expected.unlabelled
