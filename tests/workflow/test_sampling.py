"""Waves through the command: the frame is kept, nothing is drawn twice, and the ledger never changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing

import pytest

from annotate.store import Store
from proxy.evaluation.ledger import SampledItem
from proxy.records import Verdict
from support.scored import gathered_of, scored
from support.store import Assay, label, traffic_row


def ingested(assay: Assay, passed: int, failed: int, unscored: int = 0, *, start: int = 0) -> list[str]:
    """Traffic with scores of a judge `s` and the rule s > 0.5 in force; the ids."""
    values = [0.9] * passed + [0.1] * failed + [None] * unscored
    return scored(assay, [traffic_row(f"t{start + k:04}") for k in range(len(values))], values)


Size = tuple[str, Verdict, int]


def in_store(assay: Assay) -> tuple[list[Size], Sequence[SampledItem]]:
    """What the estimators are given under the rule in force: (stratum, verdict, size) over all levels, and the draws."""
    traffic = gathered_of(assay)
    evidence = traffic.evidence(traffic.rules[0])
    sizes = Counter[tuple[str, Verdict]]()
    for total in evidence.totals:
        sizes[total.stratum, total.verdict] += total.size
    return sorted((*key, size) for key, size in sizes.items()), evidence.sample


def test_a_wave_writes_its_frame_strata_and_draws(assay: Assay) -> None:
    """Every current item with its stratum, N and n of each stratum, each draw with n / N, and one event."""
    ingested(assay, 60, 30, 10)
    assay("sample", "--labels", "40", "--seed", "7")
    sizes = dict(assay.sql("SELECT stratum, size FROM strata"))
    counts = dict(assay.sql("SELECT stratum, drawn FROM strata"))

    assert dict(assay.sql("SELECT stratum, count(*) FROM frames GROUP BY 1")) == sizes
    assert sizes == {"passed": 60, "failed": 30, "unscored": 10}
    assert dict(assay.sql("SELECT stratum, count(*) FROM draws GROUP BY 1")) == counts
    assert sum(counts.values()) == 40
    for stratum, probability in assay.sql("SELECT DISTINCT stratum, inclusion_probability FROM draws"):
        assert probability == counts[stratum] / sizes[stratum]
    assert assay.sql("SELECT seed, labels, audit FROM waves") == [(7, 40, 0.25)]
    assert assay.sql("SELECT count(*) FROM events WHERE what = 'sample'") == [(1,)]
    wrong_stratum = "SELECT count(*) FROM draws d JOIN frames f ON f.item = d.item WHERE f.stratum != d.stratum"
    assert assay.sql(wrong_stratum) == [(0,)]


@pytest.mark.slow
def test_a_wave_keeps_what_it_follows(assay: Assay) -> None:
    """The first follows no label; the second the predictor that its JSON describes, and that the store gives back."""
    names = ingested(assay, 60, 30)
    first = assay.json("sample", "--labels", "40", "--seed", "7")
    drawn = [name for (name,) in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY 1")]
    said = [label(name, "wrong" if name in names[60:] else "right") for name in drawn]
    assay("labels", "import", assay.write("labels.jsonl", said))
    second = assay.json("sample", "--labels", "10", "--seed", "7")

    with closing(Store(assay.db)) as store:
        kept = [wave.predictor for wave in store.sampling.waves.all()]
    assert first["predictor"] is None
    assert kept[0] is None
    assert kept[1] is not None
    assert second["predictor"]["signature"] == kept[1].signature
    assert (kept[1].rule, kept[1].labels) == ("s > 0.5", 40)
    assert second["predictor"]["judges"] == [{"judge": "s", "signature": signature} for _, signature in kept[1].judges]
    report = assay.json("report")
    assert [predictor["signature"] for predictor in report["predictors"]] == [report["correctness"]["predictor"]]


@pytest.mark.slow
def test_a_dry_run_writes_nothing(assay: Assay) -> None:
    """And shows the plan that the real run then has."""
    ingested(assay, 60, 30)
    dry = assay.json("sample", "--labels", "40", "--seed", "7", "--dry-run")

    assert assay.sql("SELECT (SELECT count(*) FROM waves), (SELECT count(*) FROM frames)") == [(0, 0)]
    assert assay.json("sample", "--labels", "40", "--seed", "7")["strata"] == dry["strata"]


@pytest.mark.slow
def test_waves_never_draw_an_item_twice_until_all_are_drawn(assay: Assay) -> None:
    """Three waves of 40, 40 and the rest of 100: a partition; a fourth is refused."""
    ingested(assay, 70, 30)
    for labels in ("40", "40", "1000"):
        assay("sample", "--labels", labels, "--seed", "7")
    waves = dict(assay.sql("SELECT wave, count(*) FROM draws GROUP BY 1"))

    assert waves == {1: 40, 2: 40, 3: 20}
    assert assay.sql("SELECT count(DISTINCT item) FROM draws") == [(100,)]
    assert "nothing to draw" in assay("sample", "--labels", "1", status=2).stderr


@pytest.mark.slow
def test_totals_are_all_framed_items_by_stratum_and_verdict(assay: Assay) -> None:
    """The sample has every draw, labelled or not; its one chance is 0 while nobody has answered."""
    ingested(assay, 60, 30, 10)
    assay("sample", "--labels", "40", "--seed", "7")
    totals, sample = in_store(assay)

    assert totals == [
        ("failed", Verdict.FAIL, 30),
        ("passed", Verdict.PASS, 60),
        ("unscored", Verdict.UNSCORED, 10),
    ]
    assert len(sample) == 40
    assert {(draw.judgement, draw.chances) for draw in sample} == {(None, (0.0,))}


@pytest.mark.slow
def test_chances_hold_the_response(assay: Assay) -> None:
    """Every passed draw and half of the failed ones answered: n / N and half of it."""
    ingested(assay, 60, 40)
    assay("sample", "--labels", "40", "--seed", "7")
    drawn = assay.sql("SELECT i.id, d.stratum FROM draws d JOIN items i ON i.key = d.item ORDER BY 1")
    failed = [name for name, stratum in drawn if stratum == "failed"]
    said = [name for name, stratum in drawn if stratum == "passed"] + failed[::2]
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "right"} for name in said]))
    chances = {(draw.stratum, draw.chances[0]) for draw in in_store(assay)[1]}

    assert len(failed) % 2 == 0
    assert chances == {("failed", len(failed) / 40 / 2), ("passed", (40 - len(failed)) / 60)}


@pytest.mark.slow
def test_an_item_has_a_chance_in_every_wave_that_framed_it(assay: Assay) -> None:
    """A thumb down between two waves moves one item to a stratum of its own, and totals still add up."""
    ids = ingested(assay, 60, 40)
    assay("sample", "--labels", "10", "--seed", "7")
    drawn_first = {row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")}
    moved = next(name for name in ids if name not in drawn_first)
    assay("feedback", assay.write("f.jsonl", [{"item_id": moved, "value": -1}]))
    assay("sample", "--labels", "11", "--seed", "8")
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "right"} for name in ids]))
    totals, sample = in_store(assay)
    sizes = {
        (wave, stratum): drawn / size
        for wave, stratum, size, drawn in assay.sql("SELECT wave, stratum, size, drawn FROM strata")
    }

    assert totals == [("failed", Verdict.FAIL, 40), ("passed", Verdict.PASS, 59), ("thumbs_down", Verdict.PASS, 1)]
    assert len(sample) == 21
    down = next(draw for draw in sample if draw.stratum == "thumbs_down")
    assert (down.chances, down.own) == ((sizes[1, "passed"], 1.0), 1), "a stratum below five is taken whole"
    for draw in sample:
        if draw.stratum != "thumbs_down":
            assert draw.chances == (sizes[1, draw.stratum], sizes[2, draw.stratum])


@pytest.mark.slow
def test_items_that_came_after_the_last_wave_are_uncovered(assay: Assay) -> None:
    """They are in no total until the next wave frames them, with one chance less than the others."""
    ingested(assay, 60, 40)
    assay("sample", "--labels", "19", "--seed", "7")
    new = ingested(assay, 10, 0, start=100)
    before, _ = in_store(assay)
    report = assay.json("report")

    assert sum(size for _, _, size in before) == 100
    assert any(warning.startswith("10 items are in no wave that counts") for warning in report["warnings"])

    assay("sample", "--labels", "60", "--seed", "8")
    after, sample = in_store(assay)
    drawn = dict(assay.sql("SELECT d.item, i.id FROM draws d JOIN items i ON i.key = d.item"))

    assert sum(size for _, _, size in after) == 110
    assert sorted(len(draw.chances) for draw in sample) == [1] * len(set(new) & set(drawn.values())) + [2] * (
        79 - len(set(new) & set(drawn.values()))
    )


@pytest.mark.slow
def test_a_superseded_revision_leaves_the_population(assay: Assay) -> None:
    """With its label: the new revision is another item, uncovered until it is framed."""
    ids = ingested(assay, 20, 10)
    assay("sample", "--labels", "1000", "--seed", "7")
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "right"} for name in ids]))
    assert len(in_store(assay)[1]) == 30
    assay("ingest", assay.write("new.jsonl", [traffic_row(ids[0], answer="Another answer.")]))
    totals, sample = in_store(assay)

    assert sum(size for _, _, size in totals) == 29
    assert len(sample) == 29
    report = assay.json("report")
    assert (report["correctness"]["n"], report["items"]) == (29, 30)
    assert report["correctness"]["low"] == report["correctness"]["high"] == 1


@pytest.mark.slow
def test_a_new_rule_never_changes_the_ledger(assay: Assay) -> None:
    """Frames, strata and probabilities stay as drawn; only the verdicts are the new rule's."""
    ingested(assay, 60, 40)
    assay("sample", "--labels", "20", "--seed", "7")
    ledger = "SELECT item, stratum, inclusion_probability FROM draws UNION ALL SELECT item, stratum, wave FROM frames"
    before = assay.sql(ledger)
    assay("rule", "set", "1 - s > 0.5")
    totals, sample = in_store(assay)

    assert assay.sql(ledger) == before
    assert totals == [("failed", Verdict.PASS, 40), ("passed", Verdict.FAIL, 60)]
    assert {(draw.stratum, draw.verdict) for draw in sample} == {("failed", Verdict.PASS), ("passed", Verdict.FAIL)}


@pytest.mark.slow
def test_a_hand_picked_label_never_enters_the_sample(assay: Assay) -> None:
    """It came without a draw, so nobody knows its probability."""
    ids = ingested(assay, 60, 40)
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "wrong"} for name in ids[:30]]))
    assay("sample", "--labels", "20", "--seed", "7")

    assert {draw.judgement for draw in in_store(assay)[1]} == {None}
    assert assay.json("report")["label_counts"]["hand_picked"] == 30
