"""`assay metrics` lists the catalogue; metrics are judges by their names, in the command, in rules and in Python."""

from __future__ import annotations

import pandas as pd
import pytest

import proxy
from annotate.project import Project
from proxy.errors import UsageError
from proxy.evaluation.candidates import JudgeKey, candidates, is_lower_better, is_reference_based
from proxy.judges.metrics import catalogue
from proxy.judges.metrics.catalogue import model_metrics
from proxy.rule import Rule, judges_of
from support.store import Assay, label

ROW = {
    "question": "How high is it?",
    "answer": "It is 330 m high.",
    "contexts": [{"text": "How high is the tower? It is 330 m high.", "id": "d1"}],
}
KNOWN = {"reference": "330 m", "relevant_ids": ["d1", "d2"], "retrieved": [{"id": "d2"}, {"id": "d1"}]}


@pytest.mark.slow
def test_the_catalogue_is_listed_in_every_door(assay: Assay) -> None:
    """The command, its JSON and the frame have the same metrics; no store is made."""
    listed = {metric["name"]: metric for metric in assay.json("metrics")["metrics"]}
    printed = assay("metrics", "--full").stdout
    frame = proxy.metrics()

    assert list(listed) == list(frame.index) == [metric.name for metric in catalogue.metrics()]
    assert {left["name"] for left in assay.json("metrics")["left_out"]} >= {"BERTScore"}
    assert listed["ndcg"]["needs"] == ["relevant_ids", "ids of the contexts"]
    assert listed["ndcg"]["examples"][0]["expected"] == pytest.approx(0.6509, abs=1e-4)
    assert {name for name, metric in listed.items() if not metric["is_higher_better"]} == {
        "aspect_harmfulness",
        "aspect_maliciousness",
        "noise_sensitivity_irrelevant",
        "noise_sensitivity_relevant",
    }
    assert all(f"{name} " in printed for name in listed)
    assert not assay.db.exists()


def test_metrics_of_a_frame() -> None:
    """As columns, None where undefined; references and relevant ids as lists."""
    frame = pd.DataFrame(
        [ROW | KNOWN | {"reference": ["300 ft", "330 m"]}, ROW | {"reference": None, "relevant_ids": None}]
    )
    names = ["recall@1", "recall_before_reranking@1", "token_recall"]
    scores = proxy.judge(frame, [proxy.metric(name) for name in names], reasons=True)

    assert scores[names].iloc[0].tolist() == [0.5, 0.5, 1.0]
    assert scores[names].iloc[1].isna().all()
    assert scores["recall@1_reason"].iloc[1] == "the item has no relevant_ids"
    with pytest.raises(UsageError, match=r"there is no metric token_f2: the metrics are .*token_f1"):
        proxy.metric("token_f2")


@pytest.mark.slow
def test_a_metric_is_no_part_of_a_proxy_unless_somebody_says_so(assay: Assay) -> None:
    """Neither a next step, nor a candidate rule, nor a predictor reads it; a rule that is set does, `@` included."""
    rows = [ROW | KNOWN | {"id": f"i{n}"} for n in range(3)]
    assay("ingest", assay.write("t.jsonl", rows))
    assay("judge")
    run = assay.json("judge", "--judges", "ndcg@10,token_f1")
    assay("labels", "import", assay.write("l.jsonl", [label("i0")]))

    assert run["next"] == []
    assert [judge["judge"] for judge in assay.json("report")["judges"]].count(
        "ndcg@10"
    ) == 1  # beside labels, as any judge
    in_force = Rule(name="r", version=1, expression="faithfulness > 0.5", signatures={"faithfulness": "f|1"})
    keys = [
        JudgeKey(judge=name, signature=f"{name}|1")
        for name in ("faithfulness", "context_relevance", "ndcg@10", "token_f1", *model_metrics())
    ]
    read = {judge for rule in candidates(in_force, keys, {}) for judge in rule.signatures}
    assert not [judge for judge in read if is_reference_based(judge) or is_lower_better(judge)]
    assert read >= {"context_utilization", "aspect_coherence"}
    assert not read & {"context_recall_statements", "aspect_harmfulness", "noise_sensitivity_irrelevant"}
    with Project.open(assay.db).reading() as store:
        from annotate.analysis.predictor import predictors

        assert {name for name, _ in predictors(store)} == {
            "answer_relevance",
            "context_relevance",
            "faithfulness",
            "refusal",
        }
    assay("rule", "set", "min(ndcg@10, token_f1) > 0.2")
    assert assay.json("rule", "list")["rules"][-1]["expression"] == "min(ndcg@10, token_f1) > 0.2"
    assert assay.json("judge", "--judges", "ndcg@10")["verdicts"]["pass"] == 3


def test_a_rule_reads_names_with_k() -> None:
    """`@` binds a name to its number before anything else; other uses of it are refused."""
    assert judges_of("2 * ndcg@10 - recall_before_reranking@5 > 0.1")[0] == ("ndcg@10", "recall_before_reranking@5")
    for odd in ("ndcg @ faithfulness > 0.1", "3 @ 4 > 0.1"):
        with pytest.raises(proxy.rule.RuleError):
            judges_of(odd)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("token_f2", "did you mean token_f1?"),
        ("Faithfulnes", "did you mean faithfulness?"),
        ("nDCG@10", "did you mean ndcg@10?"),
        ("MRR", "did you mean mrr?"),
        ("Recal_Before_Reranking@5", "did you mean recall_before_reranking@5?"),
        ("ndcg@0", "k is a whole number of at least 1, as in ndcg@10"),
        ("recall_before_reranking@x", "k is a whole number of at least 1, as in recall_before_reranking@10"),
        ("token_f1@5", "did you mean token_f1?"),
    ],
)
def test_an_unknown_judge_names_the_near_metric(assay: Assay, name: str, near: str) -> None:
    """Of those that `assay metrics` lists, in upper or lower case, and with its k."""
    assay("ingest", assay.write("t.jsonl", [ROW]))

    assert near in " ".join(assay("judge", "--judges", name, status=2).stderr.split())


def test_a_missing_package_is_told_at_once(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is judged."""
    monkeypatch.setattr(catalogue, "find_spec", lambda name: None)
    assay("ingest", assay.write("t.jsonl", [ROW | KNOWN]))

    assert "pip install 'assay[metrics]'" in assay("judge", "--judges", "bleu", status=2).stderr
