"""A judge that is better than the rule in force: the first block and the next step say the same at every stage of the loop.

The rule reads a judge that knows and one that is noise, so the first alone is better by far; the labels of 200 draws show it.
Where labels of the second wave are turned round, that wave alone says the opposite.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.loop import StepState, next_step
from annotate.analysis.next_step.planning import after_plan
from annotate.analysis.planning import plan
from annotate.analysis.report.better_judge import BetterJudgeClaim
from annotate.analysis.report.report import ProjectReport, build
from annotate.present.messages import LANGUAGES, text
from annotate.present.report.better_judge import better_judge
from annotate.store import Store
from support.documents import numbers
from support.learned_rule import is_right, ready_to_learn, wave
from support.scored import open_ids
from support.store import Assay, label

JUDGE = "knows > 0.5"
USE = "assay rule set 'knows > 0.5' --name knows"


def report_of(assay: Assay) -> ProjectReport:
    with closing(Store(assay.db)) as store:
        return build(store)


def check(report: ProjectReport) -> dict[str, Any]:
    """Every language says the same numbers; give the words and the commands of the first block and of the next step."""
    assert report.better_judge is not None
    sentence = better_judge(report.better_judge)
    english = numbers(text(sentence))
    assert all(numbers(text(sentence, language)) >= english for language in LANGUAGES)
    step = next_step(StepState(report=report, way=FILES))[0]
    return {"words": text(sentence), "claim": report.better_judge.claim, "next": step.commands, "key": step.message.key}


def label_wave(assay: Assay, *, turned: bool = False, most: int | None = None) -> None:
    """Label what is open as it is, or the other way round; the first `most` of it."""
    rows = [
        label(name, "right" if is_right(int(name[1:])) is not turned else "wrong") for name in open_ids(assay)[:most]
    ]
    assay("labels", "import", assay.write("more.jsonl", rows))


@pytest.mark.slow
def test_the_block_and_the_next_step_agree_until_the_judge_is_in_force(assay: Assay) -> None:
    """Shown; out; labelled in part; confirmed; put in force by the command that is named."""
    ready_to_learn(assay)
    report = report_of(assay)
    shown = check(report)
    better = report.better_judge
    assert better is not None
    draw = f"assay sample --labels {better.draws}"

    assert (shown["claim"], shown["next"]) == (BetterJudgeClaim.SHOWN, (draw, FILES.send))
    assert f"`{draw}`" in shown["words"]

    assay("sample", "--labels", "200", "--seed", "5")
    out = check(report_of(assay))
    assert (out["claim"], out["next"]) == (BetterJudgeClaim.OUT, FILES.commands)
    assert "Wave 2 is out to confirm it; draws that wait for a label: 200." in out["words"]
    assert "assay sample" not in out["words"]

    label_wave(assay, most=150)
    part = check(report_of(assay))
    assert (part["claim"], part["next"]) == (BetterJudgeClaim.OUT, FILES.commands)
    assert "draws that wait for a label: 50." in part["words"]

    label_wave(assay)
    confirmed = check(report_of(assay))
    assert (confirmed["claim"], confirmed["next"]) == (BetterJudgeClaim.CONFIRMED, (USE,))
    assert "Wave 2 alone shows it again" in confirmed["words"]
    assert f"`{USE}`" in confirmed["words"]
    assert assay.json("next")["next"][0]["commands"] == [USE]

    assay("rule", "set", JUDGE, "--name", "knows")
    assert report_of(assay).better_judge is None


@pytest.mark.slow
def test_a_wave_that_does_not_confirm_it_is_told_and_the_loop_goes_on(assay: Assay) -> None:
    """The opposite in the fresh wave: its own difference with its interval, and the usual next step."""
    ready_to_learn(assay)
    assay("sample", "--labels", "200", "--seed", "5")
    label_wave(assay, turned=True)
    report = report_of(assay)
    told = check(report)

    assert told["claim"] is BetterJudgeClaim.UNCONFIRMED
    assert report.better_judge is not None
    fresh = report.better_judge.fresh
    assert fresh is not None
    assert fresh.estimate.high is not None
    assert fresh.estimate.high < 0
    assert told["words"].startswith(f"Labels before wave 2 showed {JUDGE} better than the rule in force; wave 2 alone")
    assert told["key"] not in {"steps.confirm_judge", "steps.use_judge"}


@pytest.mark.slow
def test_plan_and_rule_learn_name_the_same_next_step(assay: Assay) -> None:
    """A plan that needs fewer draws than the confirmation names those of the confirmation, one that needs more its own."""
    ready_to_learn(assay)
    report = report_of(assay)
    better = report.better_judge
    assert better is not None
    with closing(Store(assay.db)) as store:
        for width in (0.2, 0.03):
            made = plan.build(store, plan.PlanRequest("correctness", width))
            assert better.draws is not None
            count = max(better.draws, made.further)
            assert after_plan(made, FILES, report)[0].commands == (f"assay sample --labels {count}", FILES.send)
    assay("rule", "set", "min(knows, noise) > 0.5000001", "--name", "mine")
    wave(assay, 60, seed=9)
    usual = assay.json("next")["next"][0]["commands"]
    learnt = assay.json("rule", "learn", "--dry-run")
    assert learnt["next"][0]["commands"] == (["assay rule learn"] if learnt["better"] else usual)


@pytest.mark.slow
def test_without_a_verdict_judging_comes_first(assay: Assay) -> None:
    """Whatever is asked for on an unjudged store, its last lines name `assay judge`, and a plan names one number of draws."""
    from support.store import traffic_row

    rows = [traffic_row(f"i{n}", question=f"Where is room {n}?") for n in range(60)]
    assay("ingest", assay.write("traffic.jsonl", rows))

    for command in (
        ("plan",),
        ("sample", "--labels", "30", "--dry-run"),
        ("rule", "learn"),
        ("sample", "--labels", "30"),
    ):
        assert assay.json(*command)["next"][0]["commands"] == ["assay judge"], command
    assert "--labels 200" not in assay("plan", "--full").stdout
    assay("judge")
    assert assay.json("plan")["next"][0]["commands"] == list(FILES.commands)
    proposed = assay.json("sample", "--labels", "20", "--dry-run", "--seed", "3")
    assert proposed["next"][0]["commands"] == ["assay sample --labels 20 --seed 3"]
