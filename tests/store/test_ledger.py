"""The chances of drawn items where not every draw was answered: one weight each, right on average, through the store too."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from annotate.domain.annotation import Annotation
from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.store.labels.resolution import PlacedAnnotation
from annotate.workflow.sampling.draw import draw_wave
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import Drawing, SampledItem, weight_of
from proxy.evaluation.nonresponse import POOLED, responses, still_waiting
from proxy.records import Judgement
from support.scored import gathered, scored
from support.store import NOW, Assay, traffic_row

RIGHT, WRONG, _ = Judgement


def with_response(chances: Sequence[float], response: Sequence[float]) -> tuple[float, ...]:
    """P(drawn and answered in this wave) over P(not answered before), wave by wave, from the courses of events.

    An item drawn before, answered or not, is never drawn again: r c prod (1 - c_j) over 1 - sum of what waves before answered.
    """
    probabilities, undrawn, unanswered = [], 1.0, 1.0
    for c, r in zip(chances, response, strict=True):
        probabilities.append(r * c * undrawn / unanswered if undrawn else 0.0)
        unanswered -= r * c * undrawn
        undrawn *= 1 - c
    return tuple(probabilities)


def step_by_step(chances: Sequence[float], response: Sequence[float]) -> tuple[float, ...]:
    """The same by what each wave leaves waiting."""
    probabilities, waiting = [], 1.0
    for c, r in zip(chances, response, strict=True):
        probabilities.append(r * c * waiting)
        waiting *= still_waiting(c, probabilities[-1])
    return tuple(probabilities)


@pytest.mark.parametrize("waves", [1, 2, 3])
def test_the_weights_of_an_item_are_1_on_average(waves: int) -> None:
    """Every course of events of an item: drawn in none or one of the waves, and answered there or not."""
    rng = np.random.default_rng(waves)
    cases = [*itertools.product((0.0, 0.3, 1.0), repeat=waves), *rng.random((50, waves)).tolist()]
    for chances in cases:
        for response in [(1.0,) * waves, (0.5,) * waves, *rng.uniform(0.05, 1, (5, waves)).tolist()]:
            if not any(chances):
                continue
            each = step_by_step(chances, response)
            mean, undrawn = 0.0, 1.0
            for own in range(waves):
                answered = undrawn * chances[own] * response[own]
                mean += answered * weight_of(each, own)[0] if answered else 0.0
                undrawn *= 1 - chances[own]
            assert mean == pytest.approx(1, abs=1e-12), (chances, response)


def test_the_chances_are_those_of_the_courses_of_events() -> None:
    """Four waves of random chances and responses; two waves in closed form; full response leaves the chances as drawn."""
    rng = np.random.default_rng(4)
    for _ in range(100):
        chances, response = rng.random(4).tolist(), rng.random(4).tolist()
        stepwise = step_by_step(chances, response)
        chance, answered = chances[0], response[0] * chances[0]

        assert stepwise == pytest.approx(with_response(chances, response), rel=1e-9)
        assert stepwise[1] == pytest.approx(response[1] * chances[1] * (1 - chance) / (1 - answered), rel=1e-12)
        assert step_by_step(chances, [1.0] * 4) == pytest.approx(chances, rel=1e-9)


def test_what_was_drawn_for_sure_never_waits() -> None:
    """Answered for sure or not, an item that a wave was bound to draw has no later chance."""
    assert (still_waiting(1.0, 1.0), still_waiting(1.0, 0.4)) == (0, 0)
    assert still_waiting(0.0, 0.0) == 1
    assert still_waiting(0.5, 0.25) == pytest.approx(2 / 3)


def by_chance(asked: int, returned: int, wave: int, stratum: str = "passed") -> Drawing:
    return Drawing(wave, stratum, 100, asked, asked, returned, is_fixed=False)


def test_tiny_drawings_answer_together_until_ten_were_asked() -> None:
    """4 + 5 + 3 asked, 6 of 12 came back; then 2 + 20, 10 of 22; the last 3 join them: 13 of 25."""
    rows = [(4, 1), (5, 2), (3, 3), (2, 0), (20, 10)]
    drawings = [by_chance(*row, wave) for wave, row in enumerate(rows)]

    assert POOLED == 10
    assert responses(drawings) == pytest.approx([0.5] * 3 + [10 / 22] * 2)
    assert responses([*drawings, by_chance(3, 3, 5)]) == pytest.approx([0.5] * 3 + [13 / 25] * 3)
    assert responses([by_chance(3, 1, 1)]) == pytest.approx([1 / 3])


def test_only_neighbours_in_time_of_one_stratum_answer_together() -> None:
    """Another stratum and a drawing of fixed size in between keep their own response."""
    fixed = Drawing(2, "passed", 50, 4, 4, 1)
    drawings = [
        by_chance(5, 5, 1),
        by_chance(6, 0, 1, "failed"),
        fixed,
        by_chance(5, 0, 3),
        by_chance(10, 9, 3, "failed"),
    ]

    # failed: 6 asked are too few, so with the next 10; passed: 5 + 5
    assert responses(drawings) == pytest.approx([0.5, 9 / 16, 0.25, 0.5, 9 / 16])


def test_large_streams_keep_their_own_response() -> None:
    """Half of one and all of the other came back: no common .75."""
    assert responses([by_chance(100, 50, 1), by_chance(100, 100, 2)]) == [0.5, 1.0]


def test_a_drawing_that_asked_nobody_changes_no_other() -> None:
    """Alone it has nobody to answer for; beside others it adds nothing."""
    assert responses([by_chance(0, 0, 1)]) == [1.0]
    assert responses([by_chance(0, 0, 1), by_chance(12, 6, 2), by_chance(0, 0, 3)]) == pytest.approx([0.5] * 3)


COUNT = 240
VALUES = tuple((37 * k % COUNT + 0.5) / COUNT for k in range(COUNT))


def ingested(assay: Assay, start: int = 0, *, values: Sequence[float] = VALUES) -> None:
    """Items with these values of a judge `s`, and the rule s > 0.5."""
    scored(assay, [traffic_row(f"t{start + k:04}") for k in range(len(values))], values)


def evidence_of(store: Store) -> Evidence:
    """As the report gets it."""
    traffic = gathered(store)
    return traffic.evidence(traffic.rules[0])


def answer(store: Store, wave: int, share: float, right: Sequence[bool], rng: np.random.Generator) -> None:
    """Label this share of each stratum of a wave, which ones by lot."""
    draws = [draw for draw in store.sampling.waves.open_draws() if draw.wave == wave]
    placed = []
    for stratum in sorted({draw.stratum for draw in draws}):
        part = [draw for draw in draws if draw.stratum == stratum]
        for k in rng.permutation(len(part))[: round(share * len(part))]:
            word = RIGHT if right[int(part[k].item_id[1:])] else WRONG
            label = Annotation(source="t", id=part[k].item_id, item_id=part[k].item_id, annotator="a", judgement=word)
            placed.append(PlacedAnnotation(label, part[k].item, part[k].key))
    with store.atomic():
        store.labels.keep(placed, now=NOW)


class Undone(Exception):
    """Ends a unit of work that is to leave nothing behind."""


@pytest.mark.slow
@pytest.mark.parametrize("waves", [((30, 0.5), (60, 0.8)), ((30, 0.5), (60, 0.5), (40, 0.8))], ids=["two", "three"])
def test_the_chances_of_the_store_are_those_of_the_courses_of_events(
    assay: Assay, waves: Sequence[tuple[int, float]]
) -> None:
    """Waves answered in part: n / N and the response of each drawing are counted from the tables, by hand."""
    ingested(assay)
    store, rng = Store(assay.db), np.random.default_rng(1)
    for wave, (labels, share) in enumerate(waves, start=1):
        draw_wave(store, ProposalRequest(labels=labels, seed=wave), now=NOW)
        answer(store, wave, share, [True] * COUNT, rng)
    evidence = evidence_of(store)
    store.close()
    drawn = {
        (w, stratum): n / size for w, stratum, n, size in assay.sql("SELECT wave, stratum, drawn, size FROM strata")
    }
    answered = {
        (w, stratum): share
        for w, stratum, share in assay.sql(
            "SELECT d.wave, d.stratum, avg(l.item IS NOT NULL) FROM draws d LEFT JOIN labels l ON l.draw = d.key GROUP BY 1, 2"
        )
    }
    paths: dict[int, list[tuple[int, str]]] = {}
    for item, wave, stratum in assay.sql(
        "SELECT item, wave, stratum FROM frames WHERE item IN (SELECT item FROM draws) ORDER BY item, wave"
    ):
        paths.setdefault(item, []).append((wave, stratum))
    expected = [
        with_response([drawn[wave] for wave in paths[item]], [answered[wave] for wave in paths[item]])
        for (item,) in assay.sql("SELECT item FROM draws ORDER BY key")
    ]

    assert {len(sampled.chances) for sampled in evidence.sample} == {len(waves)}
    assert [sampled.chances for sampled in evidence.sample] == [
        pytest.approx(chances, rel=1e-9) for chances in expected
    ]


@pytest.mark.slow
def test_streams_of_different_response_stand_for_their_own_traffic(assay: Assay) -> None:
    """Half of one stream's draws answered, all of the next one's: each adds up to its draws over the rate, by hand."""
    store_items: list[SampledItem] = []
    rng, right = np.random.default_rng(5), [k < 400 for k in range(800)]
    for wave, share in ((1, 0.5), (2, 1.0)):
        ingested(assay, 400 * (wave - 1), values=[0.9] * 400)
        store = Store(assay.db)
        draw_wave(store, ProposalRequest(seed=3, design=WaveDesign.STREAM, rate=0.25, rate_failed=0.25), now=NOW)
        answer(store, wave, share, right, rng)
        evidence = evidence_of(store)
        store_items = list(evidence.sample)
        store.close()
    asked = [sum(item.drawing == wave for item in store_items) for wave in (0, 1)]
    came = [sum(item.drawing == wave and item.judgement is not None for item in store_items) for wave in (0, 1)]
    stands = [
        sum(
            weight_of(item.chances, item.own)[0]
            for item in store_items
            if item.drawing == wave and item.judgement is not None
        )
        for wave in (0, 1)
    ]

    assert came == [round(asked[0] / 2), asked[1]]
    assert min(asked) > 60
    assert stands == pytest.approx([asked[0] / 0.25, asked[1] / 0.25])
    # all of the first are right and none of the second: the share of what they stand for, not that of the labels
    assert assay.json("report")["correctness"]["estimate"] == pytest.approx(asked[0] / sum(asked), abs=1e-9)
