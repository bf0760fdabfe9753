"""Propose or draw the next wave from the request of a command or a form.

A wave that was drawn is in the log with who drew it, in the same transaction.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from annotate.analysis.slices import find
from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.outcomes import Proposed, WaveDrawn
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.settings import SampleSettings, options
from annotate.store import Store
from annotate.store.sampling.waves import FailedKnown
from annotate.workflow.sampling import draw as sampling_draw
from proxy.errors import UsageError
from proxy.evaluation.estimate import Estimate
from proxy.planning.strata import Stratum
from proxy.reason import Reason

EVENT = "sample"
USUAL_LABELS = 100
BY_CHANCE = (
    "each item is drawn by its own chance, so the number is random: {expected} expected, "
    "{low} to {high} in 95 % of drawings"
)
NO_FAILED = (
    "no failed item is drawn: sensitivity, specificity, accuracy and kappa cannot be measured, and correctness only within "
    "bounds at least {width} % wide"
)
AUDITED_BEFORE = (
    "no failed item is drawn: {labels} labels of earlier waves speak for failed items, and nothing there gets narrower"
)
UNREACHED = (
    "no failed item is drawn: {labels} labels of earlier waves speak for failed items, and nothing there gets narrower; {count} "
    "failed items came since, which no wave could draw, so that sensitivity, specificity, accuracy and kappa cannot be measured, "
    "and correctness only within bounds {width} % wide"
)
FEW_FAILED = "only {count} of the {labels} labels go to failed items: the other strata take the rest"
UNSCORED = (
    "{count} items are unscored: if they came since the last `assay judge`, run it first; "
    "what a judge cannot score stays so"
)
NO_VERDICT = (
    "no item to draw has a verdict, so passed and failed ones have no rates of their own (`assay report` says why)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WaveRequest:
    """The request for a wave: a number of labels, or the rate of a stream; no seed means a new one.

    `part` is the name of a slice.
    """

    labels: int | None = None
    audit: float | None = None
    all_passed: bool = False
    part: str | None = None
    active: bool = False
    rate: float | None = None
    rate_failed: float | None = None
    seed: int | None = None


def defaults() -> WaveRequest:
    """Read [sample] of assay.toml; 100 labels where it names no number. UsageError where it cannot be read."""
    given = options("sample", SampleSettings)
    return WaveRequest(
        labels=USUAL_LABELS if given.labels is None else given.labels,
        audit=given.audit,
        all_passed=given.all_passed,
        part=given.slice,
        active=given.active,
        seed=given.seed,
    )


def request_of(store: Store, asked: WaveRequest) -> ProposalRequest:
    """Build the request of a drawing, with its seed and the items of its slice; UsageError for what does not go together."""
    check(asked)
    return ProposalRequest(
        labels=asked.labels or 0,
        audit=asked.audit,
        all_passed=asked.all_passed,
        seed=_seed(store, asked),
        design=WaveDesign.STREAM if asked.rate else WaveDesign.ACTIVE if asked.active else WaveDesign.STRATIFIED,
        rate=asked.rate or 0.0,
        rate_failed=asked.rate_failed or asked.rate or 0.0,
        part=asked.part,
        members=None if asked.part is None else find.members(store, asked.part),
    )


def propose(store: Store, request: ProposalRequest, *, now: str) -> Proposed:
    """Propose what would be drawn now; nothing is."""
    drawn = sampling_draw.draw_wave(store, request, now=now, dry_run=True)
    return Proposed(request, drawn, notes(drawn, request, _failed_known(store, request)), is_proposal=True)


def draw(store: Store, request: ProposalRequest, *, who: str, now: str, token: str | None = None) -> Proposed:
    """Draw the wave; with the token of a proposal exactly that one, and `drawing.StaleProposal` where it is another by now."""
    with store.atomic():
        drawn = sampling_draw.draw_wave(store, request, now=now, token=token)
        detail = {"wave": drawn.number, "labels": drawn.draws, "audit": drawn.audit, "seed": request.seed}
        store.audit.events.append(EVENT, detail | {"design": request.design.value}, who=who, now=now)
    return Proposed(request, drawn, notes(drawn, request, _failed_known(store, request)))


def _failed_known(store: Store, request: ProposalRequest) -> FailedKnown | None:
    """Return what earlier waves tell of failed items, asked only where this one draws none of them."""
    in_force = store.scores.rules.in_force() if request.audit == 0 else None
    return None if in_force is None else store.sampling.waves.failed_known(in_force[0])


def check(asked: WaveRequest) -> None:
    """Raise UsageError for what does not go together."""
    if (asked.labels is None) == (asked.rate is None):
        raise UsageError("give either --labels N for a wave, or --rate R for a stream")
    if asked.rate is not None and (asked.active or asked.all_passed):
        raise UsageError("--rate draws each new item at one rate: leave out --active and --all-passed")
    if asked.rate is not None and asked.part is not None:
        raise UsageError("--slice draws a wave of one slice: give --labels N in place of --rate")
    if asked.active and asked.all_passed:
        raise UsageError("--active gives each item its own chance: leave out --all-passed")
    if asked.rate_failed is not None and asked.rate is None:
        raise UsageError("--rate-failed goes with --rate")


def _seed(store: Store, asked: WaveRequest) -> int:
    """Return the seed that was given; else a stream's own of before, else a new one."""
    if asked.seed is not None:
        return asked.seed
    before = (
        [wave.seed for wave in store.sampling.waves.all() if wave.design is WaveDesign.STREAM] if asked.rate else []
    )
    return before[-1] if before else designs.new_seed()


def notes(wave: WaveDrawn, request: ProposalRequest, known: FailedKnown | None = None) -> tuple[str, ...]:
    """Note what such a wave leaves unknown, and why it may not be what was asked for.

    `known` is what earlier waves tell of failed items, where that was asked.
    """
    sizes, drawn = Counter[Stratum](), Counter[Stratum]()
    for part in wave.strata:
        sizes[part.kind] += part.size
        drawn[part.kind] += part.drawn
    failed, caveats = sizes[Stratum.FAILED], list[str]()
    if wave.size is not None:
        caveats.append(_by_chance(wave.size))
    if failed and wave.audit == 0 and not drawn[Stratum.FAILED]:
        caveats.append(_without_failed(failed, sizes.total(), known))
    elif failed and request.labels and drawn[Stratum.FAILED] < min(wave.audit * request.labels, failed) - 1e-9:
        caveats.append(Reason(FEW_FAILED, count=drawn[Stratum.FAILED], labels=request.labels))
    scored = sizes[Stratum.PASSED] + sizes[Stratum.DISPUTED] + failed
    if sizes[Stratum.UNSCORED] and scored:
        caveats.append(Reason(UNSCORED, count=sizes[Stratum.UNSCORED]))
    if sizes.total() and not scored:
        caveats.append(Reason(NO_VERDICT))
    return tuple(caveats)


def _by_chance(size: Estimate) -> Reason:
    numbers = {"expected": size.estimate, "low": size.low, "high": size.high}
    return Reason(BY_CHANCE, **{name: round(number or 0) for name, number in numbers.items()})


def _without_failed(failed: int, frame: int, known: FailedKnown | None) -> Reason:
    """Note what a wave without failed items leaves unknown, or to the labels of earlier ones."""
    if not known or not known.labels:
        return Reason(NO_FAILED, width=round(100 * failed / frame))
    if not known.unreached:
        return Reason(AUDITED_BEFORE, labels=known.labels)
    width = round(100 * known.unreached / frame)
    return Reason(UNREACHED, labels=known.labels, count=known.unreached, width=width)
