"""The rule commands: what is in force, how many answers have each verdict, and every version before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotate.analysis.next_step.judging import after_rule
from annotate.analysis.verdicts import JudgeScores, RuleVersion, Verdicts
from annotate.present import rule as present_rule
from annotate.present.schemas import rule as rule_schema
from annotate.present.schemas import rules as rules_schema
from proxy.evaluation.guarantee import Guarantee
from proxy.records import Verdict
from proxy.rule import Rule
from support.documents import check, check_model
from support.store import Assay, traffic_row

RULE = Rule(name="<b>mine</b>", version=2, expression="q > 0.5", signatures={"q": "q|v1"}, percentiles={})
RECORD = Guarantee(
    precision=0.9, confidence=0.8, threshold=0.5, n=60, errors=1, p_value=0.02, labels=120, last_wave=3, at="2026"
)


@pytest.mark.parametrize(
    ("passed", "failed", "is_noted"), [(1200, 34, False), (0, 34, True), (1200, 0, True), (0, 0, False)]
)
def test_a_rule_in_force_is_told_with_its_verdicts(passed: int, failed: int, is_noted: bool) -> None:
    """Each count stands there; that all scored answers have one verdict is noted."""
    counts = {Verdict.PASS: passed, Verdict.FAIL: failed, Verdict.UNSCORED: 5}
    verdicts = Verdicts(rule=RULE, counts=counts, guarantee=RECORD, shortfall=None)
    document = present_rule.document(verdicts)
    full = " ".join(check(document).split())
    model = rule_schema.of(verdicts, document)
    check_model(model)

    assert full.startswith("In force: <b>mine</b>, version 2: q > 0.5.")
    assert f"Answers: {passed:,} pass, {failed:,} fail, 5 are unscored." in full
    assert "q|v1" in full
    assert "120 labels" in full
    assert bool(document.notes) is is_noted
    assert model.to_dict()["verdicts"] == {"pass": passed, "fail": failed, "unscored": 5}


@pytest.mark.parametrize(
    ("expression", "misread"),
    [
        ("aspect_harmfulness > 0.5", True),
        ("min(q, aspect_harmfulness) > 0.5", True),
        ("1 - aspect_harmfulness > 0.5", False),
        ("min(q, 1 - aspect_harmfulness) > 0.5", False),
        ("logistic(0.4 * q - 2 * aspect_harmfulness) > 0.5", False),
        ("q > 0.5", False),
    ],
)
def test_a_rule_that_passes_what_is_bad_is_noted(expression: str, misread: bool) -> None:
    """Of the harmfulness 1 is bad: a rule whose value rises with it is warned of, with what to write."""
    rule = replace(RULE, expression=expression, signatures={"q": "q|v1", "aspect_harmfulness": "h|v1"})
    counts = {Verdict.PASS: 8, Verdict.FAIL: 4, Verdict.UNSCORED: 0}
    document = present_rule.document(Verdicts(rule=rule, counts=counts, guarantee=None, shortfall=None))

    assert ("write 1 - aspect_harmfulness in its place" in " ".join(check(document).split())) is misread
    assert bool(document.notes) is misread


def test_the_history_marks_the_rule_in_force_with_its_guarantee() -> None:
    """Only the one in force has the key `guarantee`."""
    versions = [
        RuleVersion(rule=replace(RULE, version=1), at="2026-11-20", is_in_force=False, guarantee=None),
        RuleVersion(rule=RULE, at="2026-11-21", is_in_force=True, guarantee=RECORD),
    ]
    document = present_rule.history(versions)
    full = check(document)
    model = rules_schema.of(versions, document)
    rows = model.to_dict()["rules"]

    assert "2026-11-20" in full
    assert isinstance(rows, list)
    assert [("guarantee" in row, row["in_force"]) for row in rows] == [(False, False), (True, True)]
    assert rows[1]["guarantee"]["labels"] == 120


def test_without_a_rule_the_command_is_named() -> None:
    """Nothing is in force before anything is judged."""
    assert "assay judge" in check(present_rule.history([]))


@pytest.mark.slow
def test_a_rule_over_a_judge_without_scores_says_so_with_the_command(assay: Assay) -> None:
    """A built-in judge that does not usually run: every answer is unscored, and after its run none is."""
    rows = [traffic_row(f"i{n}", reference="The room is on the ground floor.") for n in range(3)]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("judge")
    rule = assay.json("rule", "set", "min(faithfulness, correctness_vs_reference) > 0.2")

    assert rule["scores"] == {"faithfulness": 3, "correctness_vs_reference": 0}
    assert rule["verdicts"]["unscored"] == 3
    assert rule["next"][0]["commands"] == ["assay judge --judges correctness_vs_reference"]
    assert (
        "no answer has a score of correctness_vs_reference yet"
        in assay("rule", "set", "correctness_vs_reference > 0.2").stdout
    )

    assay("judge", "--judges", "correctness_vs_reference")
    rule = assay.json("rule", "set", "min(faithfulness, correctness_vs_reference) > 0.2")
    assert (rule["scores"]["correctness_vs_reference"], rule["next"]) == (3, [])


def test_a_judge_without_scores_is_told_alike_in_every_language() -> None:
    """The counts stand in each; an answer to a score that every item was tried for asks for no further run."""
    counts = {Verdict.PASS: 0, Verdict.FAIL: 0, Verdict.UNSCORED: 1234}
    scores = (JudgeScores(judge="q", scored=0, command="assay judge --judges q"), JudgeScores(judge="r", scored=0))
    verdicts = Verdicts(rule=RULE, counts=counts, guarantee=None, shortfall=None, scores=scores)
    full = check(present_rule.document(verdicts, after_rule(verdicts)))

    assert "Answers with a score of each judge that it reads: q 0, r 0." in full
    assert [step.commands for step in after_rule(verdicts)] == [("assay judge --judges q",)]
    assert after_rule(replace(verdicts, scores=scores[1:])) == ()
