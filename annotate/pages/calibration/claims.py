"""Name what a certified cut is guaranteed to keep, in the page's language."""

from __future__ import annotations

from collections.abc import Sequence

from annotate.pages.kit.messages import say
from proxy.evaluation.guarantee import Guarantee
from proxy.stats.calibration.threshold_tests import Claim


def of_claims(claims: Sequence[Claim]) -> str:
    """Which of the two hold; nothing where neither does."""
    if not claims:
        return ""
    if len(claims) == len(Claim):
        return say("calibration.claim_both")
    return say("calibration.claim_window" if Claim.WINDOW in claims else "calibration.claim_long_run")


def of_record(one: Guarantee) -> str:
    """What a stored certificate is worth; those of earlier versions were tested answer by answer."""
    if one.claims:
        return of_claims([each.claim for each in one.claims])
    return say("calibration.claim_withdrawn" if one.is_void else "calibration.claim_one_by_one")
