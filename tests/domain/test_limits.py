"""The limits of `--gate` in assay.toml: read into records, or refused with their place and what is known there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotate.domain import gate_limits
from annotate.domain.gate_limits import CompareLimits, DriftLimits, GoldCheckLimits, ReportLimits
from proxy.errors import UsageError
from support.store import Assay


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_the_limits_are_the_plain_ones() -> None:
    """No quantity, no harm allowed, both alarms, only what is shown to be worse."""
    assert gate_limits.of_report() == ReportLimits(at_least={}, serious_harm=0)
    assert gate_limits.of_verdict() == 0.9
    assert gate_limits.of_compare() == CompareLimits(largest_drop=None)
    assert gate_limits.of_drift() == DriftLimits(quality=True, judge=True)
    assert gate_limits.of_gold_check() == GoldCheckLimits(allow_broken=None)


def test_each_table_becomes_its_record(folder: Path) -> None:
    """Whole numbers where fractions are meant, a 0 that is a limit, and a coefficient below 0."""
    (folder / "assay.toml").write_text(
        "[report]\nlimit = 0.95\n[gate.report]\ncorrectness = 0.75\nsensitivity = 1\nkappa = -0.5\nserious_harm = 2\n"
        "[gate.compare]\nlargest_drop = 0\n[gate.drift]\njudge = false\n[gate.gold_check]\nallow_broken = 3\n"
    )

    assert gate_limits.of_report() == ReportLimits(
        at_least={"correctness": 0.75, "sensitivity": 1.0, "kappa": -0.5}, serious_harm=2
    )
    assert gate_limits.of_verdict() == 0.95
    assert gate_limits.of_compare() == CompareLimits(largest_drop=0.0)
    assert gate_limits.of_drift() == DriftLimits(quality=True, judge=False)
    assert gate_limits.of_gold_check() == GoldCheckLimits(allow_broken=3)


@pytest.mark.parametrize(
    ("table", "read", "words"),
    [
        ("[gate.report]\ncorectness = 0.9", gate_limits.of_report, "[gate.report] knows correctness, npv"),
        ("[gate.report]\npass_precision = 0.9", gate_limits.of_report, "write it as `limit` in [report]"),
        ("[gate.report]\ncorrectness = 90", gate_limits.of_report, "correctness is a number from 0 to 1, not 90"),
        ("[gate.report]\ncorrectness = nan", gate_limits.of_report, "correctness is a number from 0 to 1, not nan"),
        ("[gate.report]\ncorrectness = '0.9'", gate_limits.of_report, "correctness is a number from 0 to 1, not '0.9'"),
        ("[gate.report]\nkappa = -2", gate_limits.of_report, "kappa is a number from -1 to 1"),
        ("[gate.report]\nserious_harm = true", gate_limits.of_report, "serious_harm is a whole number"),
        ("[gate.report]\nserious_harm = 0.5", gate_limits.of_report, "serious_harm is a whole number"),
        ("[report]\nlimit = 95", gate_limits.of_verdict, "[report] limit is a number from 0 to 1"),
        ("[gate.compare]\nlargest_drop = -0.1", gate_limits.of_compare, "largest_drop is a number from 0 to 1"),
        ("[gate.compare]\ndrop = 0.1", gate_limits.of_compare, "knows largest_drop, not drop"),
        ("[gate.drift]\njudge = 0", gate_limits.of_drift, "judge is true or false, not 0"),
        ("[gate.drift]\njudges = true", gate_limits.of_drift, "knows quality, judge, not judges"),
        ("[gate.gold_check]\nallow_broken = -1", gate_limits.of_gold_check, "allow_broken is a whole number"),
        (
            "[gate.gold-check]\nallow_broken = 1",
            gate_limits.of_report,
            "[gate] knows report, compare, drift, gold_check",
        ),
        ("gate = 0.9", gate_limits.of_report, "gate is a table for each command"),
        ("[gate]\nreport = 0.9", gate_limits.of_report, "gate.report is a table"),
    ],
)
def test_what_is_no_limit_is_said_with_its_place(
    folder: Path, table: str, read: Callable[[], object], words: str
) -> None:
    """The file, the table, the entry, and what is known there."""
    (folder / "assay.toml").write_text(f"{table}\n")

    with pytest.raises(UsageError) as raised:
        read()
    assert str(raised.value).startswith("assay.toml: ")
    assert words in str(raised.value)


def test_the_command_takes_the_table_and_says_what_is_wrong_with_it(assay: Assay) -> None:
    """Other commands run beside [gate]; the command it is for ends with status 2 and one line, also without --gate."""
    assay("ingest", assay.write("traffic.jsonl", [{"question": "Why?", "answer": "So."}]))
    assay.write("assay.toml", "[gate.report]\ncorrectness = 2\n")

    assay("doctor")
    for words in (("report",), ("report", "--gate")):
        said = assay(*words, status=2).stderr
        assert said == "assay: assay.toml: [gate.report] correctness is a number from 0 to 1, not 2\n"
