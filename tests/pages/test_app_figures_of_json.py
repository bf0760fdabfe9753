"""Figures on Judges, Systems and Labelling against the JSON of the command: values, both ends of intervals, and n."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from annotate.cli import main
from annotate.domain.message import Between, EvidenceText, IntervalBasis, Kind, Number, message
from annotate.present.messages import text
from annotate.present.quantity import kind_of
from proxy.evaluation.estimate import Estimate
from support.app import Open, some_open, tables, words
from support.calibration_page import figures
from support.labelling_page import agreed, at
from support.systems import many

pytestmark = pytest.mark.slow

OF_JUDGES = ("auroc", "kappa", "accuracy", "f1")
OF_ANNOTATORS = {"agreement": Kind.SHARE, "ac1": Kind.COEFFICIENT, "alpha": Kind.COEFFICIENT, "error": Kind.SHARE}
CARDS_OF_ANNOTATORS = {"agreement": "agree_all", "error": "annotator_error"}


def told(path: Path, *args: str) -> dict[str, Any]:
    """What the command says."""
    result = CliRunner().invoke(main, [*args, "--json", "--db", str(path)])
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def cards(app: AppTest) -> dict[str, str]:
    """The value of each card by its label."""
    return {metric.label.replace("\\", ""): metric.value for metric in app.metric}


def cell(measured: dict[str, Any], kind: Kind, *, is_signed: bool = False) -> str:
    """An estimate of the JSON as a table shows it."""
    values = {name: measured[name] for name in ("estimate", "low", "high", "n", "method")}
    return text(EvidenceText(Estimate(**values), kind, IntervalBasis.WINDOW, is_signed))


def test_systems_are_those_of_compare(opened: Open, store_path: Path) -> None:
    """Both rates of both systems, and both differences, with every end."""
    app = opened(many, "systems")
    old, new = app.selectbox(key="a").value, app.selectbox(key="b").value
    compared = told(store_path, "compare", old, new)
    first, second = compared["first"], compared["second"]
    right, passed = tables(app)[0].to_numpy()

    assert list(tables(app)[0].columns)[2:] == [second["name"], first["name"]]
    for row, difference, rate in (
        (right, "difference", "correctness_long_run"),
        (passed, "pass_precision_difference", "pass_precision_long_run"),
    ):
        assert row[1] == cell(compared[difference], Kind.POINTS, is_signed=True)
        assert list(row[2:]) == [cell(side[rate], Kind.SHARE) for side in (second, first)]


def test_two_scores_are_those_of_the_report(opened: Open, store_path: Path) -> None:
    """A judge against annotators agrees as `assay report` measures that judge alone, for this window and in the long run."""
    app = opened(many, "judges")
    app = app.segmented_control(key="judges").set_value("scores").run()
    [judge] = told(store_path, "report")["judges"]
    shown, spans = cards(app), words(app).replace("\\", "")

    for name in OF_JUDGES:
        kind, measured = kind_of(name), judge[name]
        assert shown[text(message(f"side_by_side.{name}"))] == text(Number(measured["estimate"], kind))
        assert text(Between(measured["low"], measured["high"], kind)) in spans
        assert text(Between(measured["long_run"]["low"], measured["long_run"]["high"], kind)) in spans


def test_agreement_of_annotators_is_that_of_the_report(opened: Open, store_path: Path) -> None:
    """Four cards with their intervals."""
    app = at(opened(agreed, "labelling"), "annotators")
    report = told(store_path, "report")["inter_annotator_agreement"]
    shown, spans = cards(app), words(app).replace("\\", "")

    assert report["items"] == 16
    for name, kind in OF_ANNOTATORS.items():
        label = text(message(f"labelling.{CARDS_OF_ANNOTATORS.get(name, name)}"))
        assert shown[label] == text(Number(report[name]["estimate"], kind))
        if report[name]["low"] is not None:
            assert text(Between(report[name]["low"], report[name]["high"], kind)) in spans


def test_overview_and_calibration_are_those_of_the_report_where_labels_are_missing(
    opened: Open, store_path: Path
) -> None:
    """Four draws wait: every page has the interval of the JSON, which holds whatever they are, and a share says it is weighted."""
    overview = "".join(html.proto.body for html in opened(some_open).get("html"))
    page = opened(some_open, "calibration")
    shown, report = figures(page), told(store_path, "report")
    beside = {}
    for name, label in (
        ("pass_precision", "Right among the passed"),
        ("correctness", "Answers that are right"),
        ("false_passes", "False passes, of 1,000 answers"),
    ):
        measured, times = report[name], 1000 if name == "false_passes" else 1
        kind = Kind.PER_THOUSAND if times > 1 else Kind.SHARE
        ends = text(Between(times * measured["long_run"]["low"], times * measured["long_run"]["high"], kind))
        beside[name] = f"{ends} · n = {measured['n']}"
        assert f"{text(Number(times * measured['estimate'], kind))}<small>{beside[name]}" in overview
        if label in shown:
            assert shown[label].beside.startswith(beside[name])

    assert {"Right among the passed", "False passes, of 1,000 answers"} <= shown.keys()
    assert f"{beside['pass_precision']}, weighted" in overview
    worst = report["evidence"]["worst_case"]
    assert report["pass_precision"]["long_run"]["low"] == worst["pass_precision"]["long_run"]["low"]
    assert report["false_passes"]["long_run"]["high"] == worst["false_passes"]["long_run"]["high"]
    assert report["verdict"]["status"] == "open"
    assert "Trust the proxy? Not yet: 2 of 11 drawn passed answers lack" in words(page).replace("\\", "")
    assert "Needed: 8 more labels; to be had here: 4." in words(page).replace("\\", "")
