"""Name a guarantee wherever it is shown: for this window, for the long run, or neither."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.guarantee import Guarantee, Proof
from proxy.stats.threshold_tests import Claim
from proxy.text import several
from proxy.trust import percent

WORDS = {Claim.WINDOW: "for this window", Claim.LONG_RUN: "for the long run"}


def named(claims: Sequence[Claim]) -> str:
    """The claims that hold, and the one that does not."""
    held = " and ".join(WORDS[one] for one in Claim if one in claims)
    missing = [WORDS[one] for one in Claim if one not in claims]
    return f"{held}, not {missing[0]}" if held and missing else held


def certified(one: Guarantee) -> str:
    """What a cut is certified for, by which labels."""
    promise = f"at least {percent(one.precision)} right at {percent(one.confidence)} confidence"
    waves = f"of waves up to {one.last_wave}"
    if one.claims:
        shown = "; ".join(f"{WORDS[each.claim]} by {proof(each)}" for each in one.claims)
        lacks = "" if len(one.claims) == len(Claim) else f"; {_lacking(one)} is not shown"
        return (
            f"cut certified, {named([each.claim for each in one.claims])}: {promise}, {waves} ({shown}){lacks}; "
            f"the {one.labels:,} labels that chose it score nothing here"
        )
    again = f"`assay calibrate --precision {one.precision:g} --confidence {one.confidence:g}` says what holds"
    silent = f"the {one.labels:,} labels whose questions chose it score nothing here"
    if one.is_void:
        return (
            f"the cut's certificate is withdrawn: an earlier version tested {several(one.n, 'label')} as if answers were drawn "
            f"one by one, and they share questions; {again}; {silent}"
        )
    return (
        f"cut certified for answers drawn one by one, as an earlier version tested them: {promise}, by "
        f"{several(one.n, 'label')} with {one.errors:,} wrong, {waves}; {silent}"
    )


def proof(one: Proof) -> str:
    """The labels that show a claim."""
    behind = "" if one.clusters is None else f" worth {one.clusters:.3g} questions or groups"
    return f"{several(one.n, 'label')}{behind} with {one.errors:,} counted as wrong"


def _lacking(one: Guarantee) -> str:
    held = {each.claim for each in one.claims}
    return " and ".join(
        "the long run" if claim is Claim.LONG_RUN else "this window" for claim in Claim if claim not in held
    )
