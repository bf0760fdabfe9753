"""Simulate a design many times on traffic with assumed answers, and measure coverage and widths of its intervals.

Each repetition makes up an answer to every question, draws and labels waves as the store would, measures them as the report
would, and compares each interval for this window with the made-up value of that window. A plain random sample of as many
labels is drawn beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.planning.plan import ASSURANCE, TWICE
from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves
from annotate.analysis.predictor import foreseen, known
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.progress import ProgressCounter
from annotate.store import Store
from proxy.errors import UsageError
from proxy.evaluation.agreement import measure
from proxy.evaluation.confusion_rates import DERIVED
from proxy.evaluation.domains import Evidence
from proxy.evaluation.effective_labels import width_of
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.trust import percent
from proxy.planning.coded import Coded
from proxy.planning.priors import Guess, from_labels, from_numbers, verdicts_of
from proxy.planning.strata import Stratum
from proxy.reason import Reason
from proxy.records import Verdict
from proxy.stats.agreement import confusion

QUANTITIES = ("correctness", "pass_precision", "npv", *DERIVED)
# Chosen: a usual app and judge, where nothing is known; --right, --sensitivity and --specificity change it.
GUESS = Guess(right=0.8, sensitivity=0.9, specificity=0.6)
# Chosen: a quarter of a report's draws, as each repetition needs its own: faster, and a little less even.
DRAWS = 1024
# Chosen for time: 20,000 drawn at random stand for more; only the finite-population correction differs.
MOST_ITEMS = 20_000
# An end that equals the truth may differ from it in the last digits of a float.
ROUNDING = 1e-9
Numbers = NDArray[np.float64]


class SimulatedTraffic(NamedTuple):
    """The traffic of a store, made ready: P(right) of each item, how many items it stands for, and where P(right) is from.

    The simulated waves start from nothing: labels that annotators have given already (`labels`) are no part of them.
    """

    traffic: SyntheticTraffic
    right: Numbers
    items: int
    basis: tuple[str, ...]
    labels: int = 0


class PlainSample(NamedTuple):
    """A plain random sample of as many labels of the same traffic, measured in the same form.

    `width` and `assured` are those of `SimulatedQuantity`; `wider` is how much wider it is on average, as a share of the
    design's width, with its Monte Carlo standard error `wider_error`. None where nothing was measurable.
    """

    width: float | None
    assured: float | None
    wider: float | None
    wider_error: float

    @property
    def difference(self) -> int:
        """1 where it is shown to be wider, -1 where narrower, 0 where neither shows."""
        if self.wider is None or abs(self.wider) <= TWICE * self.wider_error:
            return 0
        return 1 if self.wider > 0 else -1


class SimulatedQuantity(NamedTuple):
    """One quantity over all repetitions.

    `measured` counts the repetitions in which it was measurable and the truth defined; of these `covered` have the truth in
    their interval. `truth` and `width` are means over them, None where there are none. `assured` is the width that the asked
    share of all repetitions keeps, None where too few were measurable, and `assured_error` its Monte Carlo standard error.
    """

    quantity: str
    repetitions: int
    measured: int
    covered: int
    truth: float | None
    width: float | None
    assured: float | None
    assured_error: float
    plain: PlainSample

    @property
    def coverage(self) -> float | None:
        """Covered / measured."""
        return self.covered / self.measured if self.measured else None

    @property
    def error(self) -> float | None:
        """The Monte Carlo standard error of the coverage, sqrt(c (1 - c) / R); at c = 1 that of one miss."""
        if self.coverage is None:
            return None
        c = min(self.coverage, 1 - 1 / (self.measured + 1))
        return math.sqrt(c * (1 - c) / self.measured)


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulation:
    """The sample to simulate.

    Attributes
    ----------
    labels, waves
        How many labels, all waves together, and in how many equal waves.
    active
        All waves but the first favour items of which labels leave us unsure.
    audit
        The least share of the labels from failed items; None: the usual one.
    repetitions
        How many repetitions.
    assurance
        The share of repetitions that are to keep the width that is told.
    right, sensitivity, specificity
        Assumed whatever labels say, where one is given.
    """

    labels: int
    waves: int = 1
    active: bool = False
    audit: float | None = None
    repetitions: int = 300
    seed: int = 0
    assurance: float = ASSURANCE
    right: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulated:
    """Each quantity over all repetitions, the sample that was simulated, and the traffic that it was simulated on."""

    request: Simulation
    quantities: Sequence[SimulatedQuantity]
    stage: SimulatedTraffic


class _Tally:
    """The interval of each repetition; three numbers each, so that even many repetitions are little."""

    def __init__(self, repetitions: int) -> None:
        self.widths = np.full(repetitions, np.inf)
        self.covered = np.zeros(repetitions, dtype=np.bool_)
        self.truths = np.full(repetitions, np.nan)

    def add(self, place: int, estimate: Estimate, truth: float) -> None:
        """Count a repetition; nothing where it was not measurable."""
        width = width_of(estimate)
        if width is None or estimate.low is None or estimate.high is None or math.isnan(truth):
            return
        self.widths[place], self.truths[place] = width, truth
        self.covered[place] = estimate.low - ROUNDING <= truth <= estimate.high + ROUNDING

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which repetitions were measurable."""
        return np.asarray(np.isfinite(self.widths), dtype=np.bool_)

    @property
    def mean(self) -> float | None:
        """The mean width of those that were measurable."""
        return float(self.widths[self.measured].mean()) if self.measured.any() else None

    def assured(self, assurance: float) -> float | None:
        """Return the width that this share of the repetitions keeps."""
        place = min(len(self.widths) - 1, max(0, math.ceil(assurance * len(self.widths)) - 1))
        width = float(np.sort(self.widths)[place])
        return width if math.isfinite(width) else None


def run(store: Store, simulation: Simulation) -> Simulated:
    """Simulate a sample on the items of the store; UsageError where there are fewer than labels."""
    rng = np.random.default_rng(simulation.seed)
    waves = requests(simulation.labels, simulation.waves, simulation.audit, is_active=simulation.active)
    assumed = guess(simulation.right, simulation.sensitivity, simulation.specificity)
    ready = stage(store, assumed, rng)
    if simulation.labels > ready.items:
        raise UsageError(f"--labels {simulation.labels:,} is more than the {ready.items:,} items there are: give fewer")
    with ProgressCounter("simulate", simulation.repetitions) as progress:
        quantities = simulate(
            ready.traffic, ready.right, waves, simulation.repetitions, rng, progress.advance, simulation.assurance
        )
    return Simulated(request=simulation, quantities=quantities, stage=ready)


def guess(right: float | None, sensitivity: float | None, specificity: float | None) -> Guess | None:
    """Return the numbers to assume in place of labels, those of GUESS where not given; None if none is given."""
    given = (right, sensitivity, specificity)
    if all(rate is None for rate in given):
        return None
    return Guess(*(usual if rate is None else rate for rate, usual in zip(given, GUESS, strict=True)))


def stage(store: Store, assumed: Guess | None, rng: np.random.Generator) -> SimulatedTraffic:
    """Read the current items; without labels and without numbers to assume, GUESS is assumed. UsageError without items."""
    key, rule = rule_in_force(store)
    frame = foreseen(store, rule, store.sampling.waves.frame(key))
    if not len(frame.keys):
        raise UsageError("there is no item to simulate on: bring traffic in with `assay ingest FILE`")
    verdicts, labels = verdicts_of(frame, rule), len(frame.labelled)
    if assumed is None and not labels:
        assumed = GUESS
    if assumed is None:
        expected = from_labels(frame, verdicts)
        basis = _from_labels(labels, expected.unlabelled, len(frame.keys))
    else:
        expected = from_numbers(verdicts, assumed)
        basis = _from_numbers(assumed, verdicts, float(expected.right.every.mean()))
    rows = subset(len(frame.keys), rng)
    keys = frame.keys[rows].tolist()
    ways, kinds = store.traffic.items.ways(keys), frame.kinds[rows]
    traffic = SyntheticTraffic(
        verdicts=np.array(verdicts[rows].tolist(), dtype=np.str_),
        values=frame.values[rows],
        is_thumbed_down=kinds.among(Stratum.THUMBS_DOWN),
        is_disputed=kinds.among(Stratum.DISPUTED),
        right=np.zeros(len(rows)),
        groups=[group for group, _ in ways],
        questions=[question for _, question in ways],
        scores=known(store, rule, keys).table[:, 1:],
    )
    return SimulatedTraffic(traffic, expected.right.of(rows), len(frame.keys), basis, labels)


def _from_labels(labels: int, unlabelled: int, items: int) -> tuple[str, ...]:
    """Say in words where P(right) is from."""
    words = Reason(
        "each answer is right with the chance that the {labels} labels at hand give its kind, verdict and score",
        labels=labels,
    )
    if not unlabelled:
        return (words,)
    return (
        words,
        Reason(
            "{unlabelled} of {items} items are of a kind without a label: one half of them is taken to be right",
            unlabelled=unlabelled,
            items=items,
        ),
    )


def _from_numbers(assumed: Guess, verdicts: Coded, right: float) -> tuple[str, ...]:
    """Say which numbers are assumed, and what share `right` they come to where the proxy's pass rate is another."""
    words = Reason(
        "assumed, not measured: {right} of the answers right, sensitivity {sensitivity}, specificity {specificity}",
        right=percent(assumed.right),
        sensitivity=f"{assumed.sensitivity:g}",
        specificity=f"{assumed.specificity:g}",
    )
    counts = verdicts.count()
    scored = len(verdicts) - counts.get(Verdict.UNSCORED, 0)
    passes = counts.get(Verdict.PASS, 0) / scored if scored else assumed.pass_rate
    if abs(passes - assumed.pass_rate) < 0.02:
        return (words,)
    return words, Reason(
        "the assumed numbers would have the proxy pass {assumed}, and it passes {yours} of your answers: that was kept, so that "
        "{right} are right",
        assumed=percent(assumed.pass_rate),
        yours=percent(passes),
        right=percent(right),
    )


def requests(labels: int, waves: int, audit: float | None, *, is_active: bool) -> list[ProposalRequest]:
    """Split the labels into equal waves, the first ones taking what is left over; `is_active` for all waves but the first."""
    if is_active and waves < 2:
        raise UsageError("--active goes by the labels of earlier waves: give --waves 2 or more")
    if labels < waves:
        raise UsageError(f"{labels} labels do not fill {waves} waves: give more labels or fewer waves")
    sizes = [labels // waves + (wave < labels % waves) for wave in range(waves)]
    return [
        ProposalRequest(
            labels=size, audit=audit, seed=0, design=WaveDesign.ACTIVE if is_active and wave else WaveDesign.STRATIFIED
        )
        for wave, size in enumerate(sizes)
    ]


def simulate(
    traffic: SyntheticTraffic,
    right: Numbers,
    waves: Sequence[ProposalRequest],
    repetitions: int,
    rng: np.random.Generator,
    advance: Callable[[int], None] = lambda _: None,
    assurance: float = ASSURANCE,
) -> list[SimulatedQuantity]:
    """Repeat the design; `right` is P(right) of each item, the answers of `traffic` itself are not looked at."""
    designed, plain = ({name: _Tally(repetitions) for name in QUANTITIES} for _ in range(2))
    labels, [of_its_own] = sum(request.labels for request in waves), rng.spawn(1)
    for place in range(repetitions):
        made_up = replace(traffic, right=(rng.random(len(right)) < right).astype(np.float64))
        of_design = measure(simulate_waves(made_up, waves, rng), DRAWS)
        of_plain = measure(_plain(made_up, labels, of_its_own), DRAWS)
        for name, true in truths(made_up).items():
            designed[name].add(place, getattr(of_design, name), true)
            plain[name].add(place, getattr(of_plain, name), true)
        advance(1)
    return [_quantity(name, designed[name], plain[name], assurance) for name in QUANTITIES]


def _plain(traffic: SyntheticTraffic, labels: int, rng: np.random.Generator) -> Evidence:
    """Draw a plain random sample: of answers of which nothing is known before they are labelled."""
    count = len(traffic.right)
    alike = replace(
        traffic,
        verdicts=np.full(count, Verdict.UNSCORED.value),
        values=np.full(count, np.nan),
        is_thumbed_down=np.zeros(count, dtype=np.bool_),
        is_disputed=np.zeros(count, dtype=np.bool_),
        scores=None,
    )
    return simulate_waves(alike, [ProposalRequest(labels=labels, seed=0)], rng, measured=traffic.verdicts)


def _quantity(name: str, tally: _Tally, plain: _Tally, assurance: float) -> SimulatedQuantity:
    measured, off = tally.measured, math.sqrt(assurance * (1 - assurance) / len(tally.widths))
    low, assured, high = (tally.assured(assurance + way * off) for way in (-1, 0, 1))
    return SimulatedQuantity(
        quantity=name,
        repetitions=len(measured),
        measured=int(measured.sum()),
        covered=int(tally.covered.sum()),
        truth=float(tally.truths[measured].mean()) if measured.any() else None,
        width=tally.mean,
        assured=assured,
        assured_error=0.0 if low is None or high is None else (high - low) / 2,
        plain=_beside(tally, plain, assurance),
    )


def _beside(tally: _Tally, plain: _Tally, assurance: float) -> PlainSample:
    """Compare the widths on the same traffic, pair by pair."""
    both = tally.measured & plain.measured
    width = float(tally.widths[both].mean()) if both.any() else 0.0
    if not width:
        return PlainSample(plain.mean, plain.assured(assurance), None, 0.0)
    apart = (plain.widths[both] - tally.widths[both]) / width
    error = float(apart.std(ddof=1)) / math.sqrt(len(apart)) if len(apart) > 1 else math.inf
    return PlainSample(plain.mean, plain.assured(assurance), float(apart.mean()), error)


def truths(traffic: SyntheticTraffic) -> dict[str, float]:
    """Count every quantity over the whole window; nan where it is undefined."""
    passed, failed = (traffic.right[traffic.verdicts == verdict.value] for verdict in (Verdict.PASS, Verdict.FAIL))
    p1, p0 = (float(right.mean()) if len(right) else math.nan for right in (passed, failed))
    scored = len(passed) + len(failed)
    table = confusion.cells(
        p1 if len(passed) else 0.0, p0 if len(failed) else 0.0, len(passed) / scored if scored else math.nan
    )
    return {
        "correctness": float(traffic.right.mean()),
        "pass_precision": p1,
        "npv": 1 - p0,
        **{name: float(function(table)) for name, function in DERIVED.items()},
    }


def subset(count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows that stand for all: all of them, or MOST_ITEMS drawn at random, in their order."""
    if count <= MOST_ITEMS:
        return np.arange(count, dtype=np.intp)
    return np.sort(rng.choice(count, MOST_ITEMS, replace=False)).astype(np.intp)
