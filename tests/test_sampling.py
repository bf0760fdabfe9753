"""Waves through the command: the frame is kept, nothing is drawn twice, and the ledger never changes."""

from __future__ import annotations

from annotate.store import Store
from fixtures_store import Assay, traffic_row
from proxy.cells import SampledItem, Total
from proxy.records import Verdict


def ingested(assay: Assay, passed: int, failed: int, unscored: int = 0, *, start: int = 0) -> list[str]:
    """Traffic with scores of a judge `s` and the rule s > 0.5 in force; the ids."""
    values = [0.9] * passed + [0.1] * failed + [None] * unscored
    ids = [f"t{start + k:04}" for k in range(len(values))]
    assay("ingest", assay.write(f"traffic{start}.jsonl", [traffic_row(name) for name in ids]))
    scores = [{"item_id": i, "judge": "s", "value": v} for i, v in zip(ids, values, strict=True) if v is not None]
    assay("scores", "import", assay.write(f"scores{start}.jsonl", scores))
    assay("rule", "set", "s > 0.5")
    return ids


def in_store(assay: Assay) -> tuple[list[Total], list[SampledItem]]:
    """What the estimators are given under the rule in force."""
    store = Store(assay.db)
    try:
        current = store.rules.in_force()
        assert current is not None
        rule = current[0]
        return sorted(store.waves.totals(rule)), sorted(store.waves.sample(rule), key=str)
    finally:
        store.close()


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


def test_a_dry_run_writes_nothing(assay: Assay) -> None:
    """And shows the plan that the real run then has."""
    ingested(assay, 60, 30)
    dry = assay.json("sample", "--labels", "40", "--seed", "7", "--dry-run")

    assert assay.sql("SELECT (SELECT count(*) FROM waves), (SELECT count(*) FROM frames)") == [(0, 0)]
    assert assay.json("sample", "--labels", "40", "--seed", "7")["strata"] == dry["strata"]


def test_waves_never_draw_an_item_twice_until_all_are_drawn(assay: Assay) -> None:
    """Three waves of 40, 40 and the rest of 100: a partition; a fourth is refused."""
    ingested(assay, 70, 30)
    for labels in ("40", "40", "1000"):
        assay("sample", "--labels", labels, "--seed", "7")
    waves = dict(assay.sql("SELECT wave, count(*) FROM draws GROUP BY 1"))

    assert waves == {1: 40, 2: 40, 3: 20}
    assert assay.sql("SELECT count(DISTINCT item) FROM draws") == [(100,)]
    assert "nothing to draw" in assay("sample", "--labels", "1", status=2).stderr


def test_the_path_of_one_wave_is_its_stratum(assay: Assay) -> None:
    """Totals are all framed items by stratum and verdict; the sample has every draw, labelled or not."""
    ingested(assay, 60, 30, 10)
    assay("sample", "--labels", "40", "--seed", "7")
    totals, sample = in_store(assay)

    assert totals == [
        Total("failed", Verdict.FAIL, 30),
        Total("passed", Verdict.PASS, 60),
        Total("unscored", Verdict.UNSCORED, 10),
    ]
    assert len(sample) == 40
    assert {one.judgement for one in sample} == {None}


def test_the_path_of_several_waves_holds_every_stratum(assay: Assay) -> None:
    """A thumb down between two waves moves one item: its path tells both strata, and totals still add up."""
    ids = ingested(assay, 60, 40)
    assay("sample", "--labels", "20", "--seed", "7")
    drawn_first = {row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")}
    moved = next(name for name in ids if name not in drawn_first)
    assay("feedback", assay.write("f.jsonl", [{"item_id": moved, "value": -1}]))
    assay("sample", "--labels", "20", "--seed", "8")
    totals, sample = in_store(assay)

    assert totals == [
        Total("1 failed, 2 failed", Verdict.FAIL, 40),
        Total("1 passed, 2 passed", Verdict.PASS, 59),
        Total("1 passed, 2 thumbs_down", Verdict.PASS, 1),
    ]
    assert len(sample) == 40
    assert sum(one.stratum == "1 passed, 2 thumbs_down" for one in sample) == 1, "a stratum below five is taken whole"


def test_items_that_came_after_the_last_wave_are_uncovered(assay: Assay) -> None:
    """They are in no total until the next wave frames them, on a path of their own."""
    ingested(assay, 60, 40)
    assay("sample", "--labels", "20", "--seed", "7")
    ingested(assay, 10, 0, start=100)
    before, _ = in_store(assay)
    store = Store(assay.db)
    uncovered = store.waves.uncovered()
    store.close()
    report = assay.json("report")

    assert uncovered == 10
    assert sum(total.size for total in before) == 100
    assert any(warning.startswith("10 items came or changed after the last wave") for warning in report["warnings"])

    assay("sample", "--labels", "20", "--seed", "8")
    after, _ = in_store(assay)

    assert sum(total.size for total in after) == 110
    assert Total("2 passed", Verdict.PASS, 10) in after


def test_a_superseded_revision_leaves_the_population(assay: Assay) -> None:
    """With its label: the new revision is another item, uncovered until it is framed."""
    ids = ingested(assay, 20, 10)
    assay("sample", "--labels", "1000", "--seed", "7")
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "right"} for name in ids]))
    assert len(in_store(assay)[1]) == 30
    assay("ingest", assay.write("new.jsonl", [traffic_row(ids[0], answer="Another answer.")]))
    totals, sample = in_store(assay)

    assert sum(total.size for total in totals) == 29
    assert len(sample) == 29
    report = assay.json("report")
    assert (report["correctness"]["n"], report["items"]) == (29, 30)
    assert report["correctness"]["low"] == report["correctness"]["high"] == 1


def test_a_new_rule_never_changes_the_ledger(assay: Assay) -> None:
    """Frames, strata and probabilities stay as drawn; only the verdicts are the new rule's."""
    ingested(assay, 60, 40)
    assay("sample", "--labels", "20", "--seed", "7")
    ledger = "SELECT item, stratum, inclusion_probability FROM draws UNION ALL SELECT item, stratum, wave FROM frames"
    before = assay.sql(ledger)
    assay("rule", "set", "1 - s > 0.5")
    totals, sample = in_store(assay)

    assert assay.sql(ledger) == before
    assert totals == [Total("failed", Verdict.PASS, 40), Total("passed", Verdict.FAIL, 60)]
    assert {(one.stratum, one.verdict) for one in sample} == {("failed", Verdict.PASS), ("passed", Verdict.FAIL)}


def test_a_hand_picked_label_never_enters_the_sample(assay: Assay) -> None:
    """It came without a draw, so nobody knows its probability."""
    ids = ingested(assay, 60, 40)
    assay("labels", "import", assay.write("l.jsonl", [{"item_id": name, "label": "wrong"} for name in ids[:30]]))
    assay("sample", "--labels", "20", "--seed", "7")

    assert {one.judgement for one in in_store(assay)[1]} == {None}
    assert assay.json("report")["label_counts"]["hand_picked"] == 30
