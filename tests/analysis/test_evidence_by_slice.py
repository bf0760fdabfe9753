"""Parts of the traffic through a real store: counts by hand, estimates against the formula of the domain, silenced draws."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest

from annotate.analysis.labelled_draws import AnswerGround, evidence_by, ground
from annotate.analysis.rule_in_force import rule_in_force
from annotate.domain.annotation import Annotation
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.sampling.draw import draw_wave
from proxy.errors import UsageError
from proxy.evaluation.agreement import correctness_of, measure
from proxy.evaluation.guarantee import Guarantee
from proxy.evaluation.ledger import DECIDED
from proxy.records import Judgement, Verdict
from support.store import NOW, Assay, traffic_row

COUNT, LABELS = 240, 150
SYSTEMS = ("old", "new", None)
HALF_NAME = "half \ud800"
ROOMS = ("plain", "half \ud800", "half \udbff", "whole \U0001f600")
GUARANTEE = Guarantee(
    precision=0.9, confidence=0.9, threshold=0.7, n=50, errors=1, p_value=0.03, labels=80, last_wave=1, at=NOW
)


def is_right(number: int) -> bool:
    """Four of five answers, and all of those of one system."""
    return number % 5 > 0 or SYSTEMS[number % 3] == "new"


def value(number: int) -> float:
    """Twenty scores, about a third of them below the threshold."""
    return (number * 7 % 20) / 19


@pytest.fixture
def store(assay: Assay) -> Store:
    """240 answers of two systems and some of none, over three weeks, in pairs that share a question; 150 drawn and labelled."""
    rows = [
        traffic_row(
            f"t{n:03}",
            group=f"g{n // 2:03}",
            timestamp=f"2026-06-{1 + n % 21:02}T10:00:00Z",
            ward=f"ward {n % 4}",
            room=ROOMS[n % 4],
            **{HALF_NAME: n % 2},
            **({"system": SYSTEMS[n % 3]} if SYSTEMS[n % 3] else {}),
        )
        for n in range(COUNT)
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    scores = [{"item_id": f"t{n:03}", "judge": "s", "value": value(n)} for n in range(COUNT)]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "s > 0.35")
    store = Store(assay.db)
    draw_wave(store, ProposalRequest(labels=LABELS, seed=3), now=NOW)
    label(store, lambda number: True)
    return store


def label(store: Store, wanted: Callable[[int], bool]) -> None:
    """Answer the open draws of these items with the truth."""
    placed = []
    for draw in store.sampling.waves.open_draws():
        number = int(draw.item_id[1:])
        if wanted(number):
            word = Judgement.RIGHT if is_right(number) else Judgement.WRONG
            given = Annotation(source="t", id=draw.item_id, item_id=draw.item_id, annotator="a", judgement=word)
            placed.append(PlacedAnnotation(given, draw.item, draw.key))
    with store.atomic():
        store.labels.keep(placed, now=NOW)


def ground_of(store: Store) -> AnswerGround:
    """The ground under the rule in force."""
    return ground(store, *rule_in_force(store))


def test_the_rows_are_the_labelled_draws_in_the_order_of_the_arrays(store: Store) -> None:
    """Each row has its own answer, value and weight, and the weights of a stratum are N / n."""
    labelled = ground_of(store).labelled
    drawn = {part.stratum: part.size / part.drawn for part in store.sampling.waves.all()[0].strata}

    assert len(labelled.rows) == LABELS == len(labelled.draws.right)
    for row, right, weight in zip(labelled.rows, labelled.draws.right, labelled.draws.weight, strict=True):
        number = int(row.about.item_id[1:])

        assert row.is_right == bool(right) == is_right(number)
        assert row.value == pytest.approx(value(number))
        assert row.verdict is (Verdict.PASS if value(number) > 0.35 else Verdict.FAIL)
        assert row.weight == pytest.approx(weight) == pytest.approx(drawn[row.stratum])
        assert (row.about.system, row.about.group) == (SYSTEMS[number % 3], f"g{number // 2:03}")


@pytest.mark.slow
def test_the_parts_add_up_to_the_whole(store: Store) -> None:
    """By every field, each item lies in one part, with the count that the file has."""
    here = ground_of(store)
    expected = {
        "system": Counter(SYSTEMS[n % 3] for n in range(COUNT)),
        "metadata.ward": Counter(f"ward {n % 4}" for n in range(COUNT)),
        "week": Counter(("2026-06-01", "2026-06-08", "2026-06-15")[n % 21 // 7] for n in range(COUNT)),
        "day": Counter(f"2026-06-{1 + n % 21:02}" for n in range(COUNT)),
        "month": Counter({"2026-06": COUNT}),
        "metadata.none": Counter({None: COUNT}),
        "metadata.room": Counter({"plain": COUNT // 4, "half \ufffd": COUNT // 2, "whole \U0001f600": COUNT // 4}),
    }
    for field, sizes in expected.items():
        parts = evidence_by(store, here, field)

        assert {part: sum(total.size for total in evidence.totals) for part, evidence in parts.items()} == sizes
        assert store.traffic.partitions.sizes(field) == sizes
        assert sum(len(part.returned) for part in parts.values()) == LABELS


def test_fields_whose_name_holds_half_characters_are_left_out(store: Store) -> None:
    """The store is whole, so the other fields are still offered, with their values counted."""
    items = [row.about.item for row in ground_of(store).labelled.rows]
    assert store.traffic.traits.own_fields(items) == {"room": len(ROOMS), "ward": 4}


def test_a_part_is_estimated_by_its_own_labels_with_their_weights(store: Store) -> None:
    """The domain estimate by hand: in each cell (stratum and verdict) of the part the share right, times the cell's size."""
    here = ground_of(store)
    for part, evidence in evidence_by(store, here, "system").items():
        sizes, right = defaultdict[tuple[str, str], int](int), defaultdict[tuple[str, str], list[float]](list)
        for total in evidence.totals:
            sizes[total.stratum, total.verdict.value] += total.size
        for row in here.labelled.rows:
            if row.about.system == part:
                right[row.stratum, row.verdict.value].append(row.is_right)
        assert min(map(len, right.values())) >= 5  # else cells are taken together
        expected = sum(sizes[cell] * sum(labels) / len(labels) for cell, labels in right.items()) / sum(sizes.values())

        assert correctness_of(evidence).estimate == pytest.approx(expected)


@pytest.mark.slow
def test_a_field_that_there_is_not_is_refused(store: Store) -> None:
    """A mistyped field, or one that is no name, is an error that lists the fields."""
    for field in ("sytem", "metadata.", "metadata.a'b", 'metadata.a"b'):
        with pytest.raises(UsageError, match="language, day, week, month"):
            evidence_by(store, ground_of(store), field)


@pytest.mark.slow
def test_labels_that_chose_a_cut_do_not_score_it(store: Store) -> None:
    """Their questions' draws are as unanswered: what is measured is what a store without these labels measures."""
    key, rule = rule_in_force(store)
    chosen = [row.about.draw for row in ground_of(store).labelled.rows if int(row.about.group[1:]) % 2]
    with store.atomic():
        store.scores.guarantees.write(key, GUARANTEE, chosen[:-1])
    silent = store.scores.guarantees.excluded_draws(key)
    groups = {row.about.group for row in ground(store, key, rule, scores_itself=False).labelled.rows}
    here = ground_of(store)
    evidence = here.traffic.evidence(here.traffic.rules[0])

    # The certificate of an earlier version names no claim, and its labels share questions here.
    assert store.scores.guarantees.of(key) == replace(GUARANTEE, repeats=True)
    assert store.scores.guarantees.of(key + 1) is None
    assert not store.scores.guarantees.excluded_draws(key + 1)
    assert set(chosen[:-1]) <= silent
    assert {row.about.group for row in here.labelled.rows} <= groups
    assert not {row.about.draw for row in here.labelled.rows} & silent
    # in each stratum the labels that are left stand for all of it
    for part in store.sampling.waves.all()[0].strata:
        weights = [row.weight for row in here.labelled.rows if row.stratum == part.stratum]

        assert sum(weights) == pytest.approx(part.size)
    assert sum(draw.judgement in DECIDED for draw in evidence.sample) == LABELS - len(silent)
    assert measure(evidence).pass_precision.n == sum(row.verdict is Verdict.PASS for row in here.labelled.rows)


@pytest.mark.slow
def test_silenced_draws_measure_as_if_they_had_never_been_answered(assay: Assay, store: Store) -> None:
    """The same wave, with the silent labels left out from the start, gives the same numbers."""
    key, _ = rule_in_force(store)
    chosen = [row.about for row in ground_of(store).labelled.rows if int(row.about.group[1:]) % 3 == 0]
    with store.atomic():
        store.scores.guarantees.write(key, GUARANTEE, [described.draw for described in chosen])
    silent = store.scores.guarantees.excluded_draws(key)
    with_silence = ground_of(store)
    rows = ", ".join(map(str, sorted(silent)))
    store.close()
    assay.sql(f"DELETE FROM labels WHERE draw IN ({rows})")
    assay.sql("DELETE FROM choosers")
    with closing(Store(assay.db)) as again:
        without = ground_of(again)

        assert [row.weight for row in with_silence.labelled.rows] == [row.weight for row in without.labelled.rows]
        assert [row.about for row in with_silence.labelled.rows] == [row.about for row in without.labelled.rows]
        silenced, unanswered = (
            measure(answer_ground.traffic.evidence(answer_ground.traffic.rules[0]))
            for answer_ground in (with_silence, without)
        )
        assert (silenced.correctness, silenced.kappa) == (unanswered.correctness, unanswered.kappa)
