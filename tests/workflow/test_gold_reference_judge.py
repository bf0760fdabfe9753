"""Which offline judge compares answers with references: the labels of the store choose, on half of the questions."""

from __future__ import annotations

from typing import Any

import pytest

from annotate.analysis.gold import reference_judge, regression
from annotate.project import Project
from support.gold_check import RIGHT, WRONG, answers, gold_set
from support.store import Assay, label

REFERENCE = "alpha beta gamma delta epsilon"
# All five words among fifty: recall 1, precision 0.1. Three of them alone: recall 0.6, precision 1.
LONG, SHORT = f"{REFERENCE} {' '.join(f'filler{n}' for n in range(45))}", "alpha beta gamma"


def labelled(assay: Assay, long: str, short: str, count: int = 60) -> None:
    """A gold set of one question; answers to so many others, long and short, each with its label and a reference of its own."""
    gold_set(assay, answers("old", {"a": WRONG}), [label("old-a", "wrong", reference=RIGHT)])
    rows: list[dict[str, Any]] = []
    labels = []
    for kind, text, verdict in (("long", LONG, long), ("short", SHORT, short)):
        given = {f"k{n}": text for n in range(count)}
        rows += answers(kind, given, reference=REFERENCE)
        labels += [label(f"{kind}-{name}", verdict) for name in given]
    assay("ingest", assay.write("known.jsonl", rows))
    assay("labels", "import", assay.write("known_labels.jsonl", labels))


def check(assay: Assay, *args: str) -> dict[str, Any]:
    assay("ingest", assay.write("new.jsonl", answers("new", {"a": "One tablet."})))
    return assay.json("gold", "check", "--system", "new", *args)


@pytest.mark.slow
def test_labels_that_prefer_long_answers_choose_recall(assay: Assay) -> None:
    """Recall orders every right answer above every wrong one, the default none; precision and F1 order none either.

    The questions that chose do not tell how the judge does: the others, of sixty, do.
    """
    labelled(assay, long="right", short="wrong")
    checked = check(assay)

    assert checked["judge"] == "token_recall|offline|v1"
    printed = " ".join(assay("gold", "check", "--system", "new", "--full").stdout.split())
    assert "judged by token_recall, not correctness_vs_reference: on" in printed
    with Project.open(assay.db).reading() as store:
        choice = reference_judge.choose(store)
        known = {ask[1] for ask in regression.labelled_answers(store)}
    assert choice.difference is not None
    assert choice.difference.estimate == 1.0
    assert 5 < len(choice.questions) < 40
    measuring = [question for question in known if question not in choice.questions and "medicine k" in str(question)]
    assert checked["judge_sensitivity"]["n"] == len(measuring)


@pytest.mark.slow
def test_labels_that_show_nothing_leave_the_default(assay: Assay) -> None:
    """Short answers right and long ones wrong: the default orders them as well as precision does."""
    labelled(assay, long="wrong", short="right")
    checked = check(assay)

    assert checked["judge"].startswith("correctness_vs_reference|offline|")
    assert "judged by" not in assay("gold", "check", "--system", "new", "--full").stdout


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 30])
def test_few_labels_leave_the_default(assay: Assay, count: int) -> None:
    """Fewer than five of either kind cannot choose, and where half of them chose, the other half is to measure: 20 of each."""
    labelled(assay, long="right", short="wrong", count=count)

    assert check(assay)["judge"].startswith("correctness_vs_reference|offline|")


@pytest.mark.slow
def test_whoever_names_a_judge_gets_it(assay: Assay) -> None:
    """Any metric that reads references."""
    labelled(assay, long="right", short="wrong")

    assert check(assay, "--judge", "rougeL")["judge"] == "rougeL|offline|v1"
    assert "there is no judge ndcg" in assay("gold", "check", "--system", "new", "--judge", "ndcg", status=2).stderr
