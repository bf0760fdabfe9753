"""Say where the rule in force is shown worse than one of the judges that it reads, and what a fresh wave says of it.

A claim that labels up to one wave make is confirmed by the labels of the next wave alone, once every draw of it is answered.
A wave that does not confirm it leaves the next to try, at a smaller level each time (`compared_in_try`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from annotate.analysis.evidence import Measured, Traffic, labels_alone
from annotate.domain.sampling.outcomes import DrawProgress
from annotate.store import Store
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.evaluation.rule_contrast import RuleContrast, contrast
from proxy.rule import Rule


class BetterJudgeClaim(StrEnum):
    """How far the claim is that a judge is better."""

    SHOWN = "shown"  # by the labels so far; a fresh wave can confirm it
    OUT = "out"  # the wave that can confirm it has draws without a label
    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"


@dataclass(frozen=True, kw_only=True, slots=True)
class BetterJudge:
    """A judge of the rule in force that alone agrees better with annotators than the rule.

    Attributes
    ----------
    rule
        The judge alone, above 0.5.
    kappa
        Its kappa minus that of the rule in force, by all labels.
    claim
        How far the claim is.
    draws
        How many fresh draws are to confirm it: 0 where every answer has been drawn, None where it takes more than MOST_DRAWS.
    open
        How many draws wait for a label.
    wave
        The fresh wave: the one that is out, or that confirms it or does not; None before it.
    fresh
        The same by the labels of that wave alone; None before all of it is answered.
    """

    rule: Rule
    kappa: RuleDifference
    claim: BetterJudgeClaim
    draws: int | None
    open: int = 0
    wave: int | None = None
    fresh: RuleContrast | None = None


def better_judge(
    store: Store,
    traffic: Traffic,
    kappas: Mapping[str, RuleDifference],
    excluded_draws: frozenset[int],
    progress: DrawProgress,
    items: int,
) -> BetterJudge | None:
    """Find the judge of the rule in force that is shown better than the rule, at however many looks; the best of several.

    Parameters
    ----------
    store : Store
        Read only.
    traffic : Traffic
        The rule in force and every rule that is measured beside it.
    kappas : mapping
        By expression of a judge alone, its kappa minus that of the rule in force.
    excluded_draws : frozenset of int
        The draws that must not score the rule in force.
    progress : DrawProgress
        What became of the draws.
    items : int
        The answers that there are.
    """
    own = _own_judges(traffic)
    if not own:
        return None
    undrawn = items - progress.drawn
    if fresh := _of_last_wave(store, traffic, own, kappas, excluded_draws, progress, undrawn):
        return fresh
    shown = [(measured.rule, contrast(traffic.paired(measured), len(own))) for measured in own]
    best = _best(
        [(rule, difference) for rule, difference in shown if _is_shown(kappas[rule.expression], difference)], kappas
    )
    if best is None:
        return None
    rule, difference = best
    return BetterJudge(
        rule=rule,
        kappa=kappas[rule.expression],
        claim=BetterJudgeClaim.SHOWN,
        draws=_to_confirm(difference, undrawn),
        open=progress.open,
    )


def _to_confirm(shown: RuleContrast, undrawn: int) -> int | None:
    """Return how many fresh draws are to show a difference again, of those that are left."""
    if not undrawn:
        return 0
    return None if shown.draws is None else min(shown.draws, undrawn)


def compared_in_try(tries: int) -> int:
    """Return among how many tests the so-many-th try to confirm a claim counts as one: k (k + 1).

    The levels of all tries, 1 / (k (k + 1)) = 1 / k - 1 / (k + 1) of the whole, add up to no more than the whole, however many
    waves try.
    """
    return tries * (tries + 1)


def _own_judges(traffic: Traffic) -> Sequence[Measured]:
    """Return the judges alone that the rule in force reads beside others."""
    in_force = traffic.rules[0].rule
    own = [
        measured
        for measured in traffic.rules[1:]
        if len(measured.rule.signatures) == 1
        and measured.rule.signatures.items() <= in_force.signatures.items()
        and not measured.rule.percentiles
    ]
    return own if len(in_force.signatures) > 1 else ()


def _best(
    shown: Sequence[tuple[Rule, RuleContrast]], kappas: Mapping[str, RuleDifference]
) -> tuple[Rule, RuleContrast] | None:
    """Return the rule that is shown better by most."""
    better = [pair for pair in shown if pair[1].is_better]
    return max(better, key=lambda pair: kappas[pair[0].expression].estimate.estimate or 0.0, default=None)


def _is_shown(kappa: RuleDifference, difference: RuleContrast) -> bool:
    """Whether the bound for all looks still holds about the difference that the report shows."""
    value, here = kappa.estimate.estimate, difference.estimate.estimate
    return (
        value is not None
        and here is not None
        and difference.lowest is not None
        and value - (here - difference.lowest) > 0
    )


def _of_last_wave(
    store: Store,
    traffic: Traffic,
    own: Sequence[Measured],
    kappas: Mapping[str, RuleDifference],
    excluded_draws: frozenset[int],
    progress: DrawProgress,
    undrawn: int,
) -> BetterJudge | None:
    """Return what the last wave is to say, or says, of what the waves before it had shown; None where they had shown nothing."""
    last = store.sampling.waves.next_number() - 1
    draws = {about.draw: about.wave for about in store.traffic.partitions.described(traffic.last)}
    in_last = frozenset(draw for draw, wave in draws.items() if wave == last)
    rules = [traffic.rules[0].rule, *(measured.rule for measured in own)]

    def before(wave: int) -> tuple[Rule, RuleContrast] | None:
        later = frozenset(draw for draw, drawn_in in draws.items() if drawn_in >= wave)
        earlier = labels_alone(store, rules, excluded_draws | later)
        return _best(
            [(measured.rule, contrast(earlier.paired(measured), len(own))) for measured in earlier.rules[1:]], kappas
        )

    earlier_waves = sorted({wave for wave in draws.values() if wave < last})
    best = before(last) if earlier_waves else None
    if best is None:
        return None
    rule, shown = best
    better = BetterJudge(
        rule=rule,
        kappa=kappas[rule.expression],
        claim=BetterJudgeClaim.OUT,
        draws=_to_confirm(shown, undrawn),
        open=progress.open,
        wave=last,
    )
    if progress.open:
        return better if (better.kappa.estimate.estimate or 0.0) > 0 else None
    alone = labels_alone(store, [rules[0], rule], excluded_draws | (frozenset(draws) - in_last))
    tries = 1 + sum(before(wave) is not None for wave in earlier_waves[1:])
    fresh = contrast(alone.paired(alone.rules[1]), compared_in_try(tries))
    return replace(
        better, claim=BetterJudgeClaim.CONFIRMED if fresh.is_better else BetterJudgeClaim.UNCONFIRMED, fresh=fresh
    )
