"""Waves of one slice: what is drawn and remembered, and that estimates over all waves stay unbiased."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from annotate.domain.sampling import designs
from annotate.domain.sampling import proposal as sampling_proposal
from annotate.domain.sampling.proposal import Request
from annotate.workflow.sampling import draw as drawings
from proxy.evaluation.agreement import correctness_of
from proxy.evaluation.domains import Evidence
from proxy.evaluation.ledger import Drawing, SampledItem, Total
from proxy.records import Judgement, Verdict
from support.sampling import frame
from support.simulation import at_least, repeated
from support.store import Assay, traffic_row

pytestmark = pytest.mark.slow

LANGUAGES = ("en", "ko", "de")


def ingested(assay: Assay, count: int = 240) -> dict[str, bool]:
    """Items in three languages, three of four passed; passed answers in Korean are wrong half of the time. Who is right."""
    rows = [traffic_row(f"t{k:03}", language=LANGUAGES[k % 3]) for k in range(count)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    values = [0.2 if k // 3 % 4 == 0 else 0.6 + 0.001 * k for k in range(count)]
    scores = [{"item_id": row["id"], "judge": "s", "value": value} for row, value in zip(rows, values, strict=True)]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "s > 0.5")
    return {
        str(row["id"]): value < 0.5 if k // 12 % 2 else not (k % 3 == 1 and k // 3 % 2)
        for k, (row, value) in enumerate(zip(rows, values, strict=True))
    }


def answer(assay: Assay, truth: dict[str, bool], share: float = 1.0) -> None:
    """Label this share of the open draws."""
    assay("draws", "export", "draws.jsonl")
    lines = (assay.folder / "draws.jsonl").read_text(encoding="utf-8").splitlines()
    names = [json.loads(line)["item_id"] for line in lines]
    rows = [
        {"item_id": name, "label": "right" if truth[name] else "wrong"} for name in names[: round(share * len(names))]
    ]
    assay("labels", "import", assay.write("labels.jsonl", rows))


def test_a_wave_of_a_slice_frames_and_draws_its_items_only(assay: Assay) -> None:
    """Of 80 Korean items 30 are drawn, passed and failed ones, and the wave remembers what it was drawn of."""
    ingested(assay)
    drawn = assay.json("sample", "--labels", "30", "--slice", "language: ko", "--seed", "1")
    assert (drawn["drawn"], drawn["slice"], drawn["size"]) == (30, "language: ko", 80)
    assert {part["stratum"].split("_")[0] for part in drawn["strata"]} == {"passed", "failed"}
    tongues = assay.sql("SELECT i.language, count(*) FROM frames f JOIN items i ON i.key = f.item GROUP BY 1")
    assert tongues == [("ko", 80)]
    assert assay.sql("SELECT part FROM waves") == [("language: ko",)]


def test_an_unknown_slice_lists_the_names(assay: Assay) -> None:
    """Wrong usage: the message holds the names that there are, and nothing is drawn."""
    ingested(assay)
    result = assay("sample", "--labels", "30", "--slice", "language: fr", status=2)
    assert "language: de; language: en; language: ko" in result.output
    assert assay.sql("SELECT count(*) FROM waves") == [(0,)]


def test_a_stream_is_of_all_traffic(assay: Assay) -> None:
    """--slice with --rate is wrong usage: a stream gives every new item its chance."""
    ingested(assay)
    assert "--slice" in assay("sample", "--rate", "0.1", "--slice", "language: ko", status=2).output


def test_a_slice_that_was_drawn_whole_has_nothing_left(assay: Assay) -> None:
    """The second wave of the same 80 items says that there is nothing to draw."""
    ingested(assay)
    assay("sample", "--labels", "80", "--slice", "language: ko")
    assert "nothing to draw" in assay("sample", "--labels", "5", "--slice", "language: ko", status=2).output


def test_fresh_labels_confirm_a_slice_when_all_are_there(assay: Assay) -> None:
    """A wave of the slice is open until its last label; then its own labels are held against those outside of it."""
    truth = ingested(assay) | {f"t{k:03}": False for k in range(240) if k % 3 == 1 and k // 3 % 4}
    truth |= {f"t{k:03}": True for k in range(240) if k % 3 != 1 and k // 3 % 4}
    assay("sample", "--labels", "100", "--seed", "1")
    answer(assay, truth)
    found = assay.json("slices")
    assert ("language: ko", "wrong_pass") in [(one["slice"], one["mistake"]) for one in found["worse"]]
    assert found["to_confirm"] == []
    assay("sample", "--labels", "30", "--slice", "language: ko", "--seed", "2")
    answer(assay, truth, share=0.7)
    waiting = assay.json("slices")["to_confirm"]
    assert [(one["slice"], one["status"], one["open"]) for one in waiting] == [("language: ko", "open", 9)]
    assert "open: 9 to label" in assay("slices").output
    answer(assay, truth)
    (done,) = assay.json("slices")["to_confirm"]
    assert (done["status"], done["mistake"]) == ("confirmed", "wrong_pass")
    fresh = assay.sql(
        "SELECT count(*) FROM draws d JOIN verdicts v ON v.item = d.item WHERE wave = 2 AND verdict = 'pass'"
    )
    assert [(done["fresh"]["here"]["n"],)] == fresh
    assert done["fresh"]["here"]["estimate"] == 1.0
    assert done["fresh"]["elsewhere"]["errors"] == 0


def test_a_slice_without_a_difference_is_not_confirmed(assay: Assay) -> None:
    """Where no label is wrong, a wave of a slice confirms nothing."""
    truth = dict.fromkeys(ingested(assay), True)
    assay("sample", "--labels", "60", "--seed", "1")
    answer(assay, truth)
    assay("sample", "--labels", "30", "--slice", "language: ko", "--seed", "2")
    answer(assay, truth)
    assert [one["status"] for one in assay.json("slices")["to_confirm"]] == ["not_confirmed"]


Strata = NDArray[np.str_]


def two_waves(rng: np.random.Generator, right: NDArray[np.bool_], inside: NDArray[np.bool_]) -> Evidence:
    """A wave of 120 labels over 900 passed and 300 failed items, then one of 60 over those of a slice, as the ledger tells it."""
    whole = frame({"passed": 900, "failed": 300})
    drawing: list[Drawing] = []
    chances: list[list[float]] = [[] for _ in right]
    latest = np.zeros(len(right), dtype="U16")
    drawn: dict[int, tuple[int, int]] = {}
    for wave, labels, rows in ((1, 120, np.ones(len(right), dtype=bool)), (2, 60, inside)):
        known = np.array([float(right[k]) if k in drawn else np.nan for k in range(len(right))])
        eligible = np.array([k not in drawn for k in range(len(right))])
        part = drawings._within(replace(whole, right=known, is_eligible=eligible), rows)
        numbers = np.where(part.is_eligible, rng.random(len(part.keys)), 2.0)
        proposal = sampling_proposal.drawing(part, Request(labels=labels, seed=0), numbers)
        start = {one.stratum: len(drawing) + n for n, one in enumerate(proposal.plans)}
        drawing += [Drawing(wave, one.stratum, one.size, one.drawn, one.drawn, one.drawn) for one in proposal.plans]
        by_row = designs.batch_chances(proposal.strata, proposal.plans)
        for key, stratum, chance in zip(part.keys, proposal.strata, by_row, strict=True):
            chances[key].append(float(chance))
            latest[key] = stratum
        for row in proposal.rows:
            drawn[int(part.keys[row])] = (start[str(proposal.strata[row])], len(chances[part.keys[row]]) - 1)
    verdict = [Verdict.PASS if kind == "passed" else Verdict.FAIL for kind in whole.kinds]
    totals = Counter(zip(latest.tolist(), verdict, strict=True))
    return Evidence(
        totals=[Total(stratum, word, size) for (stratum, word), size in totals.items()],
        sample=[
            SampledItem(
                *(str(latest[k]), verdict[k], Judgement.RIGHT if right[k] else Judgement.WRONG, f"g{k}"),
                *(number, tuple(chances[k]), own),
            )
            for k, (number, own) in sorted(drawn.items())
        ],
        drawings=drawing,
    )


@repeated(80, 250)
def test_a_wave_of_a_slice_keeps_the_estimate_over_all_waves(repetitions: int) -> None:
    """Correctness over a first wave and one of a slice much worse than the rest is unbiased and covered in 95 %."""
    rng = np.random.default_rng(5)
    inside = rng.random(1_200) < 0.25
    passed = np.arange(1_200) < 900
    right = rng.random(1_200) < np.where(passed, 0.9, 0.35) - 0.4 * inside * passed
    truth, hits, sums = right.mean(), 0, 0.0
    for _ in range(repetitions):
        found = correctness_of(two_waves(rng, right, inside))
        hits += found.low <= truth <= found.high
        sums += found.estimate - truth
    assert hits / repetitions >= at_least(0.95, repetitions)
    assert abs(sums / repetitions) < 0.01 * np.sqrt(250 / repetitions)
