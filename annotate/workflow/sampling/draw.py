"""Draw a wave and write it to the store: the frame as it is now, its strata, the draws and their chances.

All of it is written in one transaction and never changed after. A dry run gives a token, and who draws with it gets what it
showed or nothing.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from annotate.analysis.predictor import foreseen
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.sampling import designs
from annotate.domain.sampling.designs import Draw, WaveDesign
from annotate.domain.sampling.outcomes import WaveDrawn
from annotate.domain.sampling.proposal import Proposal, ProposalRequest, drawing
from annotate.store import Store
from annotate.store.engine.frame_blocks import Framed
from annotate.store.sampling.waves import Wave
from annotate.workflow.judging.rules import follow_scores
from proxy.errors import UsageError
from proxy.evaluation.estimate import Estimate
from proxy.planning.allocation import NothingToDraw
from proxy.planning.coded import blocks
from proxy.planning.strata import SamplingFrame
from proxy.stats.intervals import quantile


class StaleProposal(UsageError):
    """The store has changed since the wave was previewed."""


def draw_wave(
    store: Store, request: ProposalRequest, *, now: str, dry_run: bool = False, token: str | None = None
) -> WaveDrawn:
    """Draw a wave under the rule in force; `dry_run` writes nothing.

    With the `token` of a dry run exactly what that showed is drawn, once; StaleProposal where it would be anything else by now.
    """
    key, rule = rule_in_force(store) if dry_run else follow_scores(store, now=now)
    with store.snapshot() if dry_run else store.atomic():  # a look keeps nobody from writing
        number = store.sampling.waves.next_number()
        frame = store.sampling.waves.frame(key, only_new=request.design is WaveDesign.STREAM)
        if request.design is WaveDesign.STREAM and not len(frame.keys):
            raise NothingToDraw(
                "nothing new to draw from: every item has had its chance; ingest and judge more traffic first"
            )
        frame = foreseen(store, rule, frame)
        if request.members is not None:
            frame = frame.only(np.isin(frame.keys, request.members))
        salt = salt_of(request, number)
        drawn = drawing(frame, request, numbers(store, frame, request.design, salt))
        own = token_of(number, key, frame, drawn)
        check_token(token, own, number)
        if not dry_run:
            wave = Wave(
                number,
                f"{rule.name} v{rule.version}",
                request.seed,
                request.labels,
                drawn.audit,
                now,
                strata=drawn.plans,
                design=request.design,
                part=request.part,
                predictor=frame.source,
            )
            whole = framed(frame, drawn)
            if request.part is None:  # a slice is no stretch of the traffic: its frame has a row for each item
                whole = store.sampling.waves.defined(number, key, frame, whole)
            store.sampling.waves.write(wave, key, salt, whole, draws_of(store, frame, drawn, salt))
    size = size_of(frame, drawn, request.design)
    return WaveDrawn(number, drawn.plans, len(drawn.rows), own, size, drawn.audit, frame.source)


def salt_of(request: ProposalRequest, number: int) -> str:
    """Return the key of the random numbers: one for a whole stream, so that chance does not depend on when it is drawn."""
    run = "stream" if request.design is WaveDesign.STREAM else f"wave-{number}"
    return designs.salt_of(request.seed, run)


def numbers(store: Store, frame: SamplingFrame, design: WaveDesign, salt: str) -> NDArray[np.float64]:
    """Return the permanent random number of each item; 2, which is never drawn, for what is not eligible.

    In a stream an answer keeps its number when it is revised: spans that come late, at the same chance, change no decision.
    """
    ids_of = store.traffic.items.ids if design is WaveDesign.STREAM else store.sampling.waves.ids
    drawable = np.full(len(frame.keys), 2.0)
    for block in blocks(len(frame.keys)):
        rows = block.start + np.flatnonzero(frame.is_eligible[block])
        drawable[rows] = designs.drawing_numbers(ids_of(frame.keys[rows].tolist()), salt)
    return drawable


def draws_of(store: Store, frame: SamplingFrame, drawn: Proposal, salt: str) -> list[Draw]:
    """Return the draws of a proposal."""
    keys = frame.keys[drawn.rows]
    ids = store.sampling.waves.ids(keys.tolist())
    return designs.draws(keys, ids, drawn.strata[drawn.rows], drawn.chances_of(drawn.rows), salt)


def size_of(frame: SamplingFrame, drawn: Proposal, design: WaveDesign) -> Estimate | None:
    """Return the size that the chances of a stream promise; None where the number of draws is planned.

    Independent draws: mean the sum of pi, variance the sum of pi (1 - pi); what is planned by stratum adds a fixed number.
    """
    if design is not WaveDesign.STREAM or all(part.is_fixed for part in drawn.plans):
        return None
    fixed = [part for part in drawn.plans if part.is_fixed]
    own = np.flatnonzero(frame.is_eligible & ~drawn.strata.among(*(part.stratum for part in fixed)))
    chances, planned = drawn.chances_of(own), sum(part.drawn for part in fixed)
    mean, deviation = float(chances.sum()), float(np.sqrt((chances * (1 - chances)).sum()))
    low, high = mean - quantile() * deviation, mean + quantile() * deviation
    # Rounded outwards by half an answer: counts are whole.
    return Estimate(
        estimate=planned + mean,
        low=planned + max(0, int(np.floor(low + 0.5))),
        high=planned + min(len(chances), int(np.ceil(high - 0.5))),
        n=len(drawn.rows),
        method="sum of the inclusion probabilities; the range holds 95 % of drawings",
    )


def token_of(number: int, rule: int, frame: SamplingFrame, drawn: Proposal) -> str:
    """Return the wave's number, and a hash of its rule, its plan and its draws with their chances."""
    content = hashlib.blake2b(repr((rule, drawn.plans)).encode(), digest_size=12)
    # In bytes as ever, so that a look of before an update still holds.
    names = np.array(drawn.strata.names, dtype="U16" if drawn.own is None else np.str_)
    for part in (frame.keys[drawn.rows], drawn.chances_of(drawn.rows), names[drawn.strata.codes[drawn.rows]]):
        content.update(np.ascontiguousarray(part).tobytes())
    return f"{number}-{content.hexdigest()}"


def check_token(token: str | None, own: str, number: int) -> None:
    """Raise StaleProposal where a dry run showed something else than what would be drawn now; None is of no dry run."""
    if token is None or token == own:
        return
    seen = token.partition("-")[0]
    if seen != str(number):
        raise StaleProposal(
            f"wave {seen} has been drawn since you looked: nothing was drawn now; look at what the next wave would be"
        )
    raise StaleProposal("answers, scores or labels came in since you looked: nothing was drawn; look at the plan again")


def framed(frame: SamplingFrame, drawn: Proposal) -> Framed:
    """Return each item's stratum, and its chance where the stratum does not tell it."""
    fixed = [part.stratum for part in drawn.plans if part.is_fixed]
    own = None if drawn.own is None else np.where(drawn.strata.among(*fixed), np.nan, drawn.own)
    return Framed(frame.keys, drawn.strata.names, drawn.strata.codes, own)
