"""`proxy.measure` on DataFrames: the numbers of the store's report, truths by hand, and errors that name the column and the row."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import proxy
from proxy.errors import InputError, RuleError
from proxy.frames.labelled_rows import LabelledRows
from proxy.text.numbers import Kind, interval
from support.store import Assay, label, once, traffic_row

RULE = "min(context_relevance, faithfulness) > 0.5"
SHARED = (
    *("correctness", "pass_rate", "pass_precision", "sensitivity", "specificity", "accuracy", "f1", "kappa", "mcc"),
    "auroc",
)


def frame(**columns: object) -> pd.DataFrame:
    """Eight answers: four pass, one of them wrong; of the four that fail three are wrong."""
    base = {
        "context_relevance": [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1],
        "faithfulness": [0.9] * 8,
        "label": ["right", "right", "right", "wrong", "right", "wrong", "wrong", "wrong"],
    }
    return pd.DataFrame(base | columns)


def test_a_census_by_hand() -> None:
    """All labelled: right 4 of 8; right among passed 3 of 4; passed among right 3 of 4; kappa (.75 - .5) / .5."""
    report = proxy.measure(frame(), rule=RULE)

    assert report.correctness.estimate == pytest.approx(0.5)
    assert report.pass_precision.estimate == pytest.approx(0.75)
    assert report.sensitivity.estimate == pytest.approx(0.75)
    assert report.kappa.estimate == pytest.approx(0.5)
    assert (report.correctness.low, report.correctness.high) == (0.5, 0.5)  # nothing of this window is left open
    assert report.correctness.long_run is not None
    assert report.correctness.long_run.high - report.correctness.long_run.low > 0.4
    assert (report.items, report.judged, report.labels) == (8, 8, 8)


def test_labels_are_weighted_by_their_chances() -> None:
    """Of 100 passed answers 10 were drawn, 8 right; of 100 failed all were, 10 right: (80 + 10) / 200 are right."""
    passed = pd.DataFrame({"score": 0.9, "label": [*["right"] * 8, *["wrong"] * 2, *[None] * 90], "part": "passed"})
    failed = pd.DataFrame({"score": 0.1, "label": [*["right"] * 10, *["wrong"] * 90], "part": "failed"})
    rows = pd.concat([passed, failed], ignore_index=True)
    design = proxy.Design(strata="part")

    report = proxy.measure(rows, rule="score > 0.5", design=design)
    assert report.correctness.estimate == pytest.approx(0.45)
    assert report.pass_precision.estimate == pytest.approx(0.8)
    assert report.npv.estimate == pytest.approx(0.9)
    assert report.sensitivity.estimate == pytest.approx(80 / 90)

    drawn = rows[rows["label"].notna()].assign(pi=lambda each: np.where(each["part"] == "passed", 0.1, 1.0))
    alone = proxy.measure(
        drawn,
        rule="score > 0.5",
        design=proxy.Design(strata="part", probability="pi", sizes={"passed": 100, "failed": 100}),
    )
    for name in SHARED:
        whole, part = getattr(report, name), getattr(alone, name)
        assert part.estimate == pytest.approx(whole.estimate), name
        assert (part.low, part.high) == pytest.approx((whole.low, whole.high)), name


def test_every_score_known_beforehand_predicts_and_nothing_else() -> None:
    """Scores of nearly all rows, drawn or not; not what came with the labels, counts, numbers beyond 1 or a reference's score."""
    rng = np.random.default_rng(5)
    score, known = rng.random(200), rng.random(200)
    said = np.where(np.arange(200) < 80, np.where(known > 0.5, "right", "wrong"), None)
    drawn_only = np.where(np.arange(200) < 80, known, np.nan)
    rows = pd.DataFrame({"score": score, "known": known, "label": said, "told": drawn_only, "seconds": 3 * known})
    rows = rows.assign(count=1, correctness_vs_reference=known)

    of_all = proxy.measure(rows, rule="score > 0.5", design=proxy.Design()).correctness
    of_rule = proxy.measure(rows, rule="score > 0.5", design=proxy.Design(predictors=["score"])).correctness

    assert of_all.predictor is not None
    assert [name for name, _ in of_all.predictor.judges] == ["score", "known"]
    assert (of_all.high or 1) - (of_all.low or 0) < 0.5 * ((of_rule.high or 1) - (of_rule.low or 0))


@pytest.mark.slow
def test_the_estimate_is_that_of_the_notes() -> None:
    """Derivation: the formula in the notes, from the frame's own columns; without a prediction the post-stratified mean.

    Cells are stratum by verdict. b is the same for all cells, so one number in [0, 1] must explain how far p lies from the
    post-stratified mean; it is not 0 here, where the score predicts.
    """
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"score": rng.random(2000).round(3), "part": rng.choice(["a", "b"], 2000)})
    is_right = rng.random(2000) < rows["score"]
    drawn = rng.random(2000) < np.where(rows["part"] == "a", 0.3, 0.1)
    rows["label"] = is_right.map({True: "right", False: "wrong"}).where(drawn)
    design = proxy.Design(strata="part", predictors=[])
    report = proxy.measure(rows, rule="score > 0.5", design=design)
    blind = proxy.measure(rows.assign(score=(rows["score"] > 0.5) * 1.0), rule="score > 0.5", design=design)

    read = LabelledRows.of(rows, "score > 0.5", "label", design)
    cell = rows["part"] + (rows["score"] > 0.5).map(str)
    predicted = pd.Series(read.predicted)
    size = cell.value_counts() / len(rows)
    weighted = is_right[drawn].groupby(cell[drawn]).mean()  # the weights are equal within a stratum
    shift = predicted.groupby(cell).mean() - predicted[drawn].groupby(cell[drawn]).mean()
    slope = (report.correctness.estimate - (size * weighted).sum()) / (size * shift).sum()

    assert blind.correctness.estimate == pytest.approx((size * weighted).sum())
    assert 0.3 < slope <= 1
    assert read.predictors == []
    assert report.correctness.predictor is not None
    assert report.correctness.predictor.judges == ()


@pytest.mark.slow
def test_chances_of_their_own_leave_the_estimate_unbiased() -> None:
    """Over 60 drawings at chances that go with being right, the mean is the truth within 3 standard errors.

    Without the chances it would be .37 and not .7, and with errors half as large 3 of 10 intervals would miss.
    """
    rng = np.random.default_rng(20_261_123)
    size = 1500
    right = rng.random(size) < 0.7
    pi = np.where(right, 0.15, 0.6)
    score = np.clip(rng.normal(np.where(right, 0.7, 0.4), 0.2), 0, 1)
    truth, estimates, covered = right.mean(), [], 0
    for _ in range(60):
        drawn = rng.random(size) < pi
        rows = pd.DataFrame({"score": score, "pi": pi, "label": pd.Series(right).where(drawn)})
        report = proxy.measure(rows, rule="score > 0.55", design=proxy.Design(probability="pi"))
        estimates.append(report.correctness.estimate)
        covered += report.correctness.low <= truth <= report.correctness.high
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - truth) < 3 * error
    assert covered >= 60 * (0.95 - 3 * np.sqrt(0.95 * 0.05 / 60))


@pytest.fixture
def loop(assay: Assay) -> Assay:
    """Three hundred answers in conversations of three, a wave of 90 draws, a tenth of them unsure or unanswered."""

    def make() -> None:
        rng = np.random.default_rng(7)
        rows = [traffic_row(f"t{k:03}", group=f"c{k // 3}") for k in range(300)]
        assay("ingest", assay.write("traffic.jsonl", rows))
        values = rng.random((300, 2)).round(3)
        scores = [
            {"item_id": f"t{k:03}", "judge": judge, "value": values[k, n], "signature": "s"}
            for k in range(300)
            for n, judge in enumerate(("first", "second"))
        ]
        assay("scores", "import", assay.write("scores.jsonl", scores))
        assay("rule", "set", "min(first, second) > 0.3")
        assay("sample", "--labels", "90", "--seed", "3")
        drawn = assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY d.key")
        words = []
        for place, (name,) in enumerate(drawn):
            if place % 20 == 7:
                continue
            is_right = values[int(name[1:])].min() + rng.normal(0, 0.25) > 0.25
            words.append(label(name, "unsure" if place % 20 == 3 else "right" if is_right else "wrong"))
        assay("labels", "import", assay.write("labels.jsonl", words))

    return once(assay, "measurement", make)


@pytest.mark.slow
def test_the_numbers_are_those_of_the_report(loop: Assay) -> None:
    """The same answers, scores, wave and labels, as a DataFrame and through the store: the same estimates and intervals."""
    query = """
        SELECT i.id, i."group", f.stratum, d.key IS NOT NULL, d.inclusion_probability, l.judgement,
            max(CASE WHEN j.judge = 'first' THEN s.value END), max(CASE WHEN j.judge = 'second' THEN s.value END)
        FROM items i JOIN frames f ON f.item = i.key LEFT JOIN draws d ON d.item = i.key LEFT JOIN labels l ON l.draw = d.key
        JOIN scores s ON s.item = i.key JOIN judges j ON j.key = s.judge GROUP BY i.key
    """
    columns = ["id", "group", "stratum", "drawn", "pi", "label", "first", "second"]
    rows = pd.DataFrame(loop.sql(query), columns=columns).astype({"drawn": bool})
    design = proxy.Design(strata="stratum", cluster="group", drawn="drawn")
    content, told = proxy.measure(rows, rule="min(first, second) > 0.3", design=design).to_dict(), loop.json("report")

    assert len(rows) == 300
    assert (content["items"], content["judged"], content["labels"]) == (300, told["judged"], told["labels"])
    for name in SHARED:
        assert _near(content[name], told[name]), (name, content[name], told[name])
    assert all(content["verdict"][name] == told["verdict"][name] for name in ("status", "limit"))
    with_chances = proxy.measure(
        rows,
        rule="min(first, second) > 0.3",
        design=proxy.Design(strata="stratum", probability="pi", cluster="group", drawn="drawn"),
    )
    assert with_chances.to_dict() == content


def _near(measured: Any, expected: Any) -> bool:
    """Whether two estimates are the same but for the last digits."""
    ends = [*(("estimate",), ("low",), ("high",), ("n",)), *(("long_run", end) for end in ("low", "high"))]
    for path in ends:
        mine, theirs = measured, expected
        for key in path:
            mine, theirs = (mine or {}).get(key), (theirs or {}).get(key)
        if mine != theirs and mine != pytest.approx(theirs, abs=1e-9):
            return False
    return True


def of(**columns: object) -> Callable[[], object]:
    """Measure the eight answers with these columns changed."""
    return lambda: proxy.measure(frame(**columns), rule=RULE)


SOME = ["right", None, None, None, "wrong", None, None, None]
FAULTS = {
    "no frame": (lambda: proxy.measure([1, 2], rule=RULE), "expected a pandas DataFrame, found list"),  # type: ignore[arg-type]
    "no rows": (lambda: proxy.measure(frame().head(0), rule=RULE), "the frame has no rows"),
    "no column": (lambda: proxy.measure(frame(), rule="other > 0.5"), "no column 'other' (a judge of the rule)"),
    "no labels": (lambda: proxy.measure(frame(), rule=RULE, label="said"), "no column 'said' (the labels)"),
    "score beyond 1": (
        of(faithfulness=[0.9] * 7 + [4.0]),
        "column 'faithfulness', row 7: 4.0 is not a number from 0 to 1",
    ),
    "score in words": (of(faithfulness=["high"] * 8), "column 'faithfulness', row 0: 'high'"),
    "endless score": (of(faithfulness=[np.inf] * 8), "column 'faithfulness', row 0: inf"),
    "odd label": (of(label=["right"] * 7 + ["good"]), "column 'label', row 7: a label is right, wrong or unsure"),
    "no design": (of(label=SOME), "column 'label', row 1: no label, and no design"),
    "id twice": (of(id=["a", "b", "c", "a", "e", "f", "g", "h"]), "column 'id', row 3: the id 'a' is there twice"),
    "index twice": (lambda: proxy.measure(frame().set_axis([0] * 8), rule=RULE), "row 0 stands twice in the index"),
    "weights": (
        lambda: proxy.measure(frame(label=SOME, w=4.0), rule=RULE, design=proxy.Design(probability="w")),
        "column 'w', row 0: 4.0 is not a number from 0 to 1; give the inclusion probability, 1 / weight",
    ),
    "chance of 0": (
        lambda: proxy.measure(frame(label=SOME, pi=0.0), rule=RULE, design=proxy.Design(probability="pi")),
        "column 'pi', row 0: the inclusion probability of a labelled row is 0",
    ),
    "chances that contradict": (
        lambda: proxy.measure(
            pd.concat([frame()] * 50, ignore_index=True).assign(pi=0.02),
            rule=RULE,
            design=proxy.Design(probability="pi"),
        ),
        "400 rows of 400 were drawn, and 1 / probability adds up to 20,000",
    ),
    "stratum without size": (
        lambda: proxy.measure(frame(s="a"), rule=RULE, design=proxy.Design(strata="s", sizes={"b": 9})),
        "stratum 'a' has 8 rows and no size",
    ),
    "size below rows": (
        lambda: proxy.measure(frame(s="a"), rule=RULE, design=proxy.Design(strata="s", sizes={"a": 3})),
        "stratum 'a' has 8 rows, so its size cannot be 3",
    ),
    "size of both verdicts": (
        lambda: proxy.measure(frame(s="a"), rule=RULE, design=proxy.Design(strata="s", sizes={"a": 30})),
        "its size does not say how many of all traffic pass",
    ),
    "size of unscored and scored": (
        lambda: proxy.measure(
            frame(s="a", faithfulness=[np.nan, *[0.9] * 7]), rule=RULE, design=proxy.Design(strata="s", sizes={"a": 30})
        ),
        "column 'faithfulness', row 0: no score, so the size of its stratum 'a' does not say how many answers",
    ),
    "no stratum where not drawn": (
        lambda: proxy.measure(
            frame(label=["right"] * 4 + [None] * 4, s=["a"] * 4 + [None] * 4),
            rule=RULE,
            design=proxy.Design(strata="s", cluster="score"),
        ),
        "column 's', row 4: the stratum of a row that was not drawn is missing: give every row one, or leave strata out and pass",
    ),
    "no stratum where drawn": (
        lambda: proxy.measure(frame(s=["a"] * 7 + [None]), rule=RULE, design=proxy.Design(strata="s")),
        "column 's', row 7: the stratum is missing: give every row one",
    ),
    "labelled and not drawn": (
        lambda: proxy.measure(frame(d=[True] * 7 + [False]), rule=RULE, design=proxy.Design(drawn="d")),
        "column 'label', row 7: labelled and not drawn",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_measured_is_said_by_column_and_row(fault: str) -> None:
    """One error for each kind of fault."""
    act, message = FAULTS[fault]
    with pytest.raises(InputError, match=re.escape(message)):
        act()


def test_an_unreadable_rule_is_a_rule_error() -> None:
    """As on the command line."""
    with pytest.raises(RuleError, match="above a threshold"):
        proxy.measure(frame(), rule="faithfulness")


def test_what_cannot_be_identified_is_said_and_never_guessed() -> None:
    """Only passed answers were labelled: no kappa, and bounds for correctness; missing labels count in their worst case."""
    rows = frame(label=["right", "right", "right", "wrong", None, None, None, None], part=[*"pppp", *"ffff"])
    report = proxy.measure(rows, rule=RULE, design=proxy.Design(strata="part"))

    assert report.kappa.estimate is None
    assert "label" in str(report.kappa.reason)
    assert report.correctness.estimate is None
    assert (report.correctness.low, report.correctness.high) == pytest.approx((3 / 8, 7 / 8))
    assert report.trust.status.value != "yes"


def asked(**columns: object) -> pd.DataFrame:
    """Two answers to one question, the first of them in the passages."""
    base = {
        "question": ["How tall is the tower?"] * 2,
        "contexts": [["The tower is 330 metres tall."], [{"text": "The tower is 330 metres tall.", "title": "Tower"}]],
        "answer": ["The tower is 330 metres tall.", "Monet painted waterlilies in Giverny."],
    }
    return pd.DataFrame(base | columns, index=["a", "b"])


def test_judges_give_a_frame_its_scores() -> None:
    """The scores of `judge_one`, under the index of the frame; a judge of one's own, and one that gives nothing."""
    scores = proxy.judge(asked(), reasons=True)
    alone = proxy.judge_one(
        "How tall is the tower?", ["The tower is 330 metres tall."], "The tower is 330 metres tall."
    )

    assert list(scores.index) == ["a", "b"]
    assert scores.loc["a", "faithfulness"] == alone.outcomes["faithfulness"].value
    assert scores.loc["a", "faithfulness"] > 0.9
    assert scores.loc["b", "faithfulness"] < 0.2
    assert scores.loc["a", "faithfulness_reason"] == alone.reasons["faithfulness"]
    assert proxy.judge(asked(contexts=[[], None]))["faithfulness"].isna().all()
    measured = proxy.measure(asked(label=["right", "wrong"]).join(scores), rule="faithfulness > 0.5")
    assert measured.accuracy.estimate == 1.0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"answer": ["A.", 3.0]}, "column 'answer', row 'b': expected text, found 3.0"),
        ({"contexts": ["one text", []]}, "column 'contexts', row 'a': expected a list, found 'one text'"),
        ({"contexts": [[1], []]}, "column 'contexts', row 'a': a passage is text"),
        ({"history": [[{"role": "user"}], []]}, "column 'history', row 'a': a turn is text"),
    ],
)
def test_what_cannot_be_judged_is_said_by_column_and_row(columns: dict[str, object], message: str) -> None:
    """A cell of the wrong kind stops the call before any judge is asked."""
    with pytest.raises(InputError, match=re.escape(message)):
        proxy.judge(asked(**columns))


def test_it_prints_well() -> None:
    """The rule and the verdict, then each quantity with both intervals by name and n; HTML holds no markup of the caller's."""
    report = proxy.measure(frame(), rule=RULE)
    text, table = repr(report), report.to_frame()

    assert "undecided (limit: 90 % of passed answers right)" in text
    assert "this window, 95 %" in text
    assert "long run, 95 %" in text
    low, high = report.correctness.long_run or (None, None)
    assert f"correctness 50 % 50 % {report.correctness.n} {interval(low, high, Kind.SHARE)} " in " ".join(text.split())
    assert list(table.columns) == ["estimate", "low", "high", "n", "long_run_low", "long_run_high", "method", "reason"]
    assert table.loc["pass_precision", "estimate"] == pytest.approx(0.75)
    assert "<th>kappa</th>" in report._repr_html_()
    assert set(dir(proxy)) == set(proxy.__all__)
