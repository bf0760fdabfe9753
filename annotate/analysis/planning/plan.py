"""Plan a wave: how many labels a wanted width asks for, where they go, and the effective labels of the present ones.

The wave is the one that is drawn and its measuring is the report's, simulated on made-up answers: a plan differs from what comes
back only by what had to be assumed of unread answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.evidence import gather, sampled
from annotate.analysis.evidence_ledger import Basis, evidence_ledger
from annotate.analysis.planning.obstacle import PlanObstacle, obstacle
from annotate.analysis.planning.time_budget import TimeBudget, label_time
from annotate.analysis.predictor import foreseen, known
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.annotator_activity import Pace
from annotate.domain.working_time import FEWEST_TIMED
from annotate.settings import SETTINGS, PlanSettings, options
from annotate.store import Store
from annotate.store.sampling.ledger import Chances
from proxy.errors import UsageError
from proxy.evaluation.agreement import measure
from proxy.evaluation.annotator_agreement import agreement_between
from proxy.evaluation.effective_labels import EffectiveLabels, effective_labels_of, width_of
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Doubt, DrawCounts, EvidenceLedger, Objection
from proxy.evaluation.levels import SAME
from proxy.planning import expected_width, priors, strata
from proxy.planning.allocation import StratumPlan
from proxy.planning.coded import Coded, blocks
from proxy.planning.expected_width import Outlook
from proxy.planning.labels_needed import LabelsNeeded, PlanStatus, Wanted, needed, reached
from proxy.planning.simulation import POOL_SEED, PastWaves, WaveSimulation, pool_of
from proxy.planning.strata import SamplingFrame
from proxy.records import Verdict
from proxy.rule import Rule

# The usual power: four plans of five reach the width.
ASSURANCE = 0.8
TWICE = 2  # standard errors


class PlanRequest(NamedTuple):
    """The request for a plan: a width of a quantity's 95 % interval, with the least share of labels from failed items.

    `assurance` is the share of simulations that are to reach the width.
    """

    quantity: str = "correctness"
    wanted: float = 0.1
    audit: float | None = None
    assurance: float = ASSURANCE
    minutes: float | None = None


class UnjudgedDraws(NamedTuple):
    """Draws that annotators could not judge, or left, and by how much their worst cases widen the present interval.

    `wider` is None where the interval over all cases is not known. More labels do not take it away.
    """

    counts: DrawCounts
    wider: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class LabellingPlan:
    """The answer. `labels` are there and say right or wrong, `open` draws wait, `further` items are to be drawn.

    Once open and further draws are labelled the interval is as narrow as wanted in a share `assurance` of simulations, and
    `width` in the middle of them, None where nothing makes the quantity measurable. `further_error` is the standard error of
    `further` that simulations leave. A plain random sample would take `plain` labels in all, give or take `plain_error`. It
    `is_short` where all that is left does not reach the width as often as asked; a plain random sample of everything does not
    where it `is_plain_short`.

    Of `items` what is `present` leaves out the `uncovered`, which came after the last wave that counts; of the `unlabelled`
    nothing is known, so that one half of them is taken to be right. `objection` is why the labels at hand are not enough, however
    narrow their interval. `missing` are drawn answers that no width here speaks of.
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
    pace: Pace
    items: int
    uncovered: int
    unlabelled: int
    obstacle: PlanObstacle | None = None
    objection: Objection | None = None
    missing: UnjudgedDraws | None = None
    assurance: float = ASSURANCE
    further_error: float = 0.0
    plain: int | None = None
    plain_error: float = 0.0
    is_short: bool = False
    is_plain_short: bool = False
    budget: TimeBudget | None = None

    @property
    def in_all(self) -> int:
        """The labels that are there once all is labelled."""
        return self.labels + self.open + self.further

    @property
    def saved(self) -> int:
        """The labels that a plain random sample takes more than this plan; negative where it takes fewer, 0 within the error."""
        if self.plain is None or self.is_short or self.is_plain_short:
            return 0
        error = math.hypot(self.further_error, self.plain_error)
        return 0 if abs(self.plain - self.in_all) <= max(1.0, TWICE * error) else self.plain - self.in_all

    @property
    def present_width(self) -> float | None:
        """The width of the window interval that the labels give now."""
        return width_of(self.present)

    @property
    def minutes(self) -> float | None:
        """The expert time for all that is left to label; None before enough annotations were timed."""
        if self.pace.mean is None or self.pace.n < FEWEST_TIMED:
            return None
        return (self.open + self.further) * self.pace.mean / 60


def defaults() -> PlanRequest:
    """Read [plan] of assay.toml; UsageError where it cannot be read."""
    given, usual = options("plan", PlanSettings), PlanRequest()
    if given.quantity is not None and given.quantity not in expected_width.QUANTITIES:
        raise UsageError(
            f"{SETTINGS}: [plan] quantity is one of {', '.join(expected_width.QUANTITIES)}, not {given.quantity!r}"
        )
    return PlanRequest(
        given.quantity or usual.quantity,
        given.width or usual.wanted,
        given.audit,
        given.assurance or usual.assurance,
    )


class Foreseen(NamedTuple):
    """The width to expect of a quantity's window interval once all that is drawn is labelled; None: not measurable."""

    quantity: str
    width: float | None


class _Ahead(NamedTuple):
    """The outlook under the rule in force, and of how many items nothing is known."""

    key: int
    rule: Rule
    outlook: Outlook
    unlabelled: int

    def stage(self, store: Store, quantity: str) -> WaveSimulation:
        """Return the traffic with its past, ready to simulate waves on."""
        pool = pool_of(self.outlook, np.random.default_rng(POOL_SEED))
        return WaveSimulation(
            outlook=self.outlook,
            past=_past(store, self.outlook),
            pool=pool,
            scores=known(store, self.rule, self.outlook.frame.keys[pool].tolist()),
            quantity=quantity,
        )


def foresee(store: Store, parts: Sequence[StratumPlan], labels: int) -> tuple[Foreseen, ...]:
    """Predict what a stratified wave of all traffic for so many `labels`, with these parts, would tell of every quantity.

    It differs from what comes back by the luck of the draw and by what is assumed of unread answers, as a Plan does.
    """
    outlook = _ahead(store).outlook
    groups = expected_width.group(outlook, strata.stratify(outlook.frame, labels))
    drawn = {part.stratum: part.drawn for part in parts}
    return tuple(Foreseen(name, expected_width.width(groups, drawn, name)) for name in expected_width.QUANTITIES)


def _ahead(store: Store) -> _Ahead:
    """Read every item with what is assumed of it. UsageError where there is none."""
    key, rule = rule_in_force(store)
    frame = foreseen(store, rule, store.sampling.waves.frame(key))
    if not len(frame.keys):
        raise UsageError("there is no item to plan for: bring traffic in with `assay ingest FILE`")
    verdicts = priors.verdicts_of(frame, rule)
    expected, progress = priors.from_labels(frame, verdicts), store.sampling.waves.progress()
    decided = (progress.right + progress.wrong + 1) / (progress.labelled + 1)
    return _Ahead(key, rule, _outlook(store, frame, verdicts, expected.right, decided), expected.unlabelled)


def build(store: Store, request: PlanRequest) -> LabellingPlan:
    """Plan under the rule in force. UsageError where there is no item."""
    quantity, wanted, audit, assurance, minutes = request
    if minutes is not None and not minutes > 0:
        raise UsageError(f"give a number of minutes above 0, not {minutes:g}")
    if not 0 < assurance < 1:
        raise UsageError(f"the assurance is a share between 0 and 1, such as 0.8, not {assurance:g}")
    ahead, progress = _ahead(store), store.sampling.waves.progress()
    traffic = gather(store, ahead.key, [ahead.rule])
    evidence = traffic.evidence(traffic.rules[0])
    report = measure(evidence)
    present, uncovered = getattr(report, quantity), traffic.rules[0].uncovered
    now_width = None if uncovered else width_of(present)
    stage = ahead.stage(store, quantity)
    design = needed(
        stage,
        now_width,
        progress.open,
        Wanted(quantity=quantity, width=wanted, assurance=assurance, audit=audit),
    )
    ledger = evidence_ledger(
        store, ahead.key, ahead.rule, Basis(traffic, report, agreement_between(store.labels.readings()))
    )
    objections = ledger.against(quantity=quantity, width=wanted)
    objection = next(
        (against for against in objections if design.status is PlanStatus.MET or against.doubt is Doubt.ANNOTATORS),
        None,
    )
    if objection:
        design = LabelsNeeded(PlanStatus.DOUBT)
    return LabellingPlan(
        quantity=quantity,
        wanted=wanted,
        audit=audit,
        status=design.status,
        present=present,
        labels=progress.right + progress.wrong,
        open=0 if design.status is PlanStatus.MET else progress.open,
        further=design.labels,
        width=design.width,
        strata=design.strata,
        effective_labels=effective_labels_of(evidence),
        pace=Pace.of(store.labels.seconds()),
        items=len(ahead.outlook.frame.keys),
        uncovered=uncovered,
        unlabelled=ahead.unlabelled,
        objection=objection,
        missing=_missing(ledger, quantity),
        obstacle=obstacle(ahead.outlook, present, audit) if design.status is PlanStatus.NEVER else None,
        assurance=assurance,
        further_error=design.error,
        plain=design.plain,
        plain_error=design.plain_error,
        is_short=design.is_short,
        is_plain_short=design.is_plain_short,
        budget=None if minutes is None else _budget(store, stage, minutes, progress.open, audit),
    )


def _budget(
    store: Store, stage: WaveSimulation, minutes: float, waiting: int, audit: float | None
) -> TimeBudget | None:
    """Return what fits into so many minutes, open draws first; None where nothing tells how long a label takes."""
    pace = label_time(store)
    if pace is None:
        return None
    labels = int(60 * minutes / pace.mean)
    eligible = int(stage.outlook.frame.is_eligible.sum())
    further = min(max(0, labels - waiting), eligible)
    width = reached(stage, further, audit) if labels >= waiting and labels else None
    fitting = min(labels, waiting + eligible)
    return TimeBudget(minutes=minutes, label_time=pace, labels=fitting, further=further, width=width)


def _past(store: Store, outlook: Outlook) -> PastWaves:
    """Return every draw of a current item, in whichever wave, as if all came back."""
    ledger, last = store.sampling.ledger, store.sampling.waves.next_number() - 1
    drawings = ledger.drawings(last, as_drawn=True)
    drawn = list(ledger.drawn(last, drawings, as_drawn=True))
    is_current = np.isin(np.array([draw.item for draw in drawn], dtype=np.int64), outlook.frame.keys)
    drawn = list(compress(drawn, is_current))
    rows = np.searchsorted(outlook.frame.keys, np.array([draw.item for draw in drawn], dtype=np.int64))
    verdicts = [Verdict(verdict) for verdict in outlook.verdicts[rows].tolist()]
    return PastWaves(
        [sampled(draw, verdict, SAME) for draw, verdict in zip(drawn, verdicts, strict=True)], rows, drawings
    )


def _missing(ledger: EvidenceLedger, quantity: str) -> UnjudgedDraws | None:
    """Return what the labels do not speak of, where labelling the draws that wait does not help."""
    counts = ledger.counts(quantity)
    if not counts.unsure + counts.unanswered:
        return None
    among, over_all = width_of(ledger.among_judged(quantity)), width_of(ledger.spanned(quantity))
    return UnjudgedDraws(counts, None if among is None or over_all is None else over_all - among)


def _outlook(store: Store, frame: SamplingFrame, verdicts: Coded, right: priors.Tabled, decided: float) -> Outlook:
    """Return the frame with its past: what each item's chances were, and which were drawn."""
    framed = store.sampling.ledger.chances(store.sampling.waves.next_number() - 1)
    own = {draw.item: draw.inclusion_probability for draw in store.sampling.waves.all_draws()}
    return Outlook(
        frame=frame,
        verdicts=verdicts,
        right=right,
        chance=_spread_over(frame, framed),
        missed=1 - np.array([own[key] for key in frame.keys[~frame.is_eligible].tolist()], dtype=np.float64),
        decided=decided,
    )


def _spread_over(frame: SamplingFrame, framed: Chances) -> NDArray[np.float64]:
    """Return the chance of each item of the frame; 0 of what no wave framed."""
    if len(framed.keys) == len(frame.keys):
        return framed.of_any
    chance = np.zeros(len(frame.keys))
    for block in blocks(len(framed.keys)):
        chance[np.searchsorted(frame.keys, framed.keys[block])] = framed.of_any[block]
    return chance
