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
        for judge, value in (("good", 0.9 if n % 3 or n % 15 == 0 else 0.2), ("inverted", 0.1 if n % 3 else 0.6))
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
    """A good judge, an inverted one, one with seven scores, a metric on 60 of 80, and one that nothing can be worked out of."""
    told = labelled(assay).json("metrics", "--measured")
    judges = {judge["judge"]: judge for judge in told["judges"]}
    [mrr] = told["without_scores"]

    assert {name: judge["separation"] for name, judge in judges.items()} == {
        "good": "separates",
        "inverted": "inverted",
        "few": "unmeasurable",
        "token_f1": "separates",
    }
    assert judges["good"]["auroc"]["for_all_rules"]["low"] < judges["good"]["auroc"]["long_run"]["low"]
    assert judges["inverted"]["auroc"]["for_all_rules"]["high"] < 0.5
    assert judges["few"]["auroc"]["for_all_rules"] is None
    assert (judges["token_f1"]["scored"], judges["token_f1"]["auroc"]["n"], told["items"]) == (60, 60, 80)
    assert judges["token_f1"]["reasons"] == [{"reason": "the item has no reference", "rows": 20}]
    assert (mrr["judge"], mrr["scored"]) == ("mrr", 0)
    assert mrr["reasons"] == [{"reason": "the item has no relevant_ids", "rows": 80}]

    printed = " ".join(assay("metrics", "--measured", "--full").stdout.split())
    assert (
        "Shown to tell right from wrong: 2 of 5 judges and metrics (token_f1, good). Misleading: inverted." in printed
    )
    assert "60 of 80" in printed
    assert "Without a score: mrr (80 × the item has no relevant_ids)." in printed
    assert "hold for all 3 at once" in printed

    report = {judge["judge"]: judge for judge in assay.json("report")["judges"]}
    assert {name: judge["separation"] for name, judge in report.items()} == {
        name: judge["separation"] for name, judge in judges.items()
    }


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
    document = Project.open(assay.db).judges().document
    check(document)
    printed = markdown.render(document, full=True)
    assert f"{wrong} scores against a reference that was written with the answer's own label" in printed
    assert "no verdict: the label decides what is scored" in printed
