"""A stage is named only where answers are shown to be wrong more often on its bad side, system by system; else the reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from annotate.analysis.diagnosis import Namings, Thresholds
from annotate.analysis.diagnosis.inputs import StageJudges
from annotate.analysis.diagnosis.naming import name_stages
from annotate.analysis.diagnosis.weights import Scales, Spot
from annotate.present import naming
from annotate.present.messages import LANGUAGES, text
from annotate.store import Store
from annotate.store.scores.stage_scores import ItemStageScores
from proxy.diagnosis import Naming, Obstacle, Stage, StageEvidence
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.records import Context, Item, Judgement, Label, Verdict
from support.documents import numbers
from support.simulation import deviation, repeated
from support.store import NOW

CHOSEN = StageJudges(signatures={}, thresholds=Thresholds())


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """How the answers of each system come about.

    P(wrong) is `base` where retrieval and synthesis are good, and more by `retrieval` or `synthesis` where they are bad; groups
    of `group` answers share an effect, or all answers to a question where the systems share theirs. A share `bad` of the passages
    is bad, `empty` have none logged, `unsure` of the labels are unsure.
    """

    systems: int = 1
    size: int = 600
    labels: int = 200
    base: float = 0.25
    retrieval: float = 0.0
    synthesis: float = 0.0
    bad: float = 0.4
    empty: float = 0.0
    unsure: float = 0.0
    group: int = 1
    shares_questions: bool = False


def named(traffic: Traffic, seed: int, same_passages: frozenset[tuple[str, str]] = frozenset()) -> Namings:
    """Draw labels, half of them among answers with low scores, and name the stages."""
    rng = np.random.default_rng(seed)
    n = traffic.systems * traffic.size
    system = np.repeat(np.arange(traffic.systems), traffic.size)
    group = np.arange(n) % traffic.size if traffic.shares_questions else np.arange(n) // traffic.group
    has_groups = traffic.shares_questions or traffic.group > 1
    # Systems differ in their passages and in how often they are wrong, for reasons of their own.
    share = np.clip(traffic.bad + rng.uniform(-0.2, 0.2, traffic.systems) * (traffic.systems > 1), 0.05, 0.95)[system]
    level = rng.uniform(-0.15, 0.25, traffic.systems) * (traffic.systems > 1)
    moved = rng.uniform(-0.3, 0.3, group.max() + 1) * has_groups
    is_bad = rng.random(n) < np.clip(share + moved[group], 0.02, 0.98)
    unfaithful = rng.random(n) < 0.3
    moved = rng.uniform(-0.2, 0.2, group.max() + 1) * has_groups
    p = (
        traffic.base
        + level[system]
        + moved[group]
        + traffic.retrieval * is_bad
        + traffic.synthesis * (unfaithful & ~is_bad)
    )
    wrong = rng.random(n) < np.clip(p, 0, 1)
    relevance = np.where(is_bad, rng.uniform(0, 0.5, n), rng.uniform(0.51, 1, n))
    faithfulness = np.where(unfaithful, rng.uniform(0, 0.5, n), rng.uniform(0.51, 1, n))
    has = rng.random(n) >= traffic.empty
    failed = is_bad | unfaithful
    strata = [np.flatnonzero(~failed), np.flatnonzero(failed)]
    wanted = [min(len(rows), traffic.labels // 2) for rows in strata]
    verdicts = (Verdict.PASS, Verdict.FAIL)
    drawings = [Drawing(1, verdicts[k], len(strata[k]), wanted[k], wanted[k], wanted[k]) for k in (0, 1)]
    chosen = [(int(row), k) for k in (0, 1) for row in rng.choice(strata[k], wanted[k], replace=False)]
    spots = [
        Spot(system=f"s{system[row]}", place=StageEvidence(not is_bad[row], not unfaithful[row], bool(has[row])))
        for row in range(n)
    ]
    counts: dict[tuple[Spot, Verdict], int] = {}
    for row, spot in enumerate(spots):
        key = (spot, verdicts[int(failed[row])])
        counts[key] = counts.get(key, 0) + 1
    totals = [(spot, Total(verdict, verdict, count)) for (spot, verdict), count in counts.items()]
    labels, standings, sample = dict[int, Label](), dict[int, ItemStageScores](), list[SampledItem]()
    for row, k in chosen:
        judgement = (
            Judgement.UNSURE if rng.random() < traffic.unsure else (Judgement.WRONG if wrong[row] else Judgement.RIGHT)
        )
        labels[row] = Label(item_id=str(row), judgement=judgement)
        standings[row] = ItemStageScores(
            row, f"s{system[row]}", float(relevance[row]), float(faithfulness[row]), bool(has[row])
        )
        chance = wanted[k] / len(strata[k])
        # Conversations are not shared between systems; questions are.
        own = str(row) if traffic.shares_questions else str(group[row])
        sample.append(SampledItem(verdicts[k], verdicts[k], judgement, own, k, (chance,), question=str(group[row])))
    whole = Evidence(totals=[total for _, total in totals], sample=sample, drawings=drawings)
    drawn = [(row, spots[row]) for row, _ in chosen]
    weights = Scales(totals=totals, drawn=drawn, drawings=drawings, whole=whole)
    return name_stages(CHOSEN, labels, standings, weights, weights, same_passages=same_passages)


def everything(diagnosed: Naming) -> str:
    """All that is said of the naming of one system."""
    return " ".join(map(text, naming.lines([diagnosed], None)))


def test_a_judge_that_separates_names_retrieval() -> None:
    """Wrong in 75 of 100 with bad passages, in 15 with good ones: named, with the difference and what to try."""
    diagnosed = named(Traffic(base=0.15, retrieval=0.6), 1).each["s0"]
    difference = diagnosed.tested[Stage.RETRIEVAL].contrast.difference

    assert (diagnosed.stage, diagnosed.obstacle) == (Stage.RETRIEVAL, None)
    assert 0 < difference.low < 0.6 < (difference.high or 0)
    assert text(naming.answer(diagnosed)).startswith(
        "Look at retrieval first: answers from low-scored passages are wrong more often: +"
    )
    assert "larger k" in everything(diagnosed)


def test_synthesis_is_named_where_good_passages_are_left() -> None:
    """Answers that leave good passages are wrong more often, and hold most of the wrong answers."""
    diagnosed = named(Traffic(base=0.03, synthesis=0.8, bad=0.1, labels=240), 2).each["s0"]

    assert diagnosed.stage is Stage.SYNTHESIS
    assert "stricter prompt" in everything(diagnosed)


def test_a_judge_that_does_not_separate_names_nothing() -> None:
    """Most wrong answers have low-scored passages, and so have most right ones: no stage and no advice."""
    diagnosed = named(Traffic(bad=0.85, base=0.6), 3).each["s0"]
    sentence = text(naming.answer(diagnosed))

    assert 2 * diagnosed.areas[Stage.RETRIEVAL].wrong > diagnosed.wrong
    assert (diagnosed.stage, diagnosed.obstacle) == (None, Obstacle.NOT_SEPARATED)
    assert sentence.startswith("No stage can be named: context relevance ")
    assert "separate right from wrong answers" in sentence
    assert ", AUROC 0." in sentence
    assert "Try" not in everything(diagnosed)


def test_wrong_answers_without_passages_are_no_retrieval_misses() -> None:
    """Most have none logged: that is the reason, and what to bring."""
    diagnosed = named(Traffic(empty=0.8, base=0.4), 4).each["s0"]

    assert diagnosed.obstacle is Obstacle.NO_PASSAGES
    assert diagnosed.areas[Stage.RETRIEVAL].wrong < diagnosed.areas[Stage.NO_PASSAGES].wrong
    assert "have no passages logged. Bring what the app retrieved as `contexts`" in everything(diagnosed)


def test_few_labels_say_how_many_more_and_of_what() -> None:
    """Ten labels show nothing, whatever their counts."""
    diagnosed = named(Traffic(labels=10, retrieval=0.3), 5).each["s0"]

    assert diagnosed.stage is None
    assert "more with passages that score at most 0.500" in everything(diagnosed)


def test_unsure_answers_count_against_a_name() -> None:
    """With most labels unsure the difference may be anything: nothing is named."""
    diagnosed = named(Traffic(base=0.15, retrieval=0.4, unsure=0.6), 6).each["s0"]

    assert diagnosed.unsure > diagnosed.right
    assert diagnosed.stage is None


@pytest.mark.slow
@repeated(8, 20)
def test_systems_that_differ_do_not_make_passages_guilty(repetitions: int) -> None:
    """One system has bad passages and bad answers, the other good ones; within each the two have nothing to do with another."""
    shown = 0
    for seed in range(repetitions):
        namings = named(Traffic(systems=6, size=200, labels=300), seed)
        shown += namings.whole.stage is not None

    assert shown / repetitions <= 0.05 + 2 * deviation(0.05, repetitions)


@pytest.mark.slow
@repeated(16, 300)
@pytest.mark.parametrize(
    "traffic",
    [
        Traffic(),
        Traffic(labels=60),
        Traffic(base=0.5, bad=0.8, labels=120),
        Traffic(base=0.06, labels=150),
        Traffic(group=8, labels=200),
        pytest.param(Traffic(systems=3, size=250, labels=240), marks=pytest.mark.long),
        pytest.param(Traffic(systems=5, size=150, labels=200, group=5), marks=pytest.mark.long),
        pytest.param(Traffic(systems=8, size=40, labels=240, shares_questions=True), marks=pytest.mark.long),
    ],
)
def test_what_has_nothing_to_do_with_the_passages_is_rarely_named(traffic: Traffic, repetitions: int) -> None:
    """Any stage of any system: at most 5 % of runs, plus 2 standard errors."""
    named_any = [
        any(diagnosed.stage is not None for diagnosed in (namings.whole, *namings.each.values()))
        for namings in (named(traffic, seed) for seed in range(repetitions))
    ]

    assert np.mean(named_any) <= 0.05 + 2 * deviation(0.05, repetitions), np.mean(named_any)


@pytest.mark.slow
@repeated(20, 60)
def test_what_does_is_mostly_named(repetitions: int) -> None:
    """A difference of 40 points with 200 labels is found in most runs."""
    stages = [named(Traffic(base=0.15, retrieval=0.4), seed).each["s0"].stage for seed in range(repetitions)]

    assert np.mean([stage is Stage.RETRIEVAL for stage in stages]) >= 0.8


@pytest.mark.slow
def test_systems_with_the_same_passages_differ_by_something_else_than_retrieval() -> None:
    """Retrieval is bad for all three: it is named for all together, and alone only for the system with passages of its own."""
    traffic = Traffic(systems=3, base=0.1, retrieval=0.7, labels=600)
    apart = named(traffic, 4)
    shared = named(traffic, 4, frozenset({("s0", "s1"), ("s1", "s0")}))
    lines = [text(line) for line in naming.lines(list(shared.each.values()), shared.whole)]

    assert {diagnosed.stage for diagnosed in apart.each.values()} == {Stage.RETRIEVAL}
    assert shared.whole.stage is Stage.RETRIEVAL
    assert [shared.each[name].stage for name in ("s0", "s1", "s2")] == [None, None, Stage.RETRIEVAL]
    assert shared.each["s0"].tested == apart.each["s0"].tested
    told = {line.partition(":")[0]: line for line in lines if line[:2] in {"s0", "s1", "s2"}}
    assert told["s0"].startswith("s0: s1 got the same passages, so retrieval does not make them differ; answers from")
    assert "s0 got the same passages" in told["s1"]
    assert told["s2"].startswith("s2: Look at retrieval first")
    assert sum("larger k" in line for line in lines) == 1
    for language in LANGUAGES:
        words = text(naming.answer(shared.each["s0"]), language)
        assert numbers(words) >= numbers(text(naming.answer(shared.each["s0"])))


@pytest.mark.slow
def test_a_stage_other_than_retrieval_is_named_with_the_same_passages_too() -> None:
    """What a system makes of its passages is its own."""
    traffic = Traffic(systems=2, base=0.03, synthesis=0.8, bad=0.1, labels=480)
    both = frozenset({("s0", "s1"), ("s1", "s0")})

    stages = [
        [diagnosed.stage for diagnosed in named(traffic, 2, pairs).each.values()] for pairs in (frozenset(), both)
    ]

    assert stages[0] == stages[1]
    assert Stage.SYNTHESIS in stages[1]


def test_passages_are_compared_by_their_words_on_every_question_in_common(store: Store) -> None:
    """Two systems with the same texts under other scores; a third that found something else once; a fourth asked otherwise."""

    def answer(system: str, question: int, words: str, score: float) -> Item:
        return Item(
            id=f"{system}{question}",
            question=f"Where is room {question}?",
            contexts=(Context(text=words, score=score),),
            answer=system,
            system=system,
        )

    items = [answer(name, k, f"floor {k}", score) for k in range(3) for name, score in (("a", 0.1), ("b", 0.9))]
    items += [answer("c", k, f"floor {k}" if k else "cellar", 0.5) for k in range(3)] + [answer("d", 9, "floor 9", 0.5)]
    store.traffic.items.add(items, now=NOW)
    rows = list(store.traffic.items.keys([item.id for item in items]).values())

    assert store.scores.stage_scores.same_passages(rows) == {("a", "b"), ("b", "a")}
    only_later = [store.traffic.items.keys(["a1"])["a1"]]
    assert store.scores.stage_scores.same_passages(only_later) == {("a", "b"), ("a", "c")}
