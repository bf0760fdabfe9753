"""The scores of a version beside those of the judge in force: the same way round, on the labels that are asked for."""

from __future__ import annotations

from contextlib import closing

from annotate.analysis.aligned_judges.alignment import oriented, side_by_side
from annotate.store import Store
from proxy.evaluation.alignment import tunes
from proxy.evaluation.candidates import JudgeKey
from support.scored import open_ids
from support.store import Assay, label, traffic_row


def test_where_low_is_good_a_version_is_turned_round_as_the_judge_is(assay: Assay) -> None:
    """A version with the very scores of the judge in force has its AUROC: both are 1 - score."""
    rows = [traffic_row(f"i{n}", question=f"Where is room {n}?") for n in range(60)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    judge = JudgeKey(judge="aspect_harmfulness", signature="aspect_harmfulness|mine|v1")
    scores = [
        {"item_id": f"i{n}", "judge": judge.judge, "signature": judge.signature, "value": n / 60} for n in range(60)
    ]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("judge")
    assay("sample", "--labels", "60", "--seed", "1")
    given = [label(name, "wrong" if int(name[1:]) > 30 else "right") for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", given))

    with closing(Store(assay.db, reads_only=True)) as store:
        key = store.scores.known_keys([(judge.judge, judge.signature)])[judge.judge, judge.signature]
        values = store.scores.values_among(range(1, 61), key)
        for tuning in (True, False):
            own, beside = side_by_side(store, judge, values, tuning=tuning, share=0.5)
            assert own.values.tolist() == beside.values.tolist()
            assert own.values[own.right > 0].min() > own.values[own.right == 0].max()
        questions = [key for (key,) in assay.sql("SELECT question FROM items")]
        assert len(own.values) == sum(not tunes(question, 0.5) for question in questions)
    assert oriented("aspect_harmfulness", 0.25) == 0.75
    assert oriented("overall", 0.25) == 0.25
    assert oriented("aspect_harmfulness", None) is None
