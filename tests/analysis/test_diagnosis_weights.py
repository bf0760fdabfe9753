"""A diagnosis weighted to all traffic: what is named, and the labels that count."""

from __future__ import annotations

from contextlib import closing

import pytest

from annotate.analysis import diagnosis
from annotate.analysis.diagnosis import Thresholds
from annotate.analysis.diagnosis.inputs import answers, stage_judges
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from proxy.evaluation.guarantee import Guarantee
from support.diagnosis import given, scored
from support.store import NOW, Assay, label, traffic_row

GUARANTEE = Guarantee(
    precision=0.9, confidence=0.9, threshold=0.5, n=50, errors=1, p_value=0.03, labels=40, last_wave=1, at=NOW
)


def drawn(assay: Assay, sizes: tuple[int, int, int], labels: int, audit: float, seed: int = 1) -> dict[str, list[str]]:
    """Passed, retrieval and synthesis answers, so many of each; those drawn, by kind."""
    kinds = {"passed": (0.9, 0.9), "retrieval": (0.1, 0.9), "synthesis": (0.9, 0.1)}
    names = {f"{kind}-{n}": kind for kind, size in zip(kinds, sizes, strict=True) for n in range(size)}
    assay("ingest", assay.write("traffic.jsonl", [traffic_row(name) for name in names]))
    scores = [row for name, kind in names.items() for row in scored(name, *kinds[kind])]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("sample", "--labels", str(labels), "--audit", str(audit), "--seed", str(seed))
    by_kind: dict[str, list[str]] = {kind: [] for kind in kinds}
    for name in [row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY i.id")]:
        by_kind[names[name]].append(name)
    return by_kind


def answer(assay: Assay, wrong: list[str], right: list[str]) -> None:
    rows = [label(name, "wrong") for name in wrong] + [label(name) for name in right]
    assay("labels", "import", assay.write("labels.jsonl", rows))


@pytest.mark.slow
def test_the_traffic_decides_and_not_where_the_labels_lie(assay: Assay) -> None:
    """Every second passed answer is wrong, and there are many: more of the labels, and all of the audit, have bad passages."""
    allocation = drawn(assay, (600, 60, 0), 140, 0.43)
    passed = allocation["passed"]
    assert len(passed) // 2 < len(allocation["retrieval"])
    answer(
        assay, passed[::2][: len(passed) // 2] + allocation["retrieval"], passed[1::2] + passed[::2][len(passed) // 2 :]
    )
    system = assay.json("diagnose")["systems"][0]

    assert system["naming"]["obstacle"] == "elsewhere"
    assert system["findings"][3]["wrong"] < system["findings"][0]["wrong"]
    assert system["findings"][3]["wrong_of_traffic"]["estimate"] == pytest.approx(600 / 660 * 0.5, abs=0.02)
    assert "The largest part of the wrong answers (both scored high)" in " ".join(system["naming"]["details"])


@pytest.mark.slow
def test_a_stage_that_is_shown_and_holds_most_is_named(assay: Assay) -> None:
    """Nearly all answers with bad passages are wrong, few others are: retrieval, its causes and what to compare."""
    allocation = drawn(assay, (60, 60, 60), 120, 0.6)
    retrieval = allocation["retrieval"]
    answer(
        assay,
        retrieval[2:] + allocation["synthesis"][:2],
        retrieval[:2] + allocation["synthesis"][2:] + allocation["passed"],
    )
    diagnosed, page = assay.json("diagnose"), assay("diagnose").stdout
    system = diagnosed["systems"][0]

    assert (system["naming"]["stage"], system["naming"]["obstacle"]) == ("retrieval", None)
    assert system["findings"][0]["causes"]
    assert system["findings"][2]["causes"] == []
    assert "Try a larger k" in page
    assert diagnosed["next"][0]["commands"][:2] == ["assay ingest FILE", "assay judge"]


@pytest.mark.slow
def test_wrong_in_all_is_the_share_of_all_answers(assay: Assay) -> None:
    """By hand: of 60 retrieval answers all drawn ones are wrong, so about 60 of all 140 are."""
    allocation = drawn(assay, (20, 60, 60), 80, 0.75)
    answer(assay, allocation["retrieval"], allocation["synthesis"] + allocation["passed"])
    share = assay.json("diagnose")["systems"][0]["quadrants"][2]["wrong_of_traffic"]

    assert share["estimate"] == pytest.approx(60 / 140)
    assert share["low"] < share["estimate"] == share["high"]
    assert share["n"] == len(allocation["retrieval"])


@pytest.mark.slow
def test_labels_that_chose_the_cut_count_in_a_diagnosis(assay: Assay) -> None:
    """They must not score the rule; why answers are wrong they may tell."""
    allocation = drawn(assay, (40, 20, 20), 60, 0.5)
    answer(assay, allocation["retrieval"], allocation["synthesis"] + allocation["passed"])
    before = assay.json("diagnose")
    store = Store(assay.db)
    key, _ = rule_in_force(store)
    with store.atomic():
        store.scores.guarantees.write(key, GUARANTEE, [draw.key for draw in store.sampling.waves.all_draws()][:30])
    after = diagnosis.build(store, thresholds=Thresholds(0.5, 0.5)).each[0]

    assert store.scores.guarantees.excluded_draws(key)
    assert [corner.share.n for corner in after.corners] == [
        quadrant["wrong_of_traffic"]["n"] for quadrant in before["systems"][0]["quadrants"]
    ]
    store.close()


@pytest.mark.slow
def test_answers_that_came_since_are_left_out_in_words(assay: Assay) -> None:
    """The shares are of the answers that the wave could have drawn."""
    allocation = drawn(assay, (20, 20, 0), 20, 0.5)
    answer(assay, allocation["retrieval"], allocation["passed"])
    assay("ingest", assay.write("later.jsonl", [traffic_row("later")]))
    page = assay("diagnose", "--full").stdout

    assert "Left out of the shares: 1 answer that arrived later." in page


def elsewhere(assay: Assay, item: str) -> tuple[int, ...]:
    """How many passages other systems had that found relevant ones for the same question."""
    with closing(Store(assay.db)) as store:
        _, rule = rule_in_force(store)
        answered = answers(store, stage_judges(store, rule, Thresholds()))
    return next(answer.clue.elsewhere for answer in answered if answer.label.item_id == item)


def test_a_conversation_is_not_a_question(assay: Assay) -> None:
    """Passages speak for a larger k only where another system had them, for the same question."""
    rows = [
        traffic_row("a", system="old", group="g", question="Where is room a?"),
        traffic_row("b", system="new", group="g", question="And is it open?", contexts=["x"] * 9),
        traffic_row("c", system="old", group="g", question="Where is room a?", contexts=["x"] * 9),
    ]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay(
        "scores",
        "import",
        assay.write("scores.jsonl", [*scored("a", 0.1, 0.9), *scored("b", 0.9, 0.9), *scored("c", 0.9, 0.9)]),
    )
    assay("labels", "import", assay.write("labels.jsonl", [label("a", "wrong")]))

    assert not any(count > 1 for count in elsewhere(assay, "a"))


@pytest.mark.parametrize(("theirs", "is_likely"), [("Coffee is served.", False), ("Room a is upstairs.", True)])
def test_the_same_passages_under_another_score_blame_no_embedder(assay: Assay, theirs: str, is_likely: bool) -> None:
    """Two systems that differ in the model alone: what a judge gave the other one's passages is the judge's mood."""
    rows = [
        traffic_row(name, system=name, question="Where is room a?", contexts=[text])
        for name, text in (("old", "Coffee is served."), ("new", theirs))
    ]
    given(assay, rows, [*scored("old", 0.1, 0.9), *scored("new", 0.9, 0.9)], [label("old", "wrong")], is_drawn=False)

    assert bool(elsewhere(assay, "old")) is is_likely
