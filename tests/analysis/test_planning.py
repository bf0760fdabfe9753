"""Plans ask for as few labels as will do: against closed forms, against simulations, and as the command tells them."""

from __future__ import annotations

import math
from contextlib import closing

import numpy as np
import pytest

from annotate.analysis.planning import plan
from annotate.analysis.planning.synthetic_waves import SyntheticTraffic, simulate_waves, window
from annotate.domain.annotation import Annotation
from annotate.domain.annotator_activity import Pace
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.domain.working_time import FEWEST_TIMED
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from proxy.errors import UsageError
from proxy.evaluation.agreement import measure
from proxy.evaluation.effective_labels import effective_labels, effective_labels_of, width_of
from proxy.evaluation.predictor import PredictorScores
from proxy.planning import allocation, expected_width, strata
from proxy.planning.coded import Coded
from proxy.planning.expected_width import Outlook
from proxy.planning.labels_needed import Fewest, Wanted, fewest
from proxy.planning.priors import Tabled, from_labels
from proxy.planning.simulation import PastWaves, WaveSimulation
from proxy.planning.strata import SamplingFrame
from proxy.records import Judgement
from proxy.stats.intervals import quantile, wilson
from support.store import NOW, Assay, add, current, draw, item, label, traffic_row

# A deff below 1 is pulled up by one pseudo-error: that much wider are the product's intervals than the plain formula's.
PULL = 0.01


def outlook(traffic: SyntheticTraffic, right: np.ndarray, drawn: np.ndarray | None = None, framed: int = 0) -> Outlook:
    """Traffic before anyone reads the rest of it: the first `framed` items had a wave of equal chances, `drawn` its draws."""
    count = len(right)
    is_drawn = np.zeros(count, dtype=np.bool_) if drawn is None else drawn
    chance = np.where(np.arange(count) < framed, is_drawn.sum() / max(framed, 1), 0.0)
    frame = SamplingFrame(
        keys=np.arange(count),
        kinds=traffic.kinds,
        values=traffic.values,
        right=np.full(count, np.nan),
        is_eligible=~is_drawn,
    )
    return Outlook(
        frame=frame,
        verdicts=Coded.of(traffic.verdicts),
        right=Tabled.of_each(right),
        chance=chance,
        missed=1 - chance[is_drawn],
    )


def fewest_of(ahead: Outlook, quantity: str, width: float) -> Fewest:
    """The fewest labels by expected widths, a quarter of them for failed items."""
    rows = np.arange(len(ahead.chance))
    nothing = PastWaves((), rows[:0], ())
    scores = PredictorScores(np.zeros((len(rows), 0)), np.zeros(len(rows), dtype=np.intp))
    stage = WaveSimulation(outlook=ahead, past=nothing, pool=rows, scores=scores, quantity=quantity)
    needed = fewest(stage, Wanted(quantity=quantity, width=width, assurance=0.8, audit=0.25))
    assert needed is not None
    return needed


def blank(count: int) -> SyntheticTraffic:
    """Items that no judge could score: one stratum, so that a wave is a simple random sample."""
    return window(np.full(count, "unscored"), np.full(count, np.nan), np.zeros(count))


def scored(count: int, seed: int = 0) -> SyntheticTraffic:
    """Three of four answers right, with a score that half tells."""
    rng = np.random.default_rng(seed)
    right = (rng.random(count) < 0.75).astype(float)
    values = np.clip(rng.normal(np.where(right > 0, 0.65, 0.45), 0.15), 0, 1)
    return window(np.where(values > 0.5, "pass", "fail"), values, right)


@pytest.mark.parametrize(("count", "wanted"), [(20_000, 0.1), (20_000, 0.2), (1_000, 0.1), (500, 0.2)])
def test_a_single_stratum_needs_what_the_textbook_says(count: int, wanted: float) -> None:
    """n0 = z^2 p (1 - p) / w^2 at p = 1/2 and half width w, n = n0 / (1 + (n0 - 1) / N); Wilson takes z^2 less, t a few more."""
    n0 = quantile() ** 2 * 0.25 / (wanted / 2) ** 2
    textbook = n0 / (1 + (n0 - 1) / count)

    needed = fewest_of(outlook(blank(count), np.full(count, 0.5)), "correctness", wanted)

    assert abs(needed.labels - textbook) <= 5
    assert needed.width <= wanted
    n = needed.labels / (1 - needed.labels / count)
    low, high = wilson(0.5, n, df=needed.labels - 1)
    assert needed.width == pytest.approx(high - low, rel=PULL)


@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["correctness", "specificity"])
def test_a_narrower_interval_never_takes_fewer_labels(quantity: str) -> None:
    """Each wanted width is met, one label less would not meet it, and a smaller one asks for at least as many."""
    ahead = outlook(scored(2_000), np.where(scored(2_000).verdicts == "pass", 0.9, 0.4))
    before = 0
    for wanted in (0.5, 0.3, 0.2, 0.12, 0.08):
        needed = fewest_of(ahead, quantity, wanted)
        groups = expected_width.group(ahead, strata.stratify(ahead.frame, needed.labels - 1))
        fewer = allocation.plan(groups.sizes, {}, needed.labels - 1, 0.25)
        wider = expected_width.width(groups, {part.stratum: part.drawn for part in fewer}, quantity)

        assert before <= needed.labels == sum(part.drawn for part in needed.strata)
        assert needed.width <= wanted
        assert wider > wanted
        before = needed.labels


def test_a_width_that_nothing_but_a_census_gives() -> None:
    """All that is left is drawn, and the width is 0."""
    needed = fewest_of(outlook(scored(300), np.full(300, 0.5)), "correctness", 1e-6)

    assert (needed.labels, needed.width) == (300, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [60, 200])
def test_expected_widths_are_those_that_waves_give(labels: int) -> None:
    """The mean width over 40 simulated waves lies within 8 % of the expected one, for every quantity."""
    traffic, rng = scored(1_500), np.random.default_rng(4)
    known = SamplingFrame(
        keys=np.arange(1_500),
        kinds=traffic.kinds,
        values=traffic.values,
        right=traffic.right,
        is_eligible=np.ones(1_500, dtype=np.bool_),
    )
    ahead = outlook(traffic, from_labels(known, Coded.of(traffic.verdicts)).right.every)
    groups = expected_width.group(ahead, strata.stratify(ahead.frame, labels))
    plans = allocation.plan(groups.sizes, {}, labels, 0.25)
    drawn = {part.stratum: part.drawn for part in plans}
    reports = [measure(simulate_waves(traffic, [ProposalRequest(labels=labels, seed=0)], rng), 1024) for _ in range(40)]

    for quantity in expected_width.QUANTITIES:
        widths = [width_of(getattr(report, quantity)) for report in reports]
        assert expected_width.width(groups, drawn, quantity) == pytest.approx(np.mean(widths), rel=0.08), quantity


def test_labels_do_not_speak_for_what_came_after_them() -> None:
    """200 labels of the first 1,000 items leave 1,000 new ones out of reach; with the old alone they give Wilson's width."""
    drawn = np.arange(2_000) % 5 == 0
    old = outlook(blank(1_000), np.full(1_000, 0.5), drawn[:1_000], framed=1_000)
    both = outlook(blank(2_000), np.full(2_000, 0.5), drawn & (np.arange(2_000) < 1_000), framed=1_000)
    widths = [
        expected_width.width(expected_width.group(ahead, ahead.frame.kinds), {}, "correctness") for ahead in (old, both)
    ]
    low, high = wilson(0.5, 200 / (1 - 200 / 1_000), df=199)

    assert widths == [pytest.approx(high - low, rel=PULL), None]


def test_labels_of_two_waves_add_up() -> None:
    """100 labels of 1,000 items and 100 more of the 900 left are worth 200: waves are weighted by their chances."""
    drawn = np.arange(1_000) % 10 == 0
    ahead = outlook(blank(1_000), np.full(1_000, 0.5), drawn, framed=1_000)
    width = expected_width.width(expected_width.group(ahead, ahead.frame.kinds), {"unscored": 100}, "correctness")
    low, high = wilson(0.5, 200 / (1 - 200 / 1_000), df=199)

    assert width == pytest.approx(high - low, rel=0.03)


def test_effective_labels_by_hand() -> None:
    """At p = 1/2 Wilson's width is z / sqrt(n + z^2).

    100 of 200 labelled is n = 100 / (1 - 1/2) = 200. A width half as long is worth 4 x 200 = 800 = m / (1 - m / 200): m = 160.
    """
    z = quantile()
    plain = z / math.sqrt(200 + z**2)

    assert effective_labels(0.5, 100, 200, plain) == pytest.approx(100)
    assert effective_labels(0.5, 100, 200, plain / 2) == pytest.approx(160)
    assert effective_labels(0.5, 100, 200, plain * 2) < 100


def test_a_telling_score_makes_labels_worth_more_and_few_errors_prove_nothing() -> None:
    """200 labels under a good score are worth more than 200; with two wrong answers among them nothing is claimed."""
    rng = np.random.default_rng(1)
    worth = effective_labels_of(simulate_waves(scored(5_000), [ProposalRequest(labels=200, seed=0)], rng))
    few = window(np.full(500, "pass"), rng.random(500), (np.arange(500) > 0).astype(float))
    unproven = effective_labels_of(simulate_waves(few, [ProposalRequest(labels=100, seed=0)], rng))

    assert worth.n == 200
    assert worth.estimate is not None
    assert worth.estimate > 220
    assert (unproven.estimate, unproven.reason) == (None, "it takes 5 wrong answers among the labels")


def test_the_median_time_leaves_out_what_was_skipped_deleted_or_not_timed(store: Store) -> None:
    """Newest revisions that say something: 10, 20 and 90 seconds, median 20, mean 40."""
    add(store, item("a"))
    key = store.traffic.items.keys([current(store).id])["a"]
    times = {"1": 10.0, "2": 500.0, "3": 90.0, "4": 1.0, "5": 2.0, "6": None}

    def keep(name: str, seconds: float | None, judgement: Judgement | None, *, deleted: bool = False) -> None:
        annotation = Annotation(
            source="s", id=name, item_id="a", annotator=name, judgement=judgement, seconds=seconds, deleted=deleted
        )
        with store.atomic():
            store.labels.keep([PlacedAnnotation(annotation, key, None)], now=NOW)

    assert Pace.of(store.labels.seconds()) == (None, 0, None)
    for name, seconds in times.items():
        keep(name, seconds, None if name == "4" else Judgement.RIGHT, deleted=name == "5")
    keep("2", 20.0, Judgement.WRONG)
    assert Pace.of(store.labels.seconds()) == (20.0, 3, 40.0)


@pytest.fixture
def judged(assay: Assay) -> Assay:
    """60 judged answers, a third of them made up."""
    rows = [traffic_row(f"q{n}") | ({"answer": "Bring an umbrella."} if n % 3 == 0 else {}) for n in range(60)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("judge")
    return assay


@pytest.mark.slow
def test_the_command_begins_with_the_answer_and_ends_with_the_next_command(judged: Assay) -> None:
    """A number of labels that `assay sample` then divides in the very same way."""
    words = judged("plan", "--width", "0.3", "--full").stdout
    stratum_plan = judged.json("plan", "--width", "0.3", "--minutes", "1")
    sampled = judged.json("sample", "--labels", str(stratum_plan["further_labels"]), "--dry-run")

    assert words.startswith(f"Draw {stratum_plan['further_labels']} answers for labelling; ")
    assert stratum_plan["next"][0]["commands"][0] == f"assay sample --labels {stratum_plan['further_labels']}"
    assert all(f"    {command}\n" in words for command in stratum_plan["next"][0]["commands"])
    assert stratum_plan["strata"] == sampled["strata"]
    assert stratum_plan["expected_width"] <= 0.3
    assert stratum_plan["assumed_half_right"] == {"items": 60, "of": 60}
    assert stratum_plan["expert_time"]["minutes"] is None
    assert "`assay pull` brings times" in " ".join(words.split())
    assert stratum_plan["assurance"] == 0.8
    budget = stratum_plan["budget"]
    assert (budget["assumed"], budget["n"]) == (True, 60)
    assert budget["labels"] == budget["further"] == min(60, int(60 / budget["mean_seconds"]))
    assert judged.json("plan")["budget"] is None
    assert "Assumed, as too few annotations were timed" in " ".join(
        judged("plan", "--minutes", "1", "--full").stdout.split()
    )
    assert stratum_plan["labels_in_all"] == stratum_plan["further_labels"]
    assert abs(stratum_plan["plain_random_sample"]["labels"] - stratum_plan["further_labels"]) <= 2, (
        "nothing predicts yet"
    )


def test_an_assurance_is_a_share_between_0_and_1(judged: Assay) -> None:
    """1 asks for what no number of labels but all gives, 0 for nothing."""
    assert "assurance" in judged("plan", "--assurance", "1", status=2).stderr
    with pytest.raises(UsageError, match="a share between 0 and 1"), closing(Store(judged.db)) as store:
        plan.build(store, plan.PlanRequest(assurance=0.0))


@pytest.mark.slow
def test_from_open_draws_to_everything_labelled(judged: Assay) -> None:
    """Open draws count as labels on their way; minutes are their mean; a census needs nothing more."""
    names = draw(judged, 60)
    waiting = judged.json("plan")
    rows = [label(name, "wrong" if n % 4 == 0 else "right", seconds=30) for n, name in enumerate(names)]
    judged("labels", "import", judged.write("labels.jsonl", rows[:50]))
    partly = judged.json("plan", "--width", "0.01", "--minutes", "4")
    fits = judged.json("plan", "--minutes", "5")["budget"]
    judged("labels", "import", judged.write("labels.jsonl", rows))
    done = judged.json("plan")

    assert (waiting["needed"], waiting["open_draws"], waiting["further_labels"]) == ("label the open draws", 60, 0)
    assert waiting["next"][0]["commands"] == ["assay draws export FILE --blind", "assay labels import FILE"]
    assert (partly["open_draws"], partly["expert_time"]["minutes"]) == (10, 5.0)
    assert (partly["budget"]["labels"], partly["budget"]["width"]) == (8, None), "fewer than wait"
    assert (fits["labels"], fits["further"], fits["n"], fits["assumed"]) == (10, 0, 50, False)
    assert (fits["low_seconds"], fits["mean_seconds"], fits["high_seconds"]) == (30, 30, 30)
    assert fits["width"] == 0, "all sixty are labelled then"
    assert (done["needed"], done["present"]["width"], done["next"][0]["commands"]) == ("met", 0.0, ["assay report"])
    worth = done["effective_labels"]
    assert (worth["n"], worth["estimate"], worth["reason"]) == (60, None, "every answer is labelled")


@pytest.mark.slow
def test_items_that_came_since_ask_for_labels_of_their_own(judged: Assay) -> None:
    """A census of what was there says nothing of thirty new answers, and the plan says so."""
    rows = [label(name, "wrong" if n % 4 == 0 else "right") for n, name in enumerate(draw(judged, 60))]
    judged("labels", "import", judged.write("labels.jsonl", rows))
    judged("ingest", judged.write("more.jsonl", [traffic_row(f"new{n}") for n in range(30)]))
    judged("judge")
    stratum_plan = judged.json("plan")

    assert (stratum_plan["needed"], stratum_plan["present"]["items_left_out"]) == ("draw more", 30)
    assert 0 < stratum_plan["further_labels"] <= 30
    assert "without 30 answers that no wave that counts could draw" in " ".join(judged("plan").stdout.split())


@pytest.mark.slow
def test_without_an_audit_specificity_has_no_plan(judged: Assay) -> None:
    """The answer says what stands in the way; what passed answers tell can still be planned."""
    none = judged.json("plan", "--quantity", "specificity", "--audit", "0")
    some = judged.json("plan", "--quantity", "pass_precision", "--audit", "0", "--width", "0.3")

    assert (none["needed"], none["expected_width"]) == ("not measurable", None)
    assert none["next"][0]["commands"] == ["assay plan"]
    assert "larger audit" in none["reason"]
    assert some["further_labels"] > 0
    assert some["next"][0]["commands"][0].endswith("--audit 0")


def test_the_quantities_of_the_command_are_those_that_can_be_planned() -> None:
    """They are written twice, so that --help loads nothing heavy."""
    from annotate.cli.plan import QUANTITIES

    assert expected_width.QUANTITIES == QUANTITIES


def test_a_store_without_items_says_what_to_do(assay: Assay) -> None:
    """One line, no traceback."""
    Store(assay.db).close()

    assert "assay ingest FILE" in assay("plan", status=2).stderr
    assert "assay ingest FILE" in assay("simulate", "--labels", "9", status=2).stderr
    assert FEWEST_TIMED == 5
