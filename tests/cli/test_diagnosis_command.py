"""`assay diagnose` on a real store: the post's sixteen answers, the demo, and what is said where little is known."""

from __future__ import annotations

import pytest

from support.diagnosis import given, pointed, scored
from support.store import Assay, label, traffic_row

# The post: eight questions by two pipelines. Retrieval failed five questions at k = 3; one answer was relevant, faithful and
# wrong.
FAILED = ("q2", "q4", "q5", "q6", "q8")
MISSED = "q3"
RELEVANCE = {"q2": 0.0, "q4": 0.5, "q5": 0.25, "q6": 0.5, "q8": 0.25}


def post(assay: Assay, *, is_drawn: bool = True) -> None:
    """The sixteen answers: ten right and passed, five wrong and failed, one wrong and passed."""
    rows, scores, labels = [], [], []
    for question in (f"q{n}" for n in range(1, 9)):
        for k in (3, 8):
            name, is_failed = f"{question}-k{k}", k == 3 and question in FAILED
            passages = [f"Passage {n} on {question}." for n in range(k)]
            rows.append(
                traffic_row(
                    name, question=f"What of {question}?", contexts=passages, system=f"top-k-{k}", group=question
                )
            )
            # At k = 3 the fifth failed answer leaves its passages as well.
            scores += scored(
                name, RELEVANCE[question] if is_failed else 1.0, 0.0 if is_failed and question == "q8" else 1.0
            )
            is_missed = k == 3 and question == MISSED
            causes = ["retrieval_missed"] if is_failed else ["misread_question"] if is_missed else []
            why = {"rationale": "It answers another question.", "causes": causes} if causes else {}
            labels.append(label(name, "wrong" if causes else "right", **why))
    given(assay, rows, scores, labels, is_drawn=is_drawn)


@pytest.mark.slow
def test_the_post_is_too_small_to_name_a_stage(assay: Assay) -> None:
    """Five of six wrong answers have low-scored passages, and eight labels show nothing; exactly 0.5 is not relevant."""
    post(assay)
    diagnosis = assay.json("diagnose")
    three, eight = diagnosis["systems"]

    assert diagnosis["answer"] == "No stage can be named: too few labels to tell (6 wrong, 10 right)."
    assert "no stage can be named for any of the 2 alone" in " ".join(assay("diagnose").stdout.split())
    assert (three["system"], three["right"], three["wrong"], three["naming"]["stage"]) == ("top-k-3", 2, 6, None)
    assert (eight["right"], eight["wrong"], eight["naming"]["stage"]) == (8, 0, None)
    assert [(quadrant["name"], quadrant["right"], quadrant["wrong"]) for quadrant in three["quadrants"][:4]] == [
        ("relevant, faithful", 2, 1),
        ("relevant, not faithful", 0, 0),
        ("not relevant, faithful", 0, 4),
        ("not relevant, not faithful", 0, 1),
    ]
    assert [miss["item_id"] for miss in three["misses"]] == ["q3-k3"]
    assert {judge["judge"]: judge["value"] for judge in three["misses"][0]["judges"]} == {
        "context_relevance": 1.0,
        "faithfulness": 1.0,
    }
    retrieval = three["findings"][0]
    assert (retrieval["wrong"], retrieval["right"], retrieval["also_unfaithful"]) == (5, 0, 1)
    assert three["naming"]["obstacle"] == "too_few"
    assert three["naming"]["areas"]["retrieval"]["of_wrong"]["estimate"] == pytest.approx(5 / 6)
    assert retrieval["wrong_of_traffic"]["estimate"] == retrieval["wrong_of_traffic"]["low"] == 5 / 8
    assert retrieval["causes"] == []
    assert three["named_causes"][0]["of_wrong"]["estimate"] == pytest.approx(5 / 6)
    assert [(cause["cause"], cause["wrong"]) for cause in three["named_causes"]] == [
        ("retrieval_missed", 5),
        ("misread_question", 1),
    ]
    assert {(cause["cause"], cause["stage"]): cause["answers"] for cause in three["causes_by_stage"]} == {
        ("retrieval_missed", "retrieval"): 5,
        ("misread_question", "proxy"): 1,
    }
    assert three["disagreements"] == []
    # All sixteen are drawn and labelled: only more answers bring more labels.
    assert [step["commands"] for step in diagnosis["next"]] == [["assay ingest FILE"]]


@pytest.mark.slow
def test_the_page_has_its_order(assay: Assay) -> None:
    """What can be named, the counts by part, then each system: its labels, its table, its misses, its causes; and what to do."""
    post(assay)
    page = assay("diagnose", "--full").stdout
    order = [
        "No stage can be named: too few labels to tell (6 wrong, 10 right).",
        "counts, not evidence",
        "passages scored low        5 of 6        0 of 2  62 % (exact, all labelled)",
        "both scored high           1 of 6        2 of 2  12 % (exact, all labelled)",
        "System: top-k-3",
        "No stage can be named: too few labels to tell (6 wrong, 2 right).",
        "passages scored low), 1 is also not faithful",
        "Relevant above 0.500, faithful above 0.500",
        "Scored relevant and faithful, yet wrong: 1.",
        "context_relevance 1.00: context_relevance of q3-k3",
        "rationale: It answers another question.",
        "Misread the question      1  17 % (exact, all labelled)",
        "System: top-k-8",
        "next: ",
        "    assay ingest FILE",
    ]

    places = [page.find(words) for words in order]
    assert places == sorted(places), list(zip(places, order, strict=True))
    assert places[0] >= 0
    assert "bottleneck" not in page
    assert "Try: " not in page


@pytest.mark.slow
def test_the_demo_tells_the_same(assay: Assay) -> None:
    """Its judges run live: too few labels, one own miss; report and diagnosis share their sentences."""
    assay("demo")
    diagnosis = assay.json("diagnose")

    assert diagnosis["answer"] in " ".join(assay("report", "--full").stdout.split())
    assert assay.json("report")["stages"]["sentence"] == diagnosis["answer"]
    assert "q3-k3" in assay("diagnose", "--system", "top-k-3", "--full").stdout


@pytest.mark.slow
def test_hand_picked_labels_are_counted_and_not_weighted(assay: Assay) -> None:
    """The same counts; they show nothing of other answers."""
    post(assay, is_drawn=False)
    three = assay.json("diagnose", "--system", "top-k-3")["systems"][0]
    page = assay("diagnose", "--system", "top-k-3", "--full").stdout

    assert (three["naming"]["stage"], three["hand_picked"]) == (None, 8)
    assert three["findings"][0]["wrong_of_traffic"]["estimate"] is None
    assert "too few drawn labels to compare" in page
    assert "8 of the labels were picked by hand" in page
    assert "%" not in page


@pytest.mark.slow
def test_a_cut_moves_answers(assay: Assay) -> None:
    """Above 0.4 the two answers at exactly 0.5 are relevant and faithful: they become the proxy's own misses."""
    post(assay)
    three = assay.json("diagnose", "--relevance-threshold", "0.4", "--system", "top-k-3")["systems"][0]

    assert [finding["wrong"] for finding in three["findings"]] == [3, 0, 0, 3, 0, 0]
    assert any("Passages lack it" in sentence for sentence in three["disagreements"])


def test_without_a_label_there_is_nothing_to_diagnose(loaded: Assay) -> None:
    """Words, with the command that draws labels."""
    loaded("judge")

    assert "no answer has a label" in loaded("diagnose").stdout
    assert loaded.json("diagnose")["systems"] == []


@pytest.mark.slow
def test_an_empty_store_and_unsure_labels_are_words(assay: Assay) -> None:
    """Unsure decides nothing."""
    given(assay, [traffic_row("a")], scored("a", 1.0, 1.0), [label("a", "unsure")])

    assert "no label says right or wrong" in assay("diagnose").stdout


@pytest.mark.slow
def test_right_labels_alone_name_no_stage(assay: Assay) -> None:
    """Nothing to mend, and no command to mend it."""
    given(assay, [traffic_row(n) for n in "ab"], scored("a", 1.0, 1.0), [label("a"), label("b")])
    page = assay("diagnose").stdout

    assert "none of the labels says wrong (2 right)" in page
    assert "next: " not in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("relevance", "faithfulness", "words", "first"),
    [
        (None, None, "context_relevance and faithfulness", None),
        (None, 1.0, "No answer has a score of context_relevance", None),
        (0.2, None, "only retrieval can be told", ["retrieval"]),
        (0.9, None, "only retrieval can be told", None),
    ],
)
def test_a_judge_without_scores_is_named(
    assay: Assay, relevance: float | None, faithfulness: float | None, words: str, first: list[str] | None
) -> None:
    """What is needed, in words; passages that miss the question need no score of faithfulness."""
    scores = [*scored("a", relevance, faithfulness), {"item_id": "a", "judge": "mine", "value": 0.9}]
    given(assay, [traffic_row("a")], scores, [label("a", "wrong")])
    page = " ".join(assay("diagnose").stdout.split())

    assert pointed(assay.json("diagnose")) == (first or ["untold"])
    assert words in page
    assert "assay judge" in page
    assert "mine" in page


@pytest.mark.slow
def test_answers_without_passages_have_their_own_line(assay: Assay) -> None:
    """All wrong ones without, a right one with: retrieval is not blamed, and what to bring is said."""
    rows = [traffic_row(name, **({} if name == "c" else {"contexts": []})) for name in "abcdef"]
    given(assay, rows, [], [label(name, "right" if name == "c" else "wrong") for name in "abcdef"])
    assay("judge")
    system, page = assay.json("diagnose")["systems"][0], " ".join(assay("diagnose").stdout.split())

    assert {finding["stage"]: finding["wrong"] for finding in system["findings"] if finding["wrong"]} == {
        "no_passages": 5
    }
    assert next(quadrant for quadrant in system["quadrants"] if quadrant["name"] == "no passages")["wrong"] == 5
    assert "No stage can be named: 5 of 5 labelled wrong answers have no passages logged. Bring what the app" in page
    assert "miss the question" not in page
    assert "run `assay judge`" not in page


@pytest.mark.slow
def test_one_quadrant_alone(assay: Assay) -> None:
    """All wrong answers relevant and unfaithful, and none is right: nothing to compare them with."""
    names = [f"i{n}" for n in range(6)]
    scores = [row for name in names for row in scored(name, 0.9, 0.1)]
    given(assay, [traffic_row(name) for name in names], scores, [label(name, "wrong") for name in names])
    page = assay("diagnose", "--full").stdout

    assert "No stage can be named" in page
    assert "passages scored high, answer not faithful        6 of 6" in page
    assert "named no cause" in page


@pytest.mark.slow
def test_an_unknown_system_is_wrong_usage(assay: Assay) -> None:
    """The systems that there are stand in the message."""
    post(assay)

    assert "top-k-3, top-k-8" in assay("diagnose", "--system", "top-k-5", status=2).stderr


@pytest.mark.slow
def test_a_system_without_labels_is_named(assay: Assay) -> None:
    """It is not diagnosed, and the page says so."""
    rows = [traffic_row("a", system="old"), traffic_row("b", system="new")]
    given(assay, rows, scored("a", 0.1, 0.9), [label("a", "wrong")])

    assert "Without a label, so not diagnosed: new." in assay("diagnose").stdout


@pytest.mark.slow
def test_the_rule_in_force_says_which_scores_are_read(assay: Assay) -> None:
    """Newer scores of the same judge are read only where no rule in force reads others."""
    given(assay, [traffic_row("a")], scored("a", 0.9, 0.1), [label("a", "wrong")])
    assay("rule", "set", "min(context_relevance, faithfulness) > 0.5")
    newer = [{**row, "value": 0.1, "signature": "newer"} for row in scored("a", 0.1, 0.1)]
    assay("scores", "import", assay.write("newer.jsonl", newer))

    assert pointed(assay.json("diagnose")) == ["synthesis"]
    assay("rule", "set", "context_relevance > 0.5", "--signature", "context_relevance=newer")
    assert pointed(assay.json("diagnose")) == ["retrieval"]


@pytest.mark.slow
def test_nothing_in_a_text_steers_the_terminal(assay: Assay) -> None:
    """Answers, reasons and system names are shown on one line without control characters."""
    rows = [traffic_row("a", answer="red \x1b[31m\nnew line", system="sys\x1btem")]
    given(assay, rows, scored("a", 0.9, 0.9), [label("a", "wrong", rationale="bell \x07")])

    assert not set("\x1b\x07") & set(assay("diagnose", "--full").stdout)


@pytest.mark.parametrize("threshold", ["nan", "1", "-0.1", "half"])
def test_a_cut_that_no_score_can_lie_above_is_wrong_usage(loaded: Assay, threshold: str) -> None:
    """A threshold is a number from 0 to below 1."""
    loaded("diagnose", "--relevance-threshold", threshold, status=2)
