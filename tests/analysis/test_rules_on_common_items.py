"""Rules are compared on the items that both score: through the store, against scikit-learn on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score

from annotate.analysis.report import report
from annotate.store import Store
from support.app import some_open
from support.scored import open_ids
from support.store import Assay, label, once, traffic_row

pytestmark = pytest.mark.slow

ITEMS = 160
QUALITY, PART, TWIN = "quality|made up|v1", "part|made up|v1", "twin|made up|v1"


def is_right(number: int) -> bool:
    """Half of the answers."""
    return bool(np.random.default_rng(500 + number).random() < 0.5)


def agrees(number: int, seed: int, chance: float) -> float:
    """A value that tells right from wrong this often."""
    told = np.random.default_rng(seed + number).random() < chance
    return 0.9 if is_right(number) == told else 0.1


def quality(number: int) -> float:
    """Good on the first half, worthless on the second."""
    return agrees(number, 9_000, 0.95 if number < ITEMS // 2 else 0.5)


def part(number: int) -> float | None:
    """Middling, and silent on the second half."""
    return agrees(number, 70_000, 0.8) if number < ITEMS // 2 else None


@pytest.fixture
def both(assay: Assay) -> Assay:
    """Two judges, of which one scores half of the answers; most answers have a label."""
    return once(assay, "common-items", lambda: labelled(assay))


def labelled(assay: Assay) -> None:
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(f"i{n}", group=f"g{n // 2}") for n in range(ITEMS)]))
    rows = [
        {"item_id": f"i{n}", "judge": judge, "value": value(n), "signature": signature}
        for judge, value, signature in (("quality", quality, QUALITY), ("part", part, PART), ("twin", quality, TWIN))
        for n in range(ITEMS)
        if value(n) is not None
    ]
    assay("scores", "import", assay.write("scores.jsonl", rows))
    assay("rule", "set", "quality > 0.5", "--name", "mine")
    assay("sample", "--labels", str(ITEMS), "--seed", "1")
    names = open_ids(assay)
    said = [label(name, "right" if is_right(int(name[1:])) else "wrong") for name in names]
    assay("labels", "import", assay.write("labels.jsonl", said))


def row_of(assay: Assay, judge: str) -> dict[str, Any]:
    """What the report says of a judge alone."""
    return next(judge_row for judge_row in assay.json("report")["judges"] if judge_row["judge"] == judge)


def test_the_difference_is_taken_on_what_both_score(both: Assay) -> None:
    """On its own items the second rule looks better; on the common ones it is worse, and interval and sentence say so."""
    report, judge_row = both.json("report"), row_of(both, "part")
    common = range(ITEMS // 2)
    right = [is_right(n) for n in common]
    ours, theirs = ([(value(n) or 0) > 0.5 for n in common] for value in (part, quality))
    minus = judge_row["minus_rule_in_force"]

    assert judge_row["kappa"]["estimate"] > report["kappa"]["estimate"]
    for name, oracle in (("kappa", cohen_kappa_score), ("accuracy", accuracy_score)):
        expected = oracle(right, ours) - oracle(right, theirs)
        assert expected < 0
        assert minus[name]["estimate"] == pytest.approx(expected, abs=1e-9)
        assert minus[name]["long_run"]["low"] < expected < minus[name]["long_run"]["high"]
        assert minus[name]["for_all_rules"]["low"] < expected < minus[name]["for_all_rules"]["high"]
    assert minus["kappa"]["labels_that_differ"] == sum(a != b for a, b in zip(ours, theirs, strict=True))


def test_the_coverage_of_each_rule_stands_beside_it(both: Assay) -> None:
    """In the JSON, on the page and in the HTML report."""
    report = both.json("report")
    page = both("report", "--full").stdout
    both("report", "--html", str(both.folder / "report.html"))
    html = (both.folder / "report.html").read_text(encoding="utf-8")

    assert report["rule"]["coverage"] == 1
    assert (row_of(both, "part")["coverage"], row_of(both, "quality")["coverage"]) == (0.5, 1)
    row = next(line for line in page.splitlines() if line.startswith("part > 0.5"))
    assert "50 %" in row
    assert "a difference is taken on those that both rules score" in " ".join(page.split())
    assert '<data value="0.5">50 %</data>' in html
    assert "a difference is taken on those that both rules score" in html


def test_rules_that_never_differ_are_told_so(both: Assay) -> None:
    """The twin gives every verdict of the rule in force: 0, and no interval that pretends to tell more."""
    twin = row_of(both, "twin")["minus_rule_in_force"]["kappa"]
    row = next(line for line in both("report", "--full").stdout.splitlines() if line.startswith("twin > 0.5"))

    assert (twin["estimate"], twin["labels_that_differ"]) == (0, 0)
    assert f"same on all {twin['n']} labels" in row


def test_no_difference_is_larger_than_the_quantities_allow(store: Store) -> None:
    """With twelve labels the intervals for all rules at once end at 100 points of accuracy and at 2 of kappa."""
    some_open(store)
    made = report.build(store)
    found = [rule.differences for rule in (*(judge.alone for judge in made.judges), *made.candidates)]
    accuracies = [known.accuracy.of_all for known in found if known.accuracy.of_all]
    kappas = [known.kappa.of_all for known in found if known.kappa.of_all]

    assert min(interval.low for interval in accuracies) == -1
    assert max(interval.high for interval in accuracies) <= 1
    assert min(interval.low for interval in kappas) == -2
    assert max(interval.high for interval in kappas) <= 2
