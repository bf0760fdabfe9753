"""Batch, active and stream waves in one store, through the command; and a store of the first schema, brought up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import ProposalRequest
from annotate.store import Store
from annotate.workflow.sampling.draw import draw_wave
from proxy.evaluation.ledger import SampledItem, weight_of
from proxy.planning.allocation import NothingToDraw
from support.scored import gathered_of, open_ids, scored
from support.store import NOW, Assay, traffic_row


def ingested(assay: Assay, count: int, *, start: int = 0) -> dict[str, bool]:
    """Traffic with scores from 0 to 1 of a judge `s` and the rule s > 0.5; whether each item is right."""
    values = [(37 * k % count + 0.5) / count for k in range(count)]
    names = scored(assay, [traffic_row(f"t{start + k:04}") for k in range(count)], values)
    return {name: value > 0.6 or 11 * k % 10 < 2 for k, (name, value) in enumerate(zip(names, values, strict=True))}


def answer(assay: Assay, truth: dict[str, bool]) -> None:
    """Label every open draw."""
    rows = [{"item_id": name, "label": "right" if truth[name] else "wrong"} for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", rows))


def sample(assay: Assay) -> list[SampledItem]:
    """The drawn items as the estimators get them."""
    traffic = gathered_of(assay)
    return list(traffic.evidence(traffic.rules[0]).sample)


@pytest.mark.slow
def test_all_designs_add_up_in_one_store(assay: Assay) -> None:
    """A batch, an active wave, then new traffic at a fixed rate: no item twice, the truth inside, weights near the sizes."""
    truth = ingested(assay, 400)
    first = assay.json("sample", "--labels", "80", "--seed", "7")
    answer(assay, truth)
    second = assay.json("sample", "--labels", "60", "--active", "--seed", "8")
    answer(assay, truth)
    truth |= ingested(assay, 300, start=400)
    third = assay.json("sample", "--rate", "0.2", "--rate-failed", "0.3", "--seed", "9")
    answer(assay, truth)
    report, items = assay.json("report"), sample(assay)

    assert [wave["design"] for wave in (first, second, third)] == ["stratified", "active", "stream"]
    assert (first["drawn"], second["size"], third["size"]) == (80, 320, 300)
    assert assay.sql("SELECT count(*) = count(DISTINCT item) FROM draws") == [(1,)]
    assert all(0 < draw.inclusion_probability <= 1 for draw in draws(assay))
    assert {len(item.chances) for item in items} == {1, 2}
    assert {item.chances[0] for item in items if len(item.chances) == 1} <= {0.2, 0.3}
    assert sum(weight_of(item.chances, item.own)[0] for item in items) == pytest.approx(700, rel=0.15)
    correctness = report["correctness"]
    assert correctness["low"] < sum(truth.values()) / 700 < correctness["high"]
    assert correctness["n"] == report["labels"] == len(items)
    assert not any("no estimate speaks of them" in warning for warning in report["warnings"])


def draws(assay: Assay) -> list[SampledItem]:
    store = Store(assay.db)
    try:
        return list(store.sampling.waves.all_draws())  # type: ignore[arg-type]
    finally:
        store.close()


@pytest.mark.slow
def test_the_ledger_keeps_each_items_own_chance(assay: Assay) -> None:
    """In an active wave it stands beside the item, drawn or not; in a batch the stratum tells it."""
    truth = ingested(assay, 200)
    assay("sample", "--labels", "40", "--seed", "7")
    answer(assay, truth)
    assay("sample", "--labels", "30", "--active", "--seed", "8")

    assert assay.sql("SELECT count(*), count(probability) FROM frames WHERE wave = 1") == [(200, 0)]
    assert assay.sql("SELECT count(*), count(probability) FROM frames WHERE wave = 2") == [(200, 200)]
    differing = (
        "SELECT count(*) FROM draws d JOIN frames f USING (item, wave) WHERE f.probability != d.inclusion_probability"
    )
    assert assay.sql(differing) == [(0,)]
    expected = (
        "SELECT sum(probability) FROM frames f WHERE wave = 2 AND item NOT IN (SELECT item FROM draws WHERE wave = 1)"
    )
    assert assay.sql(expected)[0][0] == pytest.approx(30, rel=1e-6)
    assert assay.sql("SELECT DISTINCT is_fixed FROM strata WHERE wave = 2") == [(0,)]


@pytest.mark.slow
def test_a_stream_decides_the_same_however_often_it_runs(assay: Assay, tmp_path: Path) -> None:
    """One command over 300 items draws what three commands over 100 draw; it keeps its seed, and frames an item once."""
    in_parts = Assay(tmp_path / "other", tmp_path / "other" / "assay.db")
    in_parts.folder.mkdir()
    ingested(assay, 300)
    assay("sample", "--rate", "0.1", "--seed", "5")
    for start in (0, 100, 200):
        ingested(in_parts, 100, start=start)
        in_parts("sample", "--rate", "0.1", *(["--seed", "5"] if not start else []))
    drawn = "SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY 1"

    assert len(assay.sql(drawn)) > 10
    assert in_parts.sql(drawn) == assay.sql(drawn)
    assert in_parts.sql("SELECT count(*), count(DISTINCT item) FROM frames") == [(300, 300)]


def contents(assay: Assay) -> list[object]:
    """Everything that a wave writes."""
    return [assay.sql(f"SELECT * FROM {name}") for name in ("waves", "strata", "frames", "draws", "events")]


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--seed", "6"), ("--rate-failed", "0.9"), ("--dry-run",)])
def test_a_stream_with_nothing_new_writes_nothing(assay: Assay, words: tuple[str, ...]) -> None:
    """Refused with what to do, as often as it is asked; the next wave over new traffic has the next number."""
    ingested(assay, 100)
    first = assay.json("sample", "--rate", "0.1", "--seed", "5")["wave"]
    before = contents(assay)

    for _ in range(2):
        said = assay("sample", "--rate", "0.1", *words, status=2).stderr
        assert "nothing new to draw from: every item has had its chance; ingest and judge more traffic" in said
        assert contents(assay) == before

    ingested(assay, 50, start=100)
    assert (first, assay.json("sample", "--rate", "0.1")["wave"]) == (1, 2)


def test_a_stream_over_an_empty_store_is_no_wave(store: Store) -> None:
    """Refused before it has a number, dry or not."""
    request = ProposalRequest(seed=1, design=WaveDesign.STREAM, rate=0.1, rate_failed=0.1)
    for dry_run in (True, False):
        with pytest.raises(NothingToDraw, match="nothing new to draw from"):
            draw_wave(store, request, now=NOW, dry_run=dry_run)

    assert (store.sampling.waves.next_number(), store.sampling.waves.all(), store.sampling.waves.all_draws()) == (
        1,
        [],
        [],
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give either --labels N for a wave, or --rate R for a stream"),
        (("--labels", "5", "--rate", "0.1"), "give either --labels N for a wave, or --rate R for a stream"),
        (("--rate", "0.1", "--active"), "leave out --active and --all-passed"),
        (("--rate", "0.1", "--all-passed"), "leave out --active and --all-passed"),
        (("--labels", "5", "--active", "--all-passed"), "leave out --all-passed"),
        (("--labels", "5", "--rate-failed", "0.1"), "--rate-failed goes with --rate"),
        (("--rate", "0"), "0"),
        (("--rate", "1.5"), "1.5"),
        (("--labels", "20", "--active"), "no earlier label says what is unsure: draw a first wave without --active"),
    ],
)
def test_what_does_not_go_together_is_refused(assay: Assay, words: tuple[str, ...], said: str) -> None:
    """One line that says what to leave out, status 2, and nothing is written."""
    ingested(assay, 40)

    assert said in " ".join(assay("sample", *words, status=2).stderr.split())
    assert assay.sql("SELECT count(*) FROM waves") == [(0,)]


@pytest.mark.slow
def test_a_stratum_taken_whole_and_never_answered_stays_unknown(assay: Assay) -> None:
    """20 thumbs-down went out whole and none came back; that a later wave had none left to draw tells nothing of them."""
    truth = ingested(assay, 200)
    down = list(truth)[:20]
    assay("feedback", assay.write("f.jsonl", [{"item_id": name, "value": -1} for name in down]))
    for seed in ("7", "8"):
        assay("sample", "--labels", "60", "--seed", seed)
        drawn = [row[0] for row in assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item")]
        rows = [{"item_id": n, "label": "right" if truth[n] else "wrong"} for n in drawn if n not in down]
        assay("labels", "import", assay.write("labels.jsonl", rows))
    correctness = assay.json("report")["correctness"]

    assert correctness["estimate"] is None
    assert "20 items of thumbs_down" in correctness["reason"]
    assert correctness["high"] - correctness["low"] > 0.1
