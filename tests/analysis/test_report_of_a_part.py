"""A report of a part of the traffic: estimates by hand, parts that add up to the whole, and parts without labels or answers."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotate.analysis.evidence import gather
from annotate.analysis.report import head as report_head
from annotate.analysis.rule_in_force import rule_in_force
from annotate.analysis.selected_items import selected_items
from annotate.domain.selection import Selection
from annotate.store import Store
from proxy.evaluation.agreement import measure
from support.store import Assay, kept, traffic_row
from support.wave_frames import with_frames

ITEMS, DRAWN = 200, 110
# What is measured on all traffic alone, and what names the part.
OF_ALL = {"answer", "verdict", "next", "selection", "stages", "effective_labels", "learned_rule"}


def judgement(n: int) -> str:
    """Every eleventh answer cannot be judged; the others are mostly right where the proxy passes them."""
    return "unsure" if n % 11 == 10 else "wrong" if (n % 7 == 3 if is_passed(n) else n % 3) else "right"


def is_passed(n: int) -> bool:
    return n % 5 > 1


def is_of(n: int, system: str) -> bool:
    return (n % 4 == 1) == (system == "new")


def number(item_id: str) -> int:
    return int(item_id[1:])


@kept
def parted(assay: Assay) -> Assay:
    """Two systems over two months, both verdicts, thumbs, harm, a hand-picked label and one that waits; half is drawn."""
    rows = [
        traffic_row(
            f"i{n:03}",
            system="new" if is_of(n, "new") else "old",
            timestamp=f"2026-{'10' if n % 2 else '11'}-{n % 28 + 1:02}T08:00:00Z",
            group=f"g{n // 3}",
        )
        for n in range(ITEMS)
    ]
    assay("ingest", assay.write("t.jsonl", rows))
    scores = [
        {"item_id": f"i{n:03}", "judge": judge, "value": 0.9 if is_passed(n) else 0.2}
        for n in range(ITEMS)
        for judge in ("context_relevance", "faithfulness")
    ]
    assay("scores", "import", assay.write("s.jsonl", scores))
    assay("feedback", assay.write("f.jsonl", [{"item_id": f"i{n:03}", "value": -1} for n in range(3, ITEMS, 25)]))
    assay("sample", "--labels", str(DRAWN), "--seed", "2")
    with closing(Store(assay.db)) as store:
        drawn = sorted(int(draw.item_id[1:]) for draw in store.sampling.waves.open_draws())
    waits, apart = next(n for n in drawn if n % 25 != 3), next(n for n in range(ITEMS) if n not in drawn)
    labels: list[dict[str, Any]] = [
        {"item_id": f"i{n:03}", "label": judgement(n), "annotator": "ann", "harm": "serious" if n % 20 == 3 else "none"}
        for n in (*drawn, apart)
        if n != waits
    ]
    assay("labels", "import", assay.write("l.jsonl", labels))
    return assay


def counts(report: dict[str, Any]) -> Counter[str]:
    """Everything that is counted in a report, by name."""
    counted = Counter[str](
        {name: report[name] for name in ("items", "judged", "unscored", "labels", "disagreements", "gold_flagged")}
    )
    counted += Counter({f"draws {name}": count for name, count in report["label_counts"].items()})
    counted += Counter({f"cell {name}": count for name, count in report["cells"].items()})
    counted += Counter({f"thumbs {name}": report["feedback"][name] for name in ("rateable", "down", "up")})
    counted += Counter({f"judge {judge['judge']}": judge["scored"] for judge in report["judges"]})
    counted["harmful"] = len(report["harmful"])
    for stratum in report["strata"]:
        for name in ("size", "drawn", "right", "wrong", "unsure"):
            counted[f"{stratum['stratum']} {name}"] += stratum[name]
    return counted


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        (("--system", "old"), ("--system", "new")),
        (("--until", "2026-11-01"), ("--since", "2026-11-01")),
        (
            ("--system", "old", "--until", "2026-11-01"),
            ("--system", "old", "--since", "2026-11-01"),
            ("--system", "new"),
        ),
    ],
    ids=["systems", "months", "both"],
)
def test_what_is_counted_in_parts_adds_up_to_the_whole(parted: Assay, parts: tuple[tuple[str, ...], ...]) -> None:
    """Answers, verdicts, draws, labels, cells, strata, thumbs, harm and scores: each lies in one part."""
    whole, each = counts(parted.json("report")), [counts(parted.json("report", *part)) for part in parts]

    assert all(each)
    assert sum(each, Counter[str]()) == +whole
    assert whole["draws hand_picked"] == 1
    assert whole["draws open"] == 1


@pytest.mark.slow
def test_a_part_that_holds_everything_is_the_whole(parted: Assay) -> None:
    """The same numbers, intervals and warnings, digit by digit, but for what speaks of all traffic alone."""
    whole, part = parted.json("report"), parted.json("report", "--since", "2026-01-01")

    assert {name for name in whole if whole[name] != part[name]} <= OF_ALL
    assert (part["stages"], part["effective_labels"]["estimate"], part["next"]) == (None, None, [])
    assert whole["selection"] is None
    assert part["selection"] == {"system": None, "since": "2026-01-01T00:00:00.000Z", "until": None}


def by_hand(db: Path, system: str) -> dict[str, float]:
    """Ratio estimates of a system: each cell of stratum and verdict has the right and the judged share of its own labels.

    In a cell every answer had the same chance, and each has labels enough to stand alone or was drawn whole.
    """
    with closing(sqlite3.connect(db)) as rows:
        drawn = rows.execute(
            "SELECT i.id, d.stratum, l.judgement FROM draws d JOIN items i ON i.key = d.item JOIN labels l ON l.draw = d.key"
        ).fetchall()
        framed = (
            with_frames(rows).execute("SELECT i.id, f.stratum FROM frames f JOIN items i ON i.key = f.item").fetchall()
        )
    sizes = Counter((stratum, is_passed(number(name))) for name, stratum in framed if is_of(number(name), system))
    told = Counter((s, is_passed(number(name)), said) for name, s, said in drawn if is_of(number(name), system))
    totals = Counter[tuple[bool, str]]()
    for (stratum, passed), size in sizes.items():
        labels = {said: told[stratum, passed, said] for said in ("right", "wrong", "unsure")}
        assert sum(labels.values()) >= min(5, size), (stratum, passed)
        for said, count in labels.items():
            totals[passed, said] += size * count / sum(labels.values())  # type: ignore[assignment] # a share of a count
    right, wrong = ({passed: totals[passed, said] for passed in (True, False)} for said in ("right", "wrong"))
    return {
        "correctness": sum(right.values()) / (sum(right.values()) + sum(wrong.values())),
        "pass_precision": right[True] / (right[True] + wrong[True]),
        "npv": wrong[False] / (right[False] + wrong[False]),
        "sensitivity": right[True] / sum(right.values()),
        "specificity": wrong[False] / sum(wrong.values()),
        "false_passes": wrong[True] / (sum(right.values()) + sum(wrong.values())),
    }


@pytest.mark.slow
@pytest.mark.parametrize("system", ["old", "new"])
def test_estimates_are_those_by_hand(parted: Assay, system: str) -> None:
    """Scores are equal within a verdict, and the folds of this draw agree on their levels: what is predicted moves nothing."""
    report = parted.json("report", "--system", system)

    for name, share in by_hand(parted.db, system).items():
        assert report[name]["estimate"] == pytest.approx(share), name
        assert report[name]["low"] <= share <= report[name]["high"], name
    assert report["pass_rate"]["estimate"] == 0.6


def test_draws_of_a_part_keep_the_chances_of_the_whole(parted: Assay) -> None:
    """The arrays of the part are rows of those of all draws, its drawings are those of the waves, and its totals are its own."""
    with closing(Store(parted.db)) as store:
        key, rule = rule_in_force(store)
        within = selected_items(store, Selection(system="new"))
        part, whole = gather(store, key, [rule], within=within), gather(store, key, [rule])
        kept = [draw.item in within for draw in whole.drawn if draw.judgement is not None]
        evidence = part.evidence(part.rules[0])

        assert evidence.arrays.weight.tolist() == whole.columns.weight[kept].tolist()
        assert evidence.arrays.returned.tolist() == whole.columns.returned[kept].tolist()
        assert list(evidence.drawings) == list(whole.drawings)
        assert sum(total.size for total in evidence.totals) == len(within.rows) == ITEMS // 4
        assert measure(evidence).correctness.predictor == measure(whole.evidence(whole.rules[0])).correctness.predictor


@pytest.mark.parametrize("system", [None, "new"])
def test_the_head_alone_says_what_the_command_says(parted: Assay, system: str | None) -> None:
    """Pages answer from the head: its numbers are those of `assay report`, on all traffic and on a part."""
    with closing(Store(parted.db)) as store:
        head = report_head.head(store, selection=Selection(system=system) if system else None)
    said = parted.json("report", *(["--system", system] if system else []))

    assert (head.items, head.judged, head.progress.labelled) == (said["items"], said["judged"], said["labels"])
    assert (head.trust.status, list(head.harmed)) == (said["verdict"]["status"], said["harmful"])
    for name in ("correctness", "pass_precision", "sensitivity", "kappa"):
        estimate = getattr(head.agreement, name)
        assert (estimate.estimate, estimate.n) == (said[name]["estimate"], said[name]["n"]), name
    for name in ("auroc", "false_passes", "marked_harmful"):
        assert getattr(head, name).estimate == said[name]["estimate"], name
