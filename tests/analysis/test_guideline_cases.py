"""Which answers a model writes guidelines from: experts' corrections, and users' of questions and groups that measure nothing."""

from __future__ import annotations

from contextlib import closing

from annotate.analysis.aligned_judges.alignment import alignment_labels
from annotate.analysis.aligned_judges.guideline_cases import guideline_cases
from annotate.store import Store
from proxy.evaluation.alignment import fold_of, tunes
from proxy.evaluation.candidates import JudgeKey
from proxy.judges.llm.guideline_writer import Correction, UserCorrection
from support.scored import open_ids
from support.store import Assay, label, traffic_row

BASE = JudgeKey(judge="mine", signature="mine|v1")
SHARE = 0.5


def test_a_user_s_correction_is_a_case_where_nothing_of_its_group_measures(assay: Assay) -> None:
    """Sixty answers are labelled wrong and called right. Of sixty others, each in a group with a labelled one, users correct all.

    From one half of the tuning questions those may teach whose question is in that half and whose group's label is, too.
    """
    first = [traffic_row(f"a{n}", question=f"Where is room {n}?", group=f"g{n}") for n in range(60)]
    assay("ingest", assay.write("first.jsonl", first))
    assay("judge")
    assay("sample", "--labels", "60", "--seed", "1")
    assay("labels", "import", assay.write("labels.jsonl", [label(name, "wrong") for name in open_ids(assay)]))
    second = [traffic_row(f"b{n}", question=f"Who is in room {n}?", group=f"g{n}") for n in range(60)]
    assay("ingest", assay.write("second.jsonl", second))
    scores = [
        {"item_id": f"{kind}{n}", "judge": BASE.judge, "signature": BASE.signature, "value": 0.9}
        for kind in "ab"
        for n in range(60)
    ]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    given = [{"item_id": f"b{n}", "value": "down", "correction": f"Nobody is in room {n}."} for n in range(60)]
    assay("feedback", assay.write("feedback.jsonl", given))
    questions = dict(assay.sql("SELECT id, question FROM items"))

    for fold in (0, 1, None):
        with closing(Store(assay.db, reads_only=True)) as store:
            cases = list(guideline_cases(store, BASE, alignment_labels(store, SHARE), fold).values())
        teaches = {name for name, key in questions.items() if tunes(key, SHARE) and fold in (None, fold_of(key))}
        of_users = {case.item.id for case in cases if isinstance(case, UserCorrection)}
        possible = {f"b{n}" for n in range(60) if {f"a{n}", f"b{n}"} <= teaches}
        assert possible
        assert of_users <= possible
        assert len(of_users) == min(4, len(possible))
        assert {case.example.item.id for case in cases if isinstance(case, Correction)} <= teaches
        assert len(cases) == 12
