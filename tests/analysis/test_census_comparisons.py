"""Comparisons where every answer is labelled: no interval of zero width stands where the question is whether another is better.

Oracle: the JSON of the same report, which holds both intervals of each quantity.
"""

from __future__ import annotations

import pytest

from annotate.present.rule_comparison import compared
from proxy.evaluation.agreement import measure
from proxy.evaluation.estimate import Estimate, for_comparison
from proxy.evaluation.ledger import SampledItem, Total
from proxy.stats.intervals import Interval
from proxy.text.numbers import two_decimals
from support.agreement import FAIL, PASS, RIGHT, WRONG, one_wave
from support.store import Assay, traffic_row


def test_an_interval_without_width_gives_way_to_the_long_run() -> None:
    """0.7 in this window exactly, 0.5 to 0.9 in the long run; where the window is open it stays."""
    census = Estimate(estimate=0.7, low=0.7, high=0.7, n=10, long_run=Interval(0.5, 0.9))
    sample = Estimate(estimate=0.7, low=0.6, high=0.8, n=10, long_run=Interval(0.5, 0.9))
    alone = Estimate(estimate=0.7, low=0.7, high=0.7, n=10)

    assert (for_comparison(census).low, for_comparison(census).high) == (0.5, 0.9)
    assert for_comparison(sample) is sample
    assert for_comparison(alone) is alone


def test_at_a_census_every_rule_is_compared_in_the_long_run() -> None:
    """A trained rule on 14 labels has an open window beside a rule without one: the table's note holds for both."""
    trained = Estimate(estimate=0.1, low=0.05, high=0.19, n=14, long_run=Interval(-0.2, 0.4))
    alone = Estimate(estimate=0.06, low=0.06, high=0.06, n=41)

    shown = compared(trained, is_census=True)
    assert (shown.low, shown.high) == (-0.2, 0.4)
    assert compared(alone, is_census=True).estimate is None
    assert compared(alone, is_census=False).estimate is None
    assert compared(trained, is_census=False) is trained


def test_few_labels_on_passed_answers_are_said_to_be_few() -> None:
    """Both passed answers are of one group, 39 failed ones stand alone: 2 labels are too few, not 41."""
    passed = [SampledItem("s", PASS, RIGHT, "g") for _ in range(2)]
    failed = [SampledItem("s", FAIL, RIGHT if n < 20 else WRONG, f"g{n}") for n in range(39)]
    evidence = one_wave([Total("s", PASS, 2), Total("s", FAIL, 39)], [*passed, *failed])
    kappa = measure(evidence).kappa

    assert kappa.reason == (
        "not measurable in the long run: only 2 labels on passed answers, of too few questions or groups"
    )
    assert compared(kappa, is_census=False).estimate is None


@pytest.mark.slow
def test_other_rules_are_compared_in_the_long_run_where_all_is_labelled(assay: Assay) -> None:
    """60 answers, all labelled: kappa of each rule and its difference show the long-run ends, and the table says so."""
    rows = [traffic_row(f"t{n}", question=f"question {n}?") for n in range(60)]
    scores = [
        {"item_id": f"t{n}", "judge": judge, "value": value}
        for n in range(60)
        for judge, value in (("s", 0.9 if n % 3 else 0.1), ("t", 0.8 if n % 4 else 0.2))
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "min(s, t) > 0.5")
    assay("sample", "--labels", "60", "--seed", "1")
    labels = [
        {"item_id": f"t{n}", "label": "right" if n % 3 and n % 7 else "wrong", "annotator": "a"} for n in range(60)
    ]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    report, text = assay.json("report"), assay("report", "--full").stdout
    html = assay("report", "--html", "-").stdout

    judge_row = next(judge for judge in report["judges"] if judge["judge"] == "s")
    kappa, minus = judge_row["kappa"], judge_row["minus_rule_in_force"]["kappa"]
    assert kappa["low"] == kappa["high"], "the window has no width"
    line = next(each for each in text.splitlines() if each.startswith("s > 0.5"))
    for quantity, sign in ((kappa, ""), (minus, "+")):
        ends = (two_decimals(quantity["long_run"][end], sign) for end in ("low", "high"))
        assert " to ".join(ends) in line
    assert "so these intervals are those of the long run" in " ".join(text.split())
    assert "so these intervals are those of the long run" in html
