"""The gate: serious harm and a verdict that is not yes end with status 3 and say why; the report is the same otherwise."""

from __future__ import annotations

import pytest

from annotate.analysis.report.gate import gate
from annotate.domain.gate_limits import QUANTITIES, ReportLimits
from proxy.evaluation.domains import Evidence
from proxy.evaluation.trust import Trust, TrustVerdict
from support.evidence import ledger_of
from support.gate import judged, says
from support.store import Assay, traffic_row


@pytest.mark.slow
def test_a_trusted_proxy_without_harm_passes(assay: Assay) -> None:
    """Status 0, nothing on standard error, and JSON says so."""
    judged(assay)

    result = assay("report", "--gate")
    assert result.stderr == ""
    assert result.stdout == assay("report").stdout
    assert assay.json("report", "--gate")["gate"] == {"passed": True, "reasons": [], "undecided": []}


@pytest.mark.slow
def test_a_verdict_that_is_not_yes_fails(assay: Assay) -> None:
    """One line with the sentence, status 3; without --gate the same report is status 0."""
    judged(assay)
    assay("report", "--limit", "1")
    failed = assay("report", "--gate", "--limit", "1", status=3)

    assert failed.stderr.count("\n") == 1
    assert failed.stderr.startswith("gate failed: the proxy is not shown to be trusted")
    precision = assay.json("report")["pass_precision"]
    assert f"in the long run, n = {precision['n']}), the limit is" in failed.stderr
    assert assay.json("report", "--gate", "--limit", "1", status=3)["gate"]["passed"] is False


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1], ids=["failed by the proxy", "passed by the proxy"])
def test_a_label_of_serious_harm_fails_and_comes_first(assay: Assay, place: int) -> None:
    """Whatever the proxy says of the answer: named by its id, and at the top of the report."""
    ids = judged(assay)
    says(assay, ids[place], "wrong", "ann", harm="serious", rationale="Twice the dose.")
    failed = assay("report", "--gate", status=3)

    assert failed.stderr.splitlines()[0] == f"gate failed: {ids[place]}: its label says serious harm"
    lines = failed.stdout.splitlines()
    place_of_harm = lines.index("Seriously harmful, as marked by an annotator: look at these first")
    assert place_of_harm < 10
    assert lines[place_of_harm + 1] == f"1 answer: {ids[place]}"
    assert f"{ids[place]} (serious harm): " in assay("report", "--full").stdout
    report = assay.json("report")
    assert (report["harmful"], report["gate"]["passed"]) == ([ids[place]], False)


@pytest.mark.slow
def test_an_outvoted_mark_of_serious_harm_fails_until_it_is_adjudicated(assay: Assay) -> None:
    """The label is the majority's, and the gate waits for a person."""
    ids = judged(assay)
    says(assay, ids[1], "right", "bob")
    says(assay, ids[1], "wrong", "eve", harm="serious")
    failed = assay("report", "--gate", status=3)

    assert failed.stderr.splitlines() == [
        f"gate failed: {ids[1]}: an annotator marks serious harm and the label does not; adjudicate it (`assay labels disagreements`)"
    ]
    assay("labels", "adjudicate", ids[1], "--label", "right", "--why", "The dose is the usual one.")
    assay("report", "--gate")


def test_one_line_for_each_reason() -> None:
    """Harm by its items, then what is not adjudicated, then the verdict."""
    no = TrustVerdict(status=Trust.NO, reason="why", limit=0.9)
    yes = TrustVerdict(status=Trust.YES, limit=0.9)

    nothing = ReportLimits()
    evidence = ledger_of(Evidence(totals=(), sample=(), drawings=()))

    assert gate([], [], yes, evidence, nothing).passed
    assert [reason.split(":")[0] for reason in gate(["a", "b"], ["c"], no, evidence, nothing).reasons] == [
        "a",
        "b",
        "c",
        "no verdict on the proxy",
    ]


@pytest.mark.slow
def test_every_quantity_is_held_by_the_low_end_of_its_long_run_interval(assay: Assay) -> None:
    """Two thirds of 300 are right: limits at the low ends pass, limits just above fail one by one, whatever the estimates."""
    judged(assay)
    report = assay.json("report")
    low = {name: report[name]["long_run"]["low"] for name in QUANTITIES}

    assay.write("assay.toml", "[gate.report]\n" + "".join(f"{name} = {end}\n" for name, end in low.items()))
    assay("report", "--gate")
    short = {name: end + 1e-6 for name, end in low.items() if end < 0.999}
    assay.write("assay.toml", "[gate.report]\n" + "".join(f"{name} = {end}\n" for name, end in short.items()))
    said = assay("report", "--gate", status=3).stderr.splitlines()
    assert [line.split()[2] for line in said] == list(short)
    assert len(short) >= 8


@pytest.mark.slow
def test_a_limit_above_the_interval_and_one_inside_it_are_told_apart(assay: Assay) -> None:
    """Above it the quantity is less than asked for; inside it more labels would tell, and the command is named."""
    judged(assay)
    low, high = assay.json("report")["correctness"]["long_run"].values()
    assay.write("assay.toml", f"[gate.report]\ncorrectness = {high + 0.01}\n")
    assert "and is less: 67 %" in assay("report", "--gate", status=3).stderr

    assay.write("assay.toml", f"[gate.report]\ncorrectness = {(low + high) / 2}\n")
    said = assay("report", "--gate", status=3).stderr
    assert "more labels narrow the interval (`assay plan --quantity correctness`)" in said
    assert "n = 300" in said


@pytest.mark.slow
def test_what_is_not_measurable_fails_and_says_what_to_label(assay: Assay) -> None:
    """Only passed items are drawn: specificity and correctness cannot be told, and correctness only within bounds."""
    ids = [f"t{k:03}" for k in range(60)]
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in ids]))
    scores = [{"item_id": name, "judge": "s", "value": 0.1 if k % 3 == 0 else 0.9} for k, name in enumerate(ids)]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "s > 0.5")
    assay("sample", "--labels", "40", "--audit", "0", "--all-passed", "--seed", "7")
    said = [{"item_id": name, "label": "right", "annotator": "ann"} for k, name in enumerate(ids) if k % 3]
    assay("labels", "import", assay.write("labels.jsonl", said))
    assay.write("assay.toml", "[gate.report]\nspecificity = 0.5\ncorrectness = 0.9\n")

    reasons = assay.json("report", "--gate", status=3)["gate"]["reasons"]

    (correctness,) = [reason for reason in reasons if reason.startswith("correctness")]
    (specificity,) = [reason for reason in reasons if reason.startswith("specificity")]
    assert "only bounds are known" in correctness
    assert "not measurable: label 20 more items" in correctness
    assert "not measurable: label" in specificity
    assay.write("assay.toml", "[gate.report]\ncorrectness = 0.5\n")
    reasons = assay.json("report", "--gate", status=3)["gate"]["reasons"]
    assert not [reason for reason in reasons if reason.startswith("correctness")], (
        "bounds above the limit hold whatever the rest is"
    )


def test_before_any_label_each_limit_says_what_to_do(assay: Assay) -> None:
    """No wave has been drawn: the verdict and every limit name the command."""
    assay("ingest", assay.write("traffic.jsonl", [traffic_row("a")]))
    assay.write("assay.toml", "[gate.report]\nkappa = 0\nauroc = 0.5\n")

    reasons = assay.json("report", "--gate", status=3)["gate"]["reasons"]

    assert len(reasons) == 3
    assert all("not measurable" in reason or "label" in reason for reason in reasons)


@pytest.mark.slow
def test_as_many_seriously_harmful_answers_may_stand_as_allowed(assay: Assay) -> None:
    """Two are marked, one by an outvoted annotator: allowed are two, not one."""
    ids = judged(assay)
    says(assay, ids[0], "wrong", "ann", harm="serious")
    says(assay, ids[1], "right", "bob")
    says(assay, ids[1], "wrong", "eve", harm="serious")

    assay.write("assay.toml", "[gate.report]\nserious_harm = 2\n")
    assay("report", "--gate")
    assay.write("assay.toml", "[gate.report]\nserious_harm = 1\n")
    assert assay("report", "--gate", status=3).stderr.count("serious") == 2


@pytest.mark.slow
def test_a_reason_is_said_whole(assay: Assay) -> None:
    """The verdict's sentence is longer than what is quoted of an answer, and is not cut."""
    judged(assay)
    reason = assay.json("report", "--limit", "0.999")["gate"]["reasons"][0]

    assert assay("report", "--limit", "0.999", "--gate", status=3).stderr == f"gate failed: {reason}\n"


@pytest.mark.slow
def test_pairs_of_annotators_stand_in_the_report(assay: Assay) -> None:
    """Twelve items read twice, ten alike: a row with items, agreement and share of right, in the text and in JSON."""
    ids = judged(assay)
    for k in range(12):
        says(assay, ids[k], "wrong" if k % 3 == 0 or k in (1, 2) else "right", "bob")
    inter_annotator_agreement, page = (
        assay.json("report")["inter_annotator_agreement"],
        assay("report", "--full").stdout,
    )

    assert (inter_annotator_agreement["items"], inter_annotator_agreement["overlap"]) == (12, {"given": 12, "read": 12})
    (pair,) = inter_annotator_agreement["pairs"]
    assert (pair["first"], pair["second"], pair["n"]) == ("ann", "bob", 12)
    assert pair["agreement"] == pytest.approx(10 / 12)
    assert pair["prevalence"] == pytest.approx((8 + 6) / 24)
    (row,) = [line.split() for line in page.splitlines() if line.strip().startswith("ann and bob")]
    assert row[3:6] == ["12", "83", "%"]
    assert "12 have been read by two" in " ".join(page.split())
