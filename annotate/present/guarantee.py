"""Name a guarantee wherever it is shown: for this window, for the long run, or neither."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.evaluation.guarantee import Guarantee, Proof
from proxy.evaluation.trust import percent
from proxy.stats.calibration.threshold_tests import Claim
from proxy.text.language import several

WORDS = {Claim.WINDOW: "for this window", Claim.LONG_RUN: "for the long run"}


def named(claims: Sequence[Claim]) -> str:
    """The claims that hold, and the one that does not."""
    held = " and ".join(WORDS[claim] for claim in Claim if claim in claims)
    missing = [WORDS[claim] for claim in Claim if claim not in claims]
    return f"{held}, not {missing[0]}" if held and missing else held


def certified(guarantee: Guarantee) -> str:
    """What a cut is certified for, by which labels."""
    promise = f"at least {percent(guarantee.precision)} right at {percent(guarantee.confidence)} confidence"
    waves = f"of waves up to {guarantee.last_wave}"
    if guarantee.claims:
        shown = "; ".join(f"{WORDS[proof.claim]} by {_labels(proof)}" for proof in guarantee.claims)
        lacks = "" if len(guarantee.claims) == len(Claim) else f"; {_lacking(guarantee)} is not shown"
        return (
            f"cut certified, {named([proof.claim for proof in guarantee.claims])}: {promise}, {waves} ({shown}){lacks}; "
            f"the {guarantee.labels:,} labels that chose it score nothing here"
        )
    again = (
        f"`assay calibrate --precision {guarantee.precision:g} --confidence {guarantee.confidence:g}` says what holds"
    )
    silent = f"the {guarantee.labels:,} labels whose questions chose it score nothing here"
    if guarantee.is_void:
        return (
            f"the cut's certificate is withdrawn: an earlier version tested {several(guarantee.n, 'label')} as if answers were "
            f"drawn one by one, and they share questions; {again}; {silent}"
        )
    return (
        f"cut certified for answers drawn one by one, as an earlier version tested them: {promise}, by "
        f"{several(guarantee.n, 'label')} with {guarantee.errors:,} wrong, {waves}; {silent}"
    )


def _labels(proof: Proof) -> str:
    """The labels that show a claim."""
    behind = "" if proof.clusters is None else f" worth {proof.clusters:.3g} questions or groups"
    return f"{several(proof.n, 'label')}{behind} with {proof.errors:,} counted as wrong"


def _lacking(guarantee: Guarantee) -> str:
    held = {proof.claim for proof in guarantee.claims}
    return " and ".join(
        "the long run" if claim is Claim.LONG_RUN else "this window" for claim in Claim if claim not in held
    )
