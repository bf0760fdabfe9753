"""The report: one contract for machines, one page for people, the same numbers in both, and never a number from nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from annotate.analysis.report import report as reports
from annotate.present import report as present_report
from annotate.present import terminal
from annotate.present.messages import LONGEST_QUOTE, one_line
from annotate.present.terminal import BRIEF_LINES
from annotate.store import Store
from proxy.evaluation.estimate import Estimate, as_dict
from proxy.stats.intervals import Interval, wilson
from support.store import Assay, traffic_row

MEASURED = (
    *("correctness", "correctness_long_run", "pass_rate", "pass_precision", "sensitivity", "specificity"),
    *("npv", "accuracy", "f1", "kappa", "mcc", "ac1", "auroc"),
)
CONTRACT = {"candidates", "best_rule", "items", "judged", "labels", "rule", "judges", "strata", "warnings", *MEASURED}
Values = Sequence[float | None]
LONGEST_ANSWER = 25


def ingest(assay: Assay, values: Values, *, start: int = 0) -> list[str]:
    """Traffic with these scores of a judge `s`, and the rule s > 0.5 in force; the ids."""
    ids = [f"t{start + k:04}" for k in range(len(values))]
    assay("ingest", assay.write(f"traffic{start}.jsonl", [traffic_row(name) for name in ids]))
    scores = [{"item_id": i, "judge": "s", "value": v} for i, v in zip(ids, values, strict=True) if v is not None]
    if scores:
        assay("scores", "import", assay.write(f"scores{start}.jsonl", scores))
        assay("rule", "set", "s > 0.5")
    return ids


def label(assay: Assay, said: Mapping[str, str], **changes: object) -> None:
    rows = [{"item_id": name, "label": word, "annotator": "ann", **changes} for name, word in said.items()]
    assay("labels", "import", assay.write("labels.jsonl", rows))


def strictly(text: str) -> dict[str, Any]:
    """JSON as the standard has it: NaN and Infinity are none."""

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    content = json.loads(text, parse_constant=refuse)
    assert isinstance(content, dict)
    return content


def check(report: Mapping[str, Any]) -> None:
    """What the contract promises of any report."""
    assert set(report) >= CONTRACT
    others = [*report["judges"], *report["candidates"]]
    differences = [measured["minus_rule_in_force"] for measured in others]
    for quantities in [{name: report[name] for name in MEASURED}, *others, *differences]:
        for name, value in quantities.items():
            if not isinstance(value, dict) or name in {"minus_rule_in_force", "calibration"}:
                continue
            assert set(value) >= {"estimate", "low", "high", "n", "method"}, name
            assert isinstance(value["n"], int), name
            if value["estimate"] is None:
                assert value["reason"], name
            else:
                assert value["low"] <= value["estimate"] <= value["high"], name
                assert value["method"], name
                assert value["n"] > 0, name
                assert "reason" not in value, name


def page_of(assay: Assay) -> str:
    """The whole report as text; it begins with the answer of the JSON."""
    text, report = str(assay("report", "--full").stdout), assay.json("report")
    assert in_one_line(text).startswith(report["answer"])
    assert report["answer"] == report["verdict"]["sentence"]
    assert len(report["answer"].split()) <= LONGEST_ANSWER
    assert len(str(assay("report").stdout).splitlines()) <= BRIEF_LINES
    return text


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["empty", "scored", "drawn", "labelled", "all labelled", "all right", "all unsure"])
def test_every_report_keeps_the_contract(assay: Assay, stage: str) -> None:
    """From the first item to the last label: every key, valid JSON, no number without n, interval and method."""
    if stage == "empty":
        ingest(assay, [None] * 3)
    else:
        ids = ingest(assay, [0.9] * 40 + [0.1] * 30 + [None] * 5)
    if stage not in {"empty", "scored"}:
        assay("sample", "--labels", "1000" if stage.startswith("all") else "40", "--seed", "7")
    if stage in {"labelled", "all labelled"}:
        label(assay, {name: "right" if k % 3 else "wrong" for k, name in enumerate(ids)})
    if stage in {"all right", "all unsure"}:
        label(assay, dict.fromkeys(ids, stage.removeprefix("all ")))

    check(strictly(assay("report", "--json").stdout))
    text = page_of(assay)
    assert "nan" not in text.lower().split()
    assert "None" not in text


@pytest.mark.slow
def test_a_census_by_hand(assay: Assay) -> None:
    """10 right_pass, 1 wrong_pass, 5 wrong_fail, all labelled: accuracy .9375, kappa .862, MCC .870, AC1 .886, TNR .833.

    AC1 with q = (11/16 + 10/16) / 2: (.9375 - 2 q (1 - q)) / (1 - 2 q (1 - q)).
    """
    ids = ingest(assay, [0.9] * 11 + [0.1] * 5)
    assay("sample", "--labels", "1000", "--seed", "7")
    label(assay, {name: "right" if k < 10 else "wrong" for k, name in enumerate(ids)})
    report = assay.json("report")
    expected = {"accuracy": 0.9375, "kappa": 0.862, "mcc": 0.870, "pass_precision": 0.909, "specificity": 0.833}
    expected |= {"ac1": 0.886, "sensitivity": 1.0, "correctness": 0.625, "pass_rate": 0.6875}

    for name, value in expected.items():
        assert report[name]["estimate"] == pytest.approx(value, abs=5e-4), name
        assert report[name]["low"] == pytest.approx(report[name]["high"]), name
    assert report["cells"] == {"right_pass": 10, "wrong_pass": 1, "right_fail": 0, "wrong_fail": 5}
    assert (report["items"], report["judged"], report["labels"], report["unscored"]) == (16, 16, 16, 0)
    # All eleven are seen, so for the long run they are eleven draws: p (1 - p) / 11, with t of 10 degrees.
    long_run = report["pass_precision"]["long_run"]
    assert (long_run["low"], long_run["high"]) == pytest.approx(tuple(wilson(10 / 11, 11, df=10)))
    assert report["correctness_long_run"]["low"] < 0.5


@pytest.mark.slow
def test_labels_on_passed_items_alone_leave_gaps_that_say_what_to_label(assay: Assay) -> None:
    """Null with a reason, bounds for correctness, and the page shows a dash."""
    ids = ingest(assay, [0.9] * 60 + [0.1] * 40)
    assay("sample", "--labels", "40", "--seed", "7", "--audit", "0")
    label(assay, dict.fromkeys(ids, "right"))
    report = assay.json("report")

    assert report["pass_precision"]["estimate"] == 1
    for name in ("sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc"):
        assert report[name]["estimate"] is None
        assert "label 30 items below the threshold" in report[name]["reason"]
    assert report["correctness"]["estimate"] is None
    assert report["correctness"]["high"] - report["correctness"]["low"] >= 0.4
    # The rest of the ids had no draw: hand-picked, and without weight.
    assert report["label_counts"]["hand_picked"] == 60
    assert report["labels"] == 40
    lines = page_of(assay).splitlines()
    assert any(line.startswith("Agreement beyond chance ") and "—" in line for line in lines)


@pytest.mark.slow
def test_warnings_say_what_weakens_the_numbers(assay: Assay) -> None:
    """The threshold, open draws, unsure labels, few errors and newcomers, each with its count."""
    ids = ingest(assay, [0.9] * 30 + [0.1] * 30)
    assay("sample", "--labels", "20", "--seed", "7")
    drawn = [row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY 1")]
    label(assay, dict.fromkeys(drawn[:12], "right") | dict.fromkeys(drawn[12:15], "unsure") | {drawn[15]: "wrong"})
    ingest(assay, [0.9] * 7, start=len(ids))
    warnings = assay.json("report")["warnings"]

    assert [warning.split(" (")[0].split(":")[0] for warning in warnings] == [
        "threshold set by hand, not calibrated on your traffic",
        "4 of 20 drawn items have no label yet",
        "labels left out",
        "7 of 20 drawn answers have no right or wrong",
        "7 of 20 drawn answers have no right or wrong",
        "wrong answers among the labels of scored items",
        "7 items are in no wave that counts",
    ]
    page = in_one_line(page_of(assay))
    assert page.count("Note: ") == len(warnings)
    assert all(f"Note: {warning}." in page for warning in warnings)


@pytest.mark.slow
def test_misses_are_what_the_rule_passed_and_annotators_call_wrong(assay: Assay) -> None:
    """Serious harm first; with the question, the answer, the reason and the reference, on the page."""
    ids = ingest(assay, [0.9, 0.8, 0.9, 0.1])
    assay("sample", "--labels", "1000", "--seed", "7")
    label(assay, {ids[0]: "wrong", ids[2]: "right", ids[3]: "wrong"}, rationale="The floor.", reference="First floor.")
    label(assay, {ids[1]: "wrong"}, harm="serious", rationale="The\x1b[31m room.")
    store = Store(assay.db)
    built = reports.build(store)
    store.close()

    assert [miss.item.id for miss in built.misses] == [ids[1], ids[0]]
    assert built.misses[0].reasons[0][:2] == ("s", 0.8)
    page = terminal.render(present_report.document(built), full=True)
    assert "rationale: The floor." in page
    assert "reference: First floor." in page
    assert "\x1b" not in page


@pytest.mark.slow
def test_the_page_has_the_numbers_of_the_contract(assay: Assay) -> None:
    """The estimate and its interval for this window, in percent or two digits, and the table of labels."""
    ids = ingest(assay, [0.9] * 60 + [0.1] * 40)
    assay("sample", "--labels", "60", "--seed", "7")
    label(assay, {name: "right" if k % 4 else "wrong" for k, name in enumerate(ids)})
    report, page = assay.json("report"), page_of(assay)
    lines = {cells[0]: cells[1:] for cells in (re.split("  +", line) for line in page.splitlines())}

    kappa, correctness = report["kappa"], report["correctness"]["estimate"]
    assert lines["Agreement beyond chance"][:2] == [
        f"{kappa['estimate']:.2f}",
        f"{kappa['low']:.2f} to {kappa['high']:.2f}",
    ]
    assert lines["Answers that are right"][0] == f"{round(100 * correctness)} %"
    cells = report["cells"]
    passed = next(line.split() for line in page.splitlines() if line.startswith("pass  "))
    assert passed[1:3] == [str(cells["right_pass"]), str(cells["wrong_pass"])]
    assert sum(cells.values()) == 60
    assert f"Rule custom, version 1: {report['rule']['expression']}" in in_one_line(page)


@pytest.mark.slow
def test_the_limit_decides_the_status(assay: Assay) -> None:
    """80 % right among passed, everything labelled: enough for .5 and not for .99."""
    ids = ingest(assay, [0.9] * 200 + [0.1] * 100)
    assay("sample", "--labels", "1000", "--seed", "7")
    label(assay, {name: "right" if k < 160 else "wrong" for k, name in enumerate(ids)})

    verdicts = [assay.json("report", "--limit", limit)["verdict"] for limit in ("0.5", "0.99")]
    assert [verdict["status"] for verdict in verdicts] == ["yes", "no"]
    assert [verdict["limit"] for verdict in verdicts] == [0.5, 0.99]


@pytest.mark.slow
def test_each_judge_is_measured_alone_on_the_same_labels(assay: Assay) -> None:
    """A perfect judge beside the rule's bad one shows: the rule has kappa 0 or less, the other 1."""
    ids = ingest(assay, [0.9, 0.1] * 20)
    truth = [{"item_id": n, "judge": "oracle", "value": 0.9 if k < 20 else 0.1} for k, n in enumerate(ids)]
    assay("scores", "import", assay.write("oracle.jsonl", truth))
    assay("sample", "--labels", "1000", "--seed", "7")
    label(assay, {name: "right" if k < 20 else "wrong" for k, name in enumerate(ids)})
    report = assay.json("report")

    assert report["kappa"]["estimate"] == pytest.approx(0)
    kappas = {judge["judge"]: judge["kappa"]["estimate"] for judge in report["judges"]}
    assert kappas == {"s": pytest.approx(0), "oracle": pytest.approx(1)}


@pytest.mark.slow
def test_the_report_changes_nothing_it_measures(assay: Assay) -> None:
    """Twice the same, byte for byte."""
    ids = ingest(assay, [0.9] * 30 + [0.1] * 30)
    assay("sample", "--labels", "20", "--seed", "7")
    label(assay, dict.fromkeys(ids[::2], "right"))

    assert assay("report", "--json").stdout == assay("report", "--json").stdout


def test_an_estimate_as_json() -> None:
    """The reason and the long run stand there only if there are any."""
    known = Estimate(estimate=0.5, low=0.4, high=0.6, n=9, method="m", long_run=Interval(0.3, 0.7))

    assert as_dict(known) == {
        **{"estimate": 0.5, "low": 0.4, "high": 0.6, "n": 9, "method": "m"},
        "long_run": {"low": 0.3, "high": 0.7},
    }
    assert as_dict(Estimate(estimate=None, reason="why")) == {
        **{"estimate": None, "low": None, "high": None, "n": 0, "method": "", "reason": "why"},
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\n b\t c", "a b c"), ("x" * 500, "x" * 159 + "…"), ("a\u202eb\x07c", None), ("", "")],
)
def test_a_quoted_text_is_one_short_harmless_line(text: str, shown: str | None) -> None:
    """Nothing in it can steer a terminal or break the page."""
    line = one_line(text)

    assert shown is None or line == shown
    assert all(character.isprintable() for character in line)
    assert len(line) <= LONGEST_QUOTE


@pytest.mark.slow
def test_no_estimate_of_a_report_is_a_nan(assay: Assay) -> None:
    """One class and one verdict only, where kappa and MCC divide 0 by 0."""
    ids = ingest(assay, [0.9] * 12)
    assay("sample", "--labels", "1000", "--seed", "7")
    label(assay, dict.fromkeys(ids, "right"))
    store = Store(assay.db)
    built = reports.build(store)
    store.close()

    for name in ("sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc"):
        value = getattr(built.agreement, name).estimate
        assert value is None or not math.isnan(value), name
    assert built.agreement.kappa.estimate is None
