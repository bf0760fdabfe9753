"""A judge under two signatures on the same labelled answers: what changed, how sure that is, and where it cannot be told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxy.drift.judge_changes import FEWEST, compare, share_of
from proxy.stats.testing.paired import Pairs, mcnemar_mid_p
from support.drift import AGAIN, fill, label_all, rescore
from support.store import Assay


@pytest.mark.slow
def test_a_new_signature_that_scores_otherwise_raises_the_judges_alarm(assay: Assay) -> None:
    """All drawn answers are anchors; the counts are those made; quality has not changed."""
    right = fill(assay, weeks=8)
    label_all(assay, right)
    assert assay.json("drift")["changes"] == []
    rescore(assay, right)
    drift = assay.json("drift")
    change = drift["changes"][0]
    # right, number a multiple of 4 and passed before: 4, 8, 12, 16, 24, 28, 32, 36 without those that failed anyway (4)
    flips = 8 * sum(n % 4 == 0 and n % 5 > 0 and n // 5 % 8 > 0 for n in range(40))

    assert change["is_alarm"]
    assert (change["before"], change["after"], change["anchors"]) == ("s|v1", AGAIN, 320)
    assert (change["comparison"]["passes_more"], change["comparison"]["passes_less"]) == (0, flips)
    assert change["comparison"]["agreement_before"] - change["comparison"]["agreement_after"] == pytest.approx(
        flips / 320
    )
    assert drift["answer"].startswith(
        "The judge has changed: the scores of s moved by -0.103 (-0.156 to -0.049, n = 320)"
    )
    assert "gate failed: The judge has changed: the scores of s" in assay("drift", "--gate", status=3).stderr


@pytest.mark.slow
def test_a_new_signature_that_scores_the_same_is_told_without_an_alarm(assay: Assay) -> None:
    """The change is listed with what it did: nothing."""
    right = fill(assay, weeks=8)
    label_all(assay, right)
    rescore(assay, right, harsh=False)
    said = assay("drift", "--gate", "--full").stdout

    assert said.startswith("Nothing has changed")
    assert "0 verdicts flip to pass, 0 to fail" in " ".join(said.split())


@pytest.mark.slow
def test_a_new_signature_that_has_not_scored_the_anchors_is_not_measurable(assay: Assay) -> None:
    """It says how many have both scores, and which command brings the rest; no alarm."""
    right = fill(assay, weeks=8)
    label_all(assay, right)
    rescore(assay, right, only=7)
    said = " ".join(assay("drift", "--gate", "--full").stdout.split())

    assert (
        "not measurable: 7 of 320 labelled answers have both scores, 20 are needed. Run `assay judge --judges s`"
        in said
    )


@pytest.mark.slow
def test_the_rule_is_compared_as_a_whole_where_it_reads_several_judges(assay: Assay) -> None:
    """The minimum of a judge that changed and one that did not: the flips are those of the rule's own verdicts."""
    right = fill(assay, weeks=8)
    rows = [{"item_id": name, "judge": "t", "value": 0.9 if name.endswith("4") else 0.4} for name in right]
    assay("scores", "import", assay.write("other.jsonl", rows))
    label_all(assay, right)
    rescore(assay, right)
    assay("rule", "set", "min(s, t) > 0.5", "--signature", f"s={AGAIN}")
    changes = assay.json("drift")["changes"]
    flips = 8 * sum(n % 4 == 0 and n % 5 > 0 and n // 5 % 8 > 0 and n % 10 == 4 for n in range(40))

    assert [change["is_rule"] for change in changes] == [False, True]
    assert (changes[1]["comparison"]["passes_more"], changes[1]["comparison"]["passes_less"]) == (0, flips)


def test_counts_and_mid_p_are_those_of_the_pairs() -> None:
    """Thirty anchors by hand: 6 right and 2 wrong answers now fail, 1 wrong one now passes."""
    right = np.arange(30) < 20
    before, after = np.full(30, 0.8), np.full(30, 0.8)
    after[[0, 1, 2, 3, 4, 5, 20, 21]] = 0.2
    before[22] = 0.1
    comparison = compare(before, after, right, 0.5, 0.05)

    assert (comparison.passes_more, comparison.passes_less) == (1, 8)
    assert (comparison.agreement_before, comparison.agreement_after) == pytest.approx((21 / 30, 16 / 30))
    assert comparison.mid_p == mcnemar_mid_p(Pairs(14, 7, 2, 7))
    assert comparison.shift.estimate == pytest.approx((8 * -0.6 + 0.7) / 30)
    assert compare(before[: FEWEST - 1], after[: FEWEST - 1], right[: FEWEST - 1], 0.5, 0.05) is None


def test_all_changes_together_spend_no_more_than_is_stated() -> None:
    """1 / 2 + 1 / 6 + 1 / 12 + ... = 1."""
    assert math.fsum(share_of(number, 0.05) for number in range(1, 100_000)) == pytest.approx(0.05, rel=1e-4)


@pytest.mark.slow
def test_a_judge_that_only_wavers_is_rarely_said_to_have_changed() -> None:
    """Looked at after 20, 40, ..., 400 anchors, scores with noise but no shift: in at most 5 % of histories at any look."""
    rng, repetitions = np.random.default_rng(8), 400
    alarms = 0
    for _ in range(repetitions):
        right = rng.random(400) < 0.75
        base = np.where(right, rng.beta(6, 2, 400), rng.beta(3, 4, 400))
        before, after = (np.clip(base + rng.normal(0, 0.1, 400), 0, 1) for _ in range(2))
        looks = (compare(before[:n], after[:n], right[:n], 0.5, 0.05) for n in range(20, 401, 20))
        alarms += any(look is not None and look.is_shown for look in looks)

    assert alarms / repetitions <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / repetitions)
