"""Say what a threshold is guaranteed to keep: for this window, for the long run, or neither."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.domain.message import Command, Kind, Listing, Message, Number, Value, message, share
from proxy.evaluation.guarantee import Guarantee, Proof
from proxy.stats.calibration.threshold_tests import Claim


def named(claims: Sequence[Claim]) -> Message:
    """Name the claims that hold, and the one that does not."""
    if len(claims) == len(Claim):
        return message("guarantee.both")
    return message("guarantee.window" if Claim.WINDOW in claims else "guarantee.long_run")


def alone(claim: Claim | None) -> Message:
    """Name one claim, whatever holds of the other; None: either would do."""
    return message("guarantee.either" if claim is None else f"guarantee.{claim.value}_alone")


def scope(guarantee: Guarantee) -> Message:
    """Name what a guarantee is for; those of earlier versions were tested answer by answer."""
    if guarantee.claims:
        return named([proof.claim for proof in guarantee.claims])
    return message("guarantee.scope_withdrawn" if guarantee.is_void else "guarantee.scope_one_by_one")


def certified(guarantee: Guarantee) -> Message:
    """Say what a threshold is guaranteed to keep, and by which labels."""
    counts = {"labels": guarantee.labels, "n": guarantee.n, "errors": guarantee.errors}
    if guarantee.is_void:
        return message(
            "guarantee.withdrawn",
            command=Command(
                f"assay calibrate --precision {guarantee.precision:g} --confidence {guarantee.confidence:g}"
            ),
            n=guarantee.n,
            labels=guarantee.labels,
        )
    kept = {"precision": share(guarantee.precision), "confidence": share(guarantee.confidence)}
    if not guarantee.claims:
        return message("guarantee.one_by_one", **kept, **counts, wave=guarantee.last_wave)
    return message(
        "guarantee.certified",
        **kept,
        claims=scope(guarantee),
        proofs=Listing(tuple(map(_proof, guarantee.claims)), "values.semicolon"),
        labels=guarantee.labels,
        wave=guarantee.last_wave,
    )


def _proof(proof: Proof) -> Message:
    """The labels that show a claim."""
    counts: dict[str, Value] = {"claim": alone(proof.claim), "n": proof.n, "errors": proof.errors}
    if proof.clusters is None:
        return message("guarantee.proof", **counts)
    return message("guarantee.proof_clusters", **counts, clusters=Number(proof.clusters, Kind.DIGITS))
