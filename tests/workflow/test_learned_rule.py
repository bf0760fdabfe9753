"""`assay rule learn`: what is offered, what is put in force, which labels score it, and what confirms it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from annotate import Project
from annotate.analysis.report.report import build
from annotate.domain.message import message
from annotate.present import learned_rule as present_learned
from annotate.present.document import Document, Section, Status
from annotate.present.learned_rule import confirmed as confirmed_in
from annotate.present.messages import text
from annotate.present.report.better_judge import better_judge
from annotate.store import Store
from proxy.evaluation.learned_rule import is_training_unit
from support.documents import check, check_model
from support.learned_rule import ITEMS, RULE, SIGNATURE, ready_to_learn, scored, wave
from support.store import Assay, label

pytestmark = pytest.mark.slow


def commands(learned: dict[str, list[dict[str, list[str]]]]) -> list[str]:
    return [command for step in learned["next"] for command in step["commands"]]


def teaching_draws(assay: Assay) -> set[int]:
    """The draws whose groups teach; each question here is a group of its own."""
    rows = assay.sql('SELECT d.key, i."group" FROM draws d JOIN items i ON i.key = d.item')
    return {key for key, group in rows if is_training_unit(group)}


def test_without_any_label_the_next_step_is_the_loops(assay: Assay) -> None:
    """More labels are not what comes first where there is no wave, or no traffic."""
    steps = scored(assay).json("rule", "learn")["next"]

    assert steps == assay.json("next")["next"]
    assert steps[0]["commands"] == ["assay sample --labels 100"]


def test_few_labels_teach_nothing(assay: Assay) -> None:
    """Below 80 labels nothing is learned, and the rule stays."""
    wave(scored(assay), 70)
    learned = assay.json("rule", "learn")

    assert (learned["labels"], learned["rule"], learned["saved"], learned["status"]) == (70, None, False, "open")
    assert "It takes 80 labels, and 15 of each kind" in assay.words("rule", "learn")
    assert assay.json("report")["rule"]["expression"] == RULE


def test_what_is_shown_better_is_offered_and_a_dry_run_keeps_nothing(assay: Assay) -> None:
    """The report and the dry run say the same of the same labels, and the store is as it was."""
    report = ready_to_learn(assay).json("report")
    events = len(assay.json("events")["events"])
    learned = assay.json("rule", "learn", "--dry-run")

    assert "assay rule learn" in commands(report)
    assert report["learned_rule"]["minus_rule_in_force"] == learned["minus_rule_in_force"]
    assert learned["minus_rule_in_force"]["lowest"] > 0
    assert (learned["better"], learned["saved"], learned["in_force_before"]["expression"]) == (True, False, RULE)
    assert assay.json("report")["rule"]["expression"] == RULE
    assert len(assay.json("events")["events"]) == events


def test_labels_that_taught_never_score_the_rule_and_count_for_correctness(assay: Assay) -> None:
    """The draws of the teaching half are kept, the others score, and correctness has the labels that it had."""
    before = ready_to_learn(assay).json("report")
    taught = teaching_draws(assay)
    learned = assay.json("rule", "learn")
    after = assay.json("report")

    assert learned["saved"]
    assert learned["taught"] == len(taught)
    assert {draw for (draw,) in assay.sql("SELECT draw FROM choosers")} == taught
    assert learned["taught"] + learned["minus_rule_in_force"]["kappa"]["n"] <= learned["labels"] == 200
    assert after["cells"]["right_pass"] + after["cells"]["right_fail"] < before["label_counts"]["right"]
    assert sum(after["cells"].values()) == 200 - len(taught)
    assert after["correctness"]["n"] == before["correctness"]["n"] == 200
    assert after["effective_labels"]["n"] == 200
    event = assay.json("events")["events"][-1]
    assert event["what"] == "rule learned"
    assert event["detail"]["taught"] == len(taught)
    words = {name for name, value in event["detail"].items() if isinstance(value, str)}
    assert words == {"name", "expression", "replaces"}, "what the rule is made of, and neither a text nor a person"


def test_another_threshold_of_the_learned_value_keeps_what_taught_it_silent(assay: Assay) -> None:
    """By hand or by `calibrate`: labels that taught neither choose nor score."""
    ready_to_learn(assay)("rule", "learn")
    taught = teaching_draws(assay)
    calibrated = assay.json("calibrate", "--precision", "0.7")
    report = assay.json("report")

    assert calibrated["saved"]
    assert calibrated["labels"] == 200 - len(taught)
    chose = {draw for (draw,) in assay.sql("SELECT draw FROM choosers JOIN guarantees USING (rule)")}
    assert chose
    assert not chose & taught
    assert sum(report["cells"].values()) == 200 - len(taught | chose)
    assert report["confirmation"]["before"] == RULE


def test_a_gap_is_a_state_and_a_score_that_comes_later_changes_the_verdict(assay: Assay) -> None:
    """Every answer has a verdict; the value follows the score that was missing."""
    ready_to_learn(assay)("rule", "learn")
    values = "SELECT i.id, v.value FROM verdicts v JOIN items i ON i.key = v.item JOIN rules r ON r.key = v.rule AND r.is_in_force"
    before = dict(assay.sql(values))
    late = {"item_id": "i0", "judge": "noise", "value": 0.999, "signature": f"noise|{SIGNATURE}"}
    assay("scores", "import", assay.write("late.jsonl", [late]))
    after = dict(assay.sql(values))

    assert len(before) == ITEMS
    assert {item for item in before if before[item] != after[item]} == {"i0"}
    assert assay.json("report")["judged"] == ITEMS


def test_a_fresh_wave_confirms_what_helps(assay: Assay) -> None:
    """Only labels of waves drawn since decide; the documents say so in every language."""
    ready_to_learn(assay)("rule", "learn")
    waiting = assay.json("report")["confirmation"]
    wave(assay, 250, seed=2)
    confirmed = assay.json("report")["confirmation"]

    assert waiting["minus_before"]["kappa"]["estimate"] is None
    assert confirmed["minus_before"]["better"]
    assert 0 < confirmed["minus_before"]["kappa"]["n"] <= 250
    with closing(Store(assay.db)) as store:
        report = build(store)
    assert report.confirmation
    assert report.better_judge is None
    told = Document(message("learned_rule.set"), Status.MET, (Section(None, tuple(confirmed_in(report.confirmation))),))
    assert "Labels drawn since it was set confirm" in " ".join(check(told).split())


def test_the_first_block_says_that_a_judge_of_the_rule_is_better(assay: Assay) -> None:
    """The command draws a fresh wave; once that alone shows it too, the command puts the judge in force."""
    ready_to_learn(assay)
    first, as_json = assay("report").stdout.partition("What is measured")[0], assay.json("report")["better_judge"]
    wave(assay, 250, seed=2)
    again = assay.json("report")["better_judge"]
    with closing(Store(assay.db)) as store:
        better = build(store).better_judge

    assert better
    check(Document(message("learned_rule.set"), Status.MET, (Section(None, (better_judge(better),)),)))
    assert as_json["expression"] == "knows > 0.5"
    assert (as_json["claim"], as_json["wave"]) == ("shown", None)
    assert "worse than one of its own judges" in first
    assert "assay sample --labels" in " ".join(first.split())
    assert (again["claim"], again["wave"]) == ("confirmed", 2)
    assert "assay rule set 'knows > 0.5' --name knows" in again["sentence"]
    assert again["kappa"]["estimate"] == pytest.approx(0.4, abs=0.25)


def test_labels_and_not_draws_are_counted_as_having_taught(assay: Assay) -> None:
    """Of 200 draws those of i0 to i99 are unsure: a draw that teaches and says neither right nor wrong taught nothing."""
    assay("labels", "import", assay.write("more.jsonl", unsure(ready_to_learn(assay))))
    learned = assay.json("rule", "learn")
    decided = {
        draw
        for (draw,) in assay.sql("SELECT draw FROM labels WHERE judgement IN ('right', 'wrong') AND draw IS NOT NULL")
    }
    taught = teaching_draws(assay) & decided

    assert learned["saved"]
    assert taught < teaching_draws(assay)
    assert learned["taught"] == len(taught)
    assert assay.json("report")["confirmation"]["taught"] == len(taught)
    assert f"{len(taught)} labels taught this rule" in assay.words("report", "--full")


def unsure(assay: Assay) -> list[dict[str, object]]:
    """Every twentieth draw is called unsure after all."""
    names = assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY d.key")
    return [label(name, "unsure") for (name,) in names[::20]]


def test_what_would_take_too_many_labels_is_said_and_no_wave_of_another_size_named(assay: Assay) -> None:
    """More than 1,000 fresh labels are no 200."""
    ready_to_learn(assay)
    with closing(Store(assay.db)) as store:
        better = build(store).better_judge
    assert better
    words = text(better_judge(replace(better, draws=None)))

    assert "would take more than 1,000" in words
    assert "assay sample" not in words
    assert f"assay sample --labels {better.draws}" in text(better_judge(better))


def test_nothing_is_put_in_force_where_nothing_helps(assay: Assay) -> None:
    """The rule is the only judge that knows: what is learned is no better, and nothing is logged or changed."""
    wave(scored(assay, rule="knows > 0.45"), 200)
    learned = assay.json("rule", "learn")

    assert (learned["better"], learned["saved"]) == (False, False)
    assert assay.json("report")["rule"]["expression"] == "knows > 0.45"
    assert assay.json("report")["better_judge"] is None
    assert not assay.sql("SELECT 1 FROM choosers")
    assert [event["what"] for event in assay.json("events")["events"]].count("rule learned") == 0


def test_the_same_from_python_in_every_language(assay: Assay) -> None:
    """The document of each outcome holds in every medium; the JSON is what the schema allows."""
    project = Project.open(ready_to_learn(assay).db)
    for dry_run in (True, False, True):
        answer = project.rules.learn(dry_run=dry_run)
        check(present_learned.document(answer.result))
        check_model(answer.model)
    again = project.rules.learn(dry_run=True).result

    assert not again.is_better
    assert again.current_rule.name == "learned"
