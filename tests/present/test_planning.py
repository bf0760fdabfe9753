"""What is said of plans, simulations and waves: the same numbers in every language and medium, and in the JSON."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from annotate.analysis.next_step.commands import FILES
from annotate.analysis.next_step.labelling import after_wave
from annotate.analysis.next_step.planning import after_plan, after_simulation
from annotate.analysis.planning.obstacle import PlanObstacle
from annotate.analysis.planning.plan import LabellingPlan, UnjudgedDraws
from annotate.analysis.planning.simulate import PlainSample, Simulated, SimulatedQuantity, SimulatedTraffic, Simulation
from annotate.analysis.planning.synthetic_waves import window
from annotate.analysis.planning.time_budget import LabelTime, TimeBudget
from annotate.domain.annotator_activity import Pace
from annotate.domain.sampling.outcomes import Proposed, WaveDrawn
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.present import planning, simulation, waves
from annotate.present.messages import text
from annotate.present.schemas import planning as plan_schema
from annotate.present.schemas import simulation as simulation_schema
from annotate.present.schemas import waves as wave_schema
from proxy.evaluation.effective_labels import EffectiveLabels
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.evidence_ledger import Doubt, DrawCounts, Objection
from proxy.planning.allocation import StratumPlan
from proxy.planning.labels_needed import PlanStatus
from support.documents import check, check_model

HOSTILE = "b\x1b[31m<i>|_*駅`x`"
STRATA = (
    StratumPlan(stratum="failed", size=27, drawn=5),
    StratumPlan(stratum="passed_2", size=53, drawn=7, is_fixed=False),
)
PLAN = LabellingPlan(
    quantity="accuracy",
    wanted=0.2,
    audit=0.5,
    status=PlanStatus.MORE,
    present=Estimate(estimate=0.73, low=0.59, high=0.83, n=37, method="stratified"),
    labels=37,
    open=0,
    further=12,
    width=0.196,
    plain=61,
    further_error=1.2,
    strata=STRATA,
    effective_labels=EffectiveLabels(n=37, estimate=35.2, low=24.1, high=47.8),
    pace=Pace(20.0, 40, 30.0),
    items=1_200,
    uncovered=11,
    unlabelled=9,
    missing=UnjudgedDraws(DrawCounts(drawn=40, answered=37, unsure=3), 0.065),
)
DOUBTS = [Objection(doubt, f"{doubt.value} of {HOSTILE}", "label them") for doubt in Doubt]
UNKNOWN = Estimate(
    estimate=None, low=None, high=None, n=0, method="stratified", reason="not measurable: label more drawn items"
)


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        replace(PLAN, open=40, width=0.2),
        replace(PLAN, status=PlanStatus.ALL, further=68, width=0.0, missing=None),
        replace(PLAN, status=PlanStatus.ALL, further=68, width=0.23, is_short=True),
        replace(
            PLAN, status=PlanStatus.ALL, further=68, open=3, width=0.23, plain=80, is_short=True, is_plain_short=True
        ),
        replace(
            PLAN,
            status=PlanStatus.OPEN,
            open=1,
            further=0,
            quantity="kappa",
            missing=UnjudgedDraws(DrawCounts(drawn=9), None),
        ),
        replace(PLAN, status=PlanStatus.MET, further=0, strata=()),
        replace(
            PLAN,
            status=PlanStatus.MET,
            further=0,
            present=Estimate(estimate=0.7, low=0.7, high=0.7, n=60, method="census"),
        ),
        replace(
            PLAN, status=PlanStatus.NEVER, width=None, obstacle=PlanObstacle("no answer has a verdict", "assay judge")
        ),
        replace(PLAN, status=PlanStatus.NEVER, width=None, present=UNKNOWN, pace=Pace(None, 0), obstacle=None),
        *(replace(PLAN, status=PlanStatus.DOUBT, further=0, width=None, objection=objection) for objection in DOUBTS),
        *(
            replace(PLAN, status=PlanStatus.DOUBT, open=33, further=0, width=None, objection=objection)
            for objection in DOUBTS
        ),
    ],
)
def test_a_plan_is_told_alike_in_every_language_and_medium(plan: LabellingPlan) -> None:
    """In every state: short enough, nothing hostile reaches the terminal, and the JSON holds to its schema."""
    document = planning.document(plan, after_plan(plan, FILES))
    full = check(document)

    assert "\x1b" not in full
    assert document.next
    check_model(plan_schema.of(plan, document))


def test_a_plan_says_how_many_labels_why_and_how_long() -> None:
    """19.6 points are 20; 6.5 more over all cases make 26; 12 labels of 30 seconds are 6 minutes."""
    full = " ".join(check(planning.document(PLAN, after_plan(PLAN, FILES))).split())

    assert full.startswith(
        "Draw 12 answers for labelling; the 95 % interval is at most 20 points wide in 80 % of simulations"
    )
    assert "Median width in the simulations: 20 points." in full
    assert "That makes 49 labels in all. A plain random sample would take 61 for the same: 12 more." in full
    assert "a standard error of 2 labels for the plan and 0 for the plain sample" in full
    assert "3 of 40 drawn answers have no right or wrong (3 unsure or disagreed on)." in full
    assert "with them expect about 26 points." in full
    assert "73 % (59 to 83 %, n = 37), 24 points wide." in full
    assert "without 11 answers that no wave that counts could draw" in full
    assert "Your 37 labels tell as much as 35 labels of a plain random sample (95 %: 24 to 48)." in full
    assert "about 6 min (12 labels at 30 s, the mean of 40)" in full
    assert "assay sample --labels 12 --audit 0.5" in full
    assert "0.1852" in full  # 5 of 27


def test_a_plan_for_minutes_begins_with_the_labels_that_fit() -> None:
    """120 of 15 seconds fit into half an hour: it is said first, and nothing says that the time is not known."""
    label_time = LabelTime(15.0, 14.0, 12.0, 18.0, 200, is_assumed=True)
    budget = TimeBudget(minutes=30, label_time=label_time, labels=120, further=115, width=0.14)
    plan = replace(PLAN, pace=Pace(None, 0), budget=budget)
    full = " ".join(check(planning.document(plan)).split())

    assert full.startswith(
        "In 30 min, about 120 labels fit at 15 s each on average (assumed: reading only); then the 95 % interval is 14 points wide."
    )
    assert "assumed from the length of the texts, for reading only: deciding and writing come on top." in full
    assert "Of these labels, 115 are still to be drawn." in full
    assert "Draw 12 answers for labelling; " in full
    assert "Expert time: not known" not in full
    lone = replace(plan, budget=replace(budget, labels=1, further=0, width=None))
    assert check(planning.document(lone)).startswith("In 30 min, about 1 label fits at 15 s (")


@pytest.mark.parametrize(
    ("plain", "saved", "words"),
    [(61, 12, "12 more"), (50, 0, "no saving is shown"), (51, 0, "no saving is shown"), (40, -9, "which is 9 fewer")],
)
def test_a_saving_is_said_where_it_is_beyond_the_error_of_simulations(plain: int, saved: int, words: str) -> None:
    """49 labels in all, give or take 1.2: two errors are 2.4 labels."""
    plan = replace(PLAN, plain=plain)

    assert plan.saved == saved
    assert words in " ".join(check(planning.document(plan)).split())


def test_where_all_that_is_left_falls_short_no_sentence_says_that_it_does() -> None:
    """68 to draw and 3 open are 71 left; .23 of an interval is 23 points, and 20 were wanted."""
    short = replace(PLAN, status=PlanStatus.ALL, further=68, open=3, width=0.23, plain=80, is_short=True)
    full = " ".join(check(planning.document(short)).split())
    neither = " ".join(check(planning.document(replace(short, is_plain_short=True))).split())

    assert full.startswith(
        "All 71 answers left do not reach 20 points: the 95 % interval would be about 23 points wide"
    )
    assert "plain random sample would take" not in full
    assert "A plain random sample does not reach it either, even of all 80 answers." in neither
    plain = " ".join(check(planning.document(replace(PLAN, plain=80, is_plain_short=True))).split())
    assert "A plain random sample does not reach it, even of all 80 answers." in plain


def test_what_is_open_is_labelled_before_more_is_drawn() -> None:
    """And where all is drawn and labelled, new traffic is asked for."""
    drawn = PlanObstacle("every answer has been drawn", "assay push")
    never = replace(PLAN, status=PlanStatus.NEVER, obstacle=drawn)

    assert after_plan(replace(PLAN, open=40), FILES)[0].commands == FILES.commands
    assert after_plan(replace(never, open=2), FILES)[0].commands == FILES.commands
    assert after_plan(never, FILES)[0].commands[0] == "assay ingest FILE"


@pytest.mark.parametrize("labels", [0, 20])
@pytest.mark.parametrize("items", [4, 50_000])
def test_simulations_are_told_alike_in_every_language_and_medium(labels: int, items: int) -> None:
    """76 of 80 simulations held what was assumed: 95 %, with a standard error of sqrt(.95 x .05 / 80) = 2.4 points."""
    traffic = window(["pass"] * 4, [0.9] * 4, [1.0] * 4)
    quantities = [
        SimulatedQuantity("correctness", 100, 80, 76, 0.8, 0.281, 0.294, 0.012, PlainSample(0.337, 0.352, 0.2, 0.01)),
        SimulatedQuantity("kappa", 100, 0, 0, None, None, None, 0.0, PlainSample(None, None, None, 0.0)),
    ]
    stage = SimulatedTraffic(traffic, traffic.right, items, ("assumed",), labels)
    simulated = Simulated(request=Simulation(labels=3, audit=0.5), quantities=quantities, stage=stage)
    document = simulation.document(simulated, after_simulation(simulated, FILES))
    full = " ".join(check(document).split())

    assert full.startswith("3 labels would give an interval at most 29 points wide in 80 % of 100 simulations")
    assert "A plain random sample of 3 gives at most 35 points as often, and is 20 % wider on average." in full
    assert "The interval held the assumed value in 95 % of 80 simulations (standard error in points: 2)." in full
    assert "So few simulations leave the width uncertain by 1 points (standard error)." in full
    assert full.index("Basis: assumed.") < full.index("A plain random sample")
    assert "truth" not in full
    assert ("50,000" in full) is (items == 50_000)
    assert ("the 20 that are there already are left out" in full) is (labels == 20)
    model = simulation_schema.of(simulated, document)
    check_model(model)
    assert model.quantities["correctness"].coverage_error == pytest.approx((0.95 * 0.05 / 80) ** 0.5)
    check(simulation.document(replace(simulated, quantities=quantities[1:])))


@pytest.mark.parametrize("part", [None, HOSTILE])
@pytest.mark.parametrize("is_proposal", [True, False])
def test_a_wave_is_told_alike_in_every_language_and_medium(part: str | None, is_proposal: bool) -> None:
    """12 of 80, 5 of them failed; what was drawn asks to be labelled, what is proposed to be drawn as it is."""
    drawn = WaveDrawn(2, STRATA, 12, "token", Estimate(estimate=12.0, low=8, high=16, n=12))
    wave = Proposed(
        ProposalRequest(labels=12, seed=1234, part=part), drawn, (f"a note of {HOSTILE}",), is_proposal=is_proposal
    )
    document = waves.document(wave, after_wave(wave, FILES))
    full = check(document)

    assert "\x1b" not in full
    assert "12 of 80 answers" in text(document.answer)
    assert "(5 failed by the proxy; seed 1234)" in text(document.answer)
    assert ("Nothing was drawn." in text(document.answer)) is is_proposal
    exact = "assay sample --labels 12" + (f" --slice {shlex.quote(part)}" if part else "") + " --seed 1234"
    assert document.next[0].commands == ((exact,) if is_proposal else FILES.commands)
    model = wave_schema.MODEL.read(wave, document)
    check_model(model)
    assert [part.inclusion_probability for part in model.strata] == [5 / 27, None]


def test_a_width_that_only_missing_draws_widen_is_reached_and_open_draws_come_first() -> None:
    """24 points where 30 are asked: said so, with the 33 that wait; without any the annotators' doubts come next."""
    missing = next(objection for objection in DOUBTS if objection.doubt is Doubt.MISSING)
    plan = replace(PLAN, status=PlanStatus.DOUBT, wanted=0.3, open=33, further=0, width=None, objection=missing)
    answer = text(planning.document(plan).answer)

    assert answer.startswith("Reached among the labelled answers: 24 points wide")
    assert answer.endswith("label the 33 open draws.")
    assert after_plan(plan, FILES)[0].commands == FILES.commands
    assert text(planning.document(replace(plan, open=0)).answer).startswith("More labels alone will not do")
    assert after_plan(replace(plan, open=0), FILES)[0].commands == ("assay labels disagreements",)
