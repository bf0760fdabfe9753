"""What experts say of passages in the report: from a push that asks a share of the draws, counted by hand from the store."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing

import numpy as np
import pytest

from annotate.analysis.report.passages import is_of_passages
from annotate.present.messages import LANGUAGES, text
from annotate.project import Project
from annotate.store import Store
from support.passages import Answers, answered, asked, choice, relevance
from support.scored import open_ids, scored
from support.store import Assay, traffic_row

ITEMS, SHARE = 200, 0.6


def passages_of(name: str) -> tuple[bool, bool]:
    """The relevance of the passages of an answer: the first mostly is, the second of every third answer."""
    number = int(name[1:])
    return number % 5 != 0, number % 3 == 0


def said(name: str) -> Answers:
    """All answers about the passages of one answer; something is missing where the first passage is not relevant."""
    first, second = passages_of(name)
    return [*relevance(first, second), choice("sufficient", "sufficient" if first else "missing")]


def first_wave(assay: Assay) -> None:
    """200 answers, a quarter of which fails; 80 are drawn, failed ones more densely."""
    rows = [traffic_row(f"t{n:03}", group=f"g{n // 2}", system="ab"[n % 2]) for n in range(ITEMS)]
    scored(assay, rows, [0.1 if n % 4 == 0 else 0.9 for n in range(ITEMS)])
    judged = [
        {"item_id": row["id"], "judge": "context_relevance", "value": 0.8 * sum(passages_of(str(row["id"]))) / 2 + 0.1}
        for row in rows
    ]
    assay("scores", "import", assay.write("context.jsonl", judged))
    assay("sample", "--labels", "80", "--audit", "0.5", "--seed", "4")


def word_of(name: str) -> str:
    return "right" if int(name[1:]) % 4 else "wrong"


def prepared(assay: Assay, answer: Callable[[str], Answers] = said, share: float = SHARE) -> None:
    """The first wave, labelled, of which a share is asked."""
    first_wave(assay)
    with closing(Store(assay.db)) as store:
        answered(store, lambda draw: word_of(draw.item_id), lambda draw: answer(draw.item_id), share)


def by_hand(store: Store, value: Callable[[str], float]) -> float:
    """The mean of each stratum's asked draws, weighted by the stratum's size: no weights, no code of the estimators."""
    sizes = {part.stratum: part.size for wave in store.sampling.waves.all() for part in wave.strata}
    values = defaultdict(list)
    for draw in asked(store):
        values[draw.stratum].append(value(draw.item_id))
    assert set(values) == set(sizes)
    assert min(map(len, values.values())) >= 5  # so few would be taken together with a neighbour
    return sum(sizes[name] * float(np.mean(values[name])) for name in sizes) / sum(sizes.values())


@pytest.mark.slow
def test_the_report_estimates_both_quantities_from_the_asked_draws(assay: Assay) -> None:
    """Each asked draw stands for its stratum; the figures are those of arithmetic on the draws, n is the answers."""
    prepared(assay)
    report = assay.json("report")["passages"]
    with closing(Store(assay.db)) as store:
        precision = by_hand(store, lambda name: sum(passages_of(name)) / 2)
        sufficiency = by_hand(store, lambda name: float(passages_of(name)[0]))
        count = len(asked(store))

    assert 0.35 * 80 < count < 0.85 * 80
    assert (report["asked"], report["answered"]) == (count, count)
    for name, expected in (("context_precision", precision), ("context_sufficiency", sufficiency)):
        estimate = report[name]
        # The predictor of right answers may move it by what it explains: here nearly nothing.
        assert estimate["estimate"] == pytest.approx(expected, abs=0.01)
        assert estimate["n"] == count
        assert estimate["low"] < estimate["estimate"] < estimate["high"]
        assert estimate["long_run"]["low"] < estimate["estimate"] < estimate["long_run"]["high"]


@pytest.mark.slow
def test_judges_of_passages_stand_beside_the_experts(assay: Assay) -> None:
    """The score grows with the relevant passages, by hand over all pairs; other judges are not of passages."""
    prepared(assay, share=1.0)
    report = assay.json("report")
    [judge] = report["passages"]["judges"]
    assert (judge["judge"], judge["scores_each"]) == ("context_relevance", False)
    [whole] = [each for each in report["judges"] if each["judge"] == "context_relevance"]
    assert judge["right"].items() <= whole["auroc"].items(), "which holds for all judges at once as well"

    with closing(Store(assay.db)) as store:
        draws = asked(store)
    weighted = [(draw.item_id, 1 / draw.inclusion_probability) for draw in draws]
    for name, rows in (
        ("sufficient", [(passages_of(item)[0], sum(passages_of(item)), weight) for item, weight in weighted]),
        (
            "relevant",
            [(each, sum(passages_of(item)), weight) for item, weight in weighted for each in passages_of(item)],
        ),
    ):
        pairs = [
            (first * second, 1.0 if high > low else 0.5 if high == low else 0.0)
            for is_yes, high, first in rows
            if is_yes
            for is_other, low, second in rows
            if not is_other
        ]
        expected = sum(weight * order for weight, order in pairs) / sum(weight for weight, _ in pairs)
        assert judge[name]["estimate"] == pytest.approx(expected, abs=1e-4)
        assert judge[name]["low"] < judge[name]["estimate"] < judge[name]["high"]


@pytest.mark.slow
def test_agreement_at_the_threshold_is_counted_by_hand(assay: Assay) -> None:
    """Scores are .1, .5 and .9 with none, one and both passages relevant: above .5 are only answers of which both are.

    The rule in force does not read this judge, so that the threshold is that of a judge alone. Each passage has the score of its
    answer; an answer on which one of two agrees counts a half.
    """
    prepared(assay)
    [judge] = assay.json("report")["passages"]["judges"]
    with closing(Store(assay.db)) as store:
        relevant = by_hand(
            store,
            lambda name: float(np.mean([all(passages_of(name)) == is_relevant for is_relevant in passages_of(name)])),
        )
        sufficient = by_hand(store, lambda name: float(all(passages_of(name)) == passages_of(name)[0]))
        count = len(asked(store))

    assert judge["threshold"] == 0.5
    for name, expected in (("relevant_agreement", relevant), ("sufficient_agreement", sufficient)):
        assert judge[name]["estimate"] == pytest.approx(expected, abs=0.01)
        assert judge[name]["low"] < judge[name]["estimate"] < judge[name]["high"]
        assert judge[name]["n"] == count
    assert "How often they agree with experts at the threshold" in assay.words("report")


@pytest.mark.slow
def test_agreement_is_at_the_threshold_of_the_rule_that_reads_the_judge(assay: Assay) -> None:
    """Above .05 every score says yes, so that the judge agrees where the expert says so too."""
    prepared(assay)
    assay("rule", "set", "min(context_relevance, s) > 0.05", "--name", "low")
    report = assay.json("report")["passages"]
    [judge] = report["judges"]

    assert judge["threshold"] == 0.05
    for name, quantity in (
        ("relevant_agreement", "context_precision"),
        ("sufficient_agreement", "context_sufficiency"),
    ):
        assert judge[name]["estimate"] == pytest.approx(report[quantity]["estimate"], abs=1e-9)


@pytest.mark.slow
def test_half_an_answer_counts_for_what_it_says(assay: Assay) -> None:
    """Who marked one passage of two says nothing of precision, who left the last question out nothing of what is missing."""
    prepared(assay, lambda name: said(name)[1:] if int(name[1:]) % 2 else said(name)[:2])
    with closing(Store(assay.db)) as store:
        odd = [int(draw.item_id[1:]) % 2 for draw in asked(store)]
    report = assay.json("report")["passages"]

    assert report["answered"] == report["asked"] == len(odd)
    assert report["context_precision"]["n"] == len(odd) - sum(odd)
    assert report["context_sufficiency"]["n"] == sum(odd)


@pytest.mark.slow
def test_nobody_asked_is_a_reason_and_no_number(assay: Assay) -> None:
    """Before any question the JSON has the reason, and every language a sentence without a share."""
    rows = [traffic_row(f"t{n}") for n in range(8)]
    scored(assay, rows, [0.9, 0.1] * 4)
    assay("sample", "--labels", "8")
    labels = [{"item_id": f"t{n}", "label": "right", "annotator": "ann"} for n in range(8)]
    assay("labels", "import", assay.write("l.jsonl", labels))
    report = assay.json("report")["passages"]

    assert (report["asked"], report["judges"]) == (0, [])
    assert report["context_precision"]["estimate"] is None
    assert "assay push --ask passages" in report["context_precision"]["reason"]
    assert "assay push --ask passages" in assay("report", "--full").output


@pytest.mark.slow
def test_the_full_report_and_parts_of_the_traffic_show_them(assay: Assay) -> None:
    """The terminal has the sentence, the table and both counts; a system has the answers about its own passages."""
    prepared(assay)
    whole, part = assay.json("report")["passages"], assay.json("report", "--system", "a")["passages"]
    shown = " ".join(assay("report", "--full").output.split())

    assert 0 < part["asked"] < whole["asked"]
    assert part["context_precision"]["estimate"] is not None
    assert "What experts say of the passages" in shown
    assert f"Of {whole['asked']} labelled answers that were asked about their passages" in shown
    assert "Nothing missing" in shown
    report = Project.open(assay.db).report()
    sections = [
        section for section in report.document.sections if section.title and section.title.key == "report.passages"
    ]
    assert len(sections) == 1
    sentences = [text(sections[0].blocks[0], language) for language in LANGUAGES]  # type: ignore[arg-type]
    shares = [re.findall(r"\d+(?:\.\d+)?", sentence) for sentence in sentences]
    assert len(set(sentences)) == len(LANGUAGES)
    assert len(shares[0]) >= 8
    assert all(numbers == shares[0] for numbers in shares)


@pytest.mark.slow
def test_a_wave_labelled_before_the_question_leaves_the_later_ones_to_speak(assay: Assay) -> None:
    """The first wave has no decision; the second speaks for all answers, as each might have been in it, and counts by itself.

    By hand from the second wave alone: what it could draw, by stratum, stands for the sizes of all answers by verdict.
    """
    first_wave(assay)
    labels = [{"item_id": name, "label": word_of(name), "annotator": "ann"} for name in open_ids(assay)]
    assay("labels", "import", assay.write("labels.jsonl", labels))
    assay("sample", "--labels", "60", "--audit", "0.5", "--seed", "5")
    with closing(Store(assay.db)) as store:
        answered(store, lambda draw: word_of(draw.item_id), lambda draw: said(draw.item_id), 1.0)
        by_verdict = defaultdict(list)
        for draw in asked(store):
            by_verdict[int(draw.item_id[1:]) % 4 == 0].append(sum(passages_of(draw.item_id)) / 2)
    report = assay.json("report")["passages"]

    expected = 0.25 * float(np.mean(by_verdict[True])) + 0.75 * float(np.mean(by_verdict[False]))
    assert report["asked"] == sum(map(len, by_verdict.values()))
    assert report["context_precision"]["estimate"] == pytest.approx(expected, abs=0.02)
    assert report["context_precision"]["low"] < expected < report["context_precision"]["high"]


@pytest.mark.parametrize(
    ("judge", "is_measured"),
    [
        *((name, True) for name in ("context_relevance", "context_relevance_trained", "my_context_score")),
        *((name, True) for name in ("context_relevance_ragas", "context_relevance_sentences", "context_utilization")),
        *((name, True) for name in ("trulens_context_relevance", "context_precision_ap", "context_entity_recall")),
        *((name, True) for name in ("context_recall_statements", "id_context_recall", "ndcg@10", "mrr")),
        *((name, False) for name in ("faithfulness", "faithfulness_statements", "token_f1", "answer_relevance")),
    ],
)
def test_a_judge_is_held_against_experts_on_passages_where_it_scores_them(judge: str, *, is_measured: bool) -> None:
    """Each that says context in its name, of ours or of others, and each metric of retrieval."""
    assert is_of_passages(judge) is is_measured
