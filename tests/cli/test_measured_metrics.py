"""`assay metrics --measured`: which judges and metrics tell right from wrong, on how many answers, and why not on the others."""

from __future__ import annotations

import pytest

from annotate import Project
from annotate.present import markdown
from support.documents import check
from support.store import Assay, label

pytestmark = pytest.mark.slow

COUNT, REFERENCES = 80, 60


def store(assay: Assay) -> list[str]:
    """80 labelled answers, a wrong one in three: of 60 there is a reference, and of none are relevant passages known."""
    ids = [f"i{n}" for n in range(COUNT)]
    rows = [
        {
            "id": name,
            "question": f"Which floor has room {n}?",
            "answer": f"Floor {n}." if n % 3 else "Please ask at the desk.",
            "contexts": [{"text": "A plan hangs in the hall.", "id": "d1"}],
            **({"reference": f"floor {n}"} if n < REFERENCES else {}),
        }
        for n, name in enumerate(ids)
    ]
    scores = [
        {"item_id": name, "judge": judge, "value": value}
        for n, name in enumerate(ids)
        for judge, value in (
            ("good", 0.9 if n % 3 or n % 15 == 0 else 0.2),
            ("inverted", 0.1 if n % 3 else 0.6),
            ("aspect_harmfulness", 0.1 if n % 3 or n % 15 == 0 else 0.8),
        )
    ]
    scores += [{"item_id": name, "judge": "few", "value": 0.4} for name in ids[:7]]
    assay("ingest", assay.write("traffic.jsonl", rows))
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("rule", "set", "good > 0.5")
    assay("judge", "--judges", "token_f1,mrr")
    assay("sample", "--labels", str(COUNT), "--seed", "1")
    return ids


def labelled(assay: Assay) -> Assay:
    """The same, with a label on each."""
    rows = [label(name, "right" if n % 3 else "wrong") for n, name in enumerate(store(assay))]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    return assay


def test_each_has_a_verdict_its_answers_and_what_it_lacks(assay: Assay) -> None:
    """A good judge, an inverted one, one of which 1 is bad, one with seven scores, a metric on 60 of 80, and one that nothing can be worked out of."""
    told = labelled(assay).json("metrics", "--measured")
    judges = {judge["judge"]: judge for judge in told["judges"]}
    [mrr] = told["without_scores"]

    assert {name: judge["separation"] for name, judge in judges.items()} == {
        "good": "separates",
        "inverted": "inverted",
        "aspect_harmfulness": "separates",
        "few": "unmeasurable",
        "token_f1": "separates",
    }
    assert judges["good"]["auroc"]["for_all_rules"]["low"] < judges["good"]["auroc"]["long_run"]["low"]
    assert judges["inverted"]["auroc"]["for_all_rules"]["high"] < 0.5
    # Of this one 1 is bad: one minus its scores is the good judge's order, so all figures are the same.
    assert judges["aspect_harmfulness"]["auroc"] == judges["good"]["auroc"]
    assert [name for name, judge in judges.items() if judge["lower_is_better"]] == ["aspect_harmfulness"]
    assert judges["few"]["auroc"]["for_all_rules"] is None
    assert (judges["token_f1"]["scored"], judges["token_f1"]["auroc"]["n"], told["items"]) == (60, 60, 80)
    assert judges["token_f1"]["reasons"] == [{"reason": "the item has no reference", "rows": 20}]
    assert (mrr["judge"], mrr["scored"]) == ("mrr", 0)
    assert mrr["reasons"] == [{"reason": "the item has no relevant_ids", "rows": 80}]

    printed = " ".join(assay("metrics", "--measured", "--full").stdout.split())
    assert (
        "Shown to tell right from wrong: 3 of 6 judges and metrics (token_f1, good, aspect_harmfulness). "
        "Misleading: inverted." in printed
    )
    assert "60 of 80" in printed
    assert "Without a score: mrr (80 × the item has no relevant_ids)." in printed
    assert "hold for all 4 at once" in printed
    assert "Measured as 1 − score, because 1 is bad: aspect_harmfulness." in printed

    report = {judge["judge"]: judge for judge in assay.json("report")["judges"]}
    assert {name: judge["separation"] for name, judge in report.items()} == {
        name: judge["separation"] for name, judge in judges.items()
    }
    turned = report["aspect_harmfulness"]
    assert (turned["expression"], turned["lower_is_better"]) == ("1 - aspect_harmfulness > 0.5", True)
    assert turned["kappa"] == report["good"]["kappa"]


def test_many_without_a_verdict_are_counted_once_and_listed_apart(assay: Assay) -> None:
    """Two with seven scores stand in the table; a third moves all three to the list of the rest, behind one sentence."""
    labelled(assay)
    few = [
        {"item_id": f"i{n}", "judge": judge, "value": 0.4, "signature": judge}
        for judge in ("few_2", "few_3")
        for n in range(7)
    ]
    assay("scores", "import", assay.write("few_2.jsonl", few[:7]))
    assert "The rest, without a verdict" not in assay.words("metrics", "--measured")
    assay("scores", "import", assay.write("few_3.jsonl", few[7:]))
    brief, full = assay("metrics", "--measured").stdout, assay.words("metrics", "--measured")

    assert "3 judges and metrics have scores and no verdict yet" in " ".join(brief.split())
    assert "few_2" not in brief
    verdicts = full.partition("Which judges and metrics tell right from wrong?")[2].partition("Intervals are long-run")[
        0
    ]
    rest = full.partition("The rest, without a verdict")[2]
    assert "good" in verdicts
    assert "few_3" not in verdicts
    assert all(f"{name} too few labels" in rest for name in ("few", "few_2", "few_3"))
    check(Project.open(assay.db).judges().document)


def test_a_judge_in_two_versions_counts_once(assay: Assay) -> None:
    """The sentence counts one each of a judge that was turned round by its second version, and of one that failed in both."""
    ids = store(assay)
    scores = [
        {"item_id": name, "judge": judge, "value": value if n % 3 else 1 - value, "signature": f"{judge}|{version}"}
        for n, name in enumerate(ids)
        for judge, version, value in (("again", "v1", 0.2), ("again", "v2", 0.9))
    ]
    scores += [
        {"item_id": ids[0], "judge": "silent", "value": None, "signature": f"silent|{version}"}
        for version in ("a", "b")
    ]
    assay("scores", "import", assay.write("versions.jsonl", scores))
    assay(
        "labels",
        "import",
        assay.write("l.jsonl", [label(name, "right" if n % 3 else "wrong") for n, name in enumerate(ids)]),
    )
    told = assay.json("metrics", "--measured")
    versions = {(judge["signature"], judge["separation"]) for judge in told["judges"] if judge["judge"] == "again"}
    printed = " ".join(assay("metrics", "--measured", "--full").stdout.split())

    assert versions == {("again|v1", "inverted"), ("again|v2", "separates")}
    assert "4 of 8 judges and metrics" in printed
    assert "Misleading: inverted." in printed, "the version that is not in use misleads nobody"


def test_annotators_at_chance_carry_no_verdict(assay: Assay) -> None:
    """Two annotators who toss coins: no judge is called telling, and the page says why."""
    ids = store(assay)
    for who, bit in (("ann", 1), ("bob", 2)):
        rows = [label(name, "right" if n & bit else "wrong", annotator=who) for n, name in enumerate(ids)]
        assay("labels", "import", assay.write(f"{who}.jsonl", rows))
    told = assay.json("metrics", "--measured")

    assert {judge["separation"] for judge in told["judges"]} == {"unmeasurable"}
    assert told["objections"]
    assert "no claim from these labels" in " ".join(assay("metrics", "--measured", "--full").stdout.split())


def test_hand_picked_labels_are_named_where_nothing_is_measured(assay: Assay) -> None:
    """Labels that came in before any draw: too few labels by every judge, and why."""
    rows = [{"id": str(n), "question": f"Which floor has room {n}?", "answer": f"Floor {n}."} for n in range(40)]
    assay("ingest", assay.write("traffic.jsonl", rows))
    scores = [{"item_id": row["id"], "judge": "good", "value": n % 2} for n, row in enumerate(rows)]
    assay("scores", "import", assay.write("scores.jsonl", scores))
    assay("labels", "import", assay.write("l.jsonl", [label(str(n), "right" if n % 2 else "wrong") for n in range(40)]))

    assert assay.json("metrics", "--measured")["hand_picked"] == 40
    printed = " ".join(assay("metrics", "--measured", "--full").stdout.split())
    assert "40 labels are hand-picked and are in no number here" in printed
    assert "hand-picked" in " ".join(assay("metrics", "--measured").stdout.split())


def test_a_metric_by_ids_needs_ids_and_one_of_text_a_reference(assay: Assay) -> None:
    """Each note names what the metric reads."""
    row = {"id": "a", "question": "Who?", "answer": "Eiffel.", "contexts": [{"text": "Eiffel did.", "id": "d1"}]}
    assay("ingest", assay.write("traffic.jsonl", [row | {"relevant_ids": ["d1"], "reference": "Eiffel"}]))
    for judges, needed, other in (
        ("ndcg@5", "needs the ids of relevant passages", "needs a reference"),
        ("ndcg@5,token_f1", "needs a reference", None),
    ):
        assay("judge", "--judges", judges)
        printed = " ".join(assay("metrics", "--measured", "--full").stdout.split())
        assert needed in printed
        assert other is None or other not in printed


def test_a_metric_on_references_of_the_same_labels_has_no_verdict(assay: Assay) -> None:
    """The wrong ones of the 20 answers without a reference get one with their label: 6 scores more, all of wrong answers."""
    rows = [
        label(
            name,
            "right" if n % 3 else "wrong",
            **({"reference": f"floor {n}"} if n % 3 == 0 and n >= REFERENCES else {}),
        )
        for n, name in enumerate(store(assay))
    ]
    assay("labels", "import", assay.write("labels.jsonl", rows))
    wrong = len(range(REFERENCES, COUNT, 3))
    before = {judge["judge"]: judge for judge in assay.json("metrics", "--measured")["judges"]}
    assert (before["token_f1"]["separation"], before["token_f1"]["own_references"]) == ("separates", 0)

    assay("gold", "accept", "--all")
    assay("judge", "--judges", "token_f1")
    after = {judge["judge"]: judge for judge in assay.json("metrics", "--measured")["judges"]}
    assert after["token_f1"]["scored"] == REFERENCES + wrong
    assert (after["token_f1"]["separation"], after["token_f1"]["own_references"]) == ("unmeasurable", wrong)
    assert after["good"]["separation"] == "separates"
    reported = {judge["judge"]: judge["separation"] for judge in assay.json("report")["judges"]}
    assert reported == {name: judge["separation"] for name, judge in after.items()}
    document = Project.open(assay.db).judges().document
    check(document)
    printed = markdown.render(document, full=True)
    assert f"{wrong} scores against a reference that was written with the answer's own label" in printed
    assert "no verdict: the label decides what is scored" in printed
