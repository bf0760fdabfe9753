"""Truths by hand for the functions on frames."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import proxy
from proxy.comparison.comparison import AVERAGED, ComparisonStanding
from proxy.errors import UsageError
from proxy.evaluation.slices import Mistake
from proxy.planning.labels_needed import PlanStatus
from proxy.stats.calibration.threshold_tests import Claim
from proxy.text.numbers import points
from support.frames import ALL, RULE, frame


@pytest.mark.parametrize("name", ALL)
def test_a_result_shows_its_facts_and_a_table_of_its_frame(name: str) -> None:
    """As text and as HTML: each fact by its name, each row of the frame, and no interval that does not say of what it is."""
    result = ALL[name](frame(), rule=RULE)
    text, html, table = repr(result), result._repr_html_(), result.to_frame()
    facts = {key: words for key, words in result.facts().items() if words is not None}

    assert text.splitlines()[0] == type(result).__name__
    assert all(f"  {key}" in text and words in text and escape(words) in html for key, words in facts.items())
    assert len(text.splitlines()) >= 1 + len(facts) + min(len(table), 20)
    assert "low" not in table.columns or "this window, 95 %" in text or "long run, 95 %" in text
    assert not {"sentence", "figures"} & {*dir(result), *result.to_dict()}


def test_a_table_says_what_its_intervals_are_of() -> None:
    """The numbers of the frame, by their kinds: shares, points, p-values; a comparison speaks of the long run."""
    result = proxy.compare(frame(), systems=("a", "b"), rule=RULE)
    gap = result.difference
    text = " ".join(repr(result).split())

    assert gap.low is not None
    assert gap.high is not None
    assert f"difference {points(gap.estimate, '+')} {points(gap.low, '+')} to {points(gap.high, '+')} {gap.n}" in text
    assert "estimate long run, 95 % n p_value" in text
    assert "a 50 %" in text


def test_many_rows_are_cut_and_counted() -> None:
    """Twenty rows of the table; the others are counted, and the frame has them."""
    rows = frame(part=[f"p{k % 30}" for k in range(80)])
    result = proxy.find_slices(rows, by=["part"], rule=RULE)
    left = len(result.to_frame()) - 20

    assert left > 0
    assert "not shown" in repr(result)
    assert f"{left} rows: to_frame() has them" in repr(result)


def test_html_holds_no_markup_of_the_caller() -> None:
    """A system's name is text."""
    rows = frame(system=["<b>a"] * 40 + ["b"] * 40)

    assert "<b>a" not in proxy.rank(rows, rule=RULE)._repr_html_()
    assert "&lt;b&gt;a" in proxy.rank(rows, rule=RULE)._repr_html_()


def test_a_clean_value_is_certified_and_a_useless_one_is_not() -> None:
    """Of 400 rows those above one half are right: what chose is clean there, and 22 clean labels suffice for 90 %."""
    score = np.arange(400) / 400
    rows = pd.DataFrame({"score": score, "label": score >= 0.5})
    sure = proxy.calibrate(rows, rule=RULE, precision=0.9, confidence=0.9)

    assert sure.threshold is not None
    assert sure.rule is not None
    passed = score[score >= sure.threshold]
    assert (passed >= 0.5).mean() >= 0.9
    assert {proof.claim for proof in sure.guarantees} == set(Claim)
    assert sure.coverage == pytest.approx((score >= sure.threshold).mean())
    assert sure.rule.passes(score).sum() == len(passed)
    curve = sure.to_frame()
    assert list(curve["threshold"]) == sorted(curve["threshold"], reverse=True)
    assert curve.loc[curve["is_certified"], "threshold"].min() == sure.threshold

    rng = np.random.default_rng(1)
    luck = proxy.calibrate(rows.assign(label=rng.random(400) < 0.5), rule=RULE, precision=0.9)
    assert (luck.threshold, luck.rule, luck.guarantees, luck.coverage) == (None, None, (), None)
    assert luck.reason
    assert luck.reason in repr(luck)


@pytest.mark.slow
def test_rows_that_chose_are_named_so_that_they_score_nothing() -> None:
    """Half of the labelled rows chose; the others measure the rule, each for more rows than before."""
    score = np.arange(400) / 400
    rows = pd.DataFrame({"score": score, "label": score >= 0.5}, index=[f"r{k}" for k in range(400)])
    calibration = proxy.calibrate(rows, rule=RULE)

    assert set(calibration.chose) < set(rows.index)
    assert len(calibration.chose) == pytest.approx(200, abs=1)
    others = rows.assign(label=rows["label"].where(~rows.index.isin(calibration.chose)))
    assert calibration.rule is not None
    report = proxy.measure(others, rule=calibration.rule, design=proxy.Design())
    assert report.labels == 400 - len(calibration.chose)
    assert proxy.calibrate(rows, rule=RULE, share=1.0).chose == tuple(rows.index)
    assert set(proxy.calibrate(rows, rule=RULE, seed=1).chose) != set(calibration.chose)


def test_pairs_are_compared_on_the_same_question() -> None:
    """Ten of 40 questions only b has right: +25 points, mid-p 2 (1/2)^10 - (1/2)^10 of the ten that differ."""
    comparison = proxy.compare(frame(), systems=("a", "b"), rule=RULE)

    assert comparison.difference.estimate == pytest.approx(10 / 40, abs=0.03)  # Bonett-Price adds two pairs
    assert comparison.comparison.exact == pytest.approx(10 / 40)
    assert comparison.p_value == pytest.approx(0.5**10)
    assert comparison.standing is ComparisonStanding.BETTER
    assert comparison.facts()["standing"] == "better"
    assert [system.labels for system in comparison.systems] == [40, 40]
    assert proxy.compare(frame(), systems=("b", "a"), rule=RULE).standing is ComparisonStanding.WORSE


def test_several_answers_of_a_system_to_a_question_count_by_their_mean() -> None:
    """Questions 10 and 20 are one: of a half right, of b right, so 29 - 19.5 rights of 39; the method says it averages."""
    twice = frame()
    question = twice["question"].replace("q20", "q10")
    comparison = proxy.compare(twice.assign(question=question), systems=("a", "b"), rule=RULE)

    assert comparison.shared.questions == 39
    assert comparison.shared.repeated == 1
    assert comparison.difference.method.endswith(AVERAGED)
    assert comparison.comparison.exact == pytest.approx((29 - 19.5) / 39)
    assert AVERAGED not in proxy.compare(frame(), systems=("a", "b"), rule=RULE).difference.method


def test_without_questions_rates_are_compared() -> None:
    """The same labels, of which no two are said to answer one question: 30/40 - 20/40 by MOVER, and no p-value."""
    comparison = proxy.compare(frame(), systems=("a", "b"), question=None, rule=RULE)

    assert comparison.difference.estimate == pytest.approx(0.25)
    assert "MOVER" in comparison.difference.method
    assert comparison.p_value is None
    assert comparison.to_frame().loc["difference", "estimate"] == pytest.approx(0.25)


def test_systems_are_ranked_by_their_share_of_right_answers() -> None:
    """A census: 30/40 before 20/40, rates exact here; a third system without labels cannot be ranked."""
    ranking = proxy.rank(frame(), rule=RULE)

    assert ranking.is_census
    assert list(ranking.to_frame().index) == ["b", "a"]
    assert list(ranking.to_frame()["estimate"]) == pytest.approx([0.75, 0.5])
    assert list(ranking.to_frame()["low"]) == pytest.approx([0.75, 0.5])
    assert ranking.facts()["leaders"] == "b"

    rows = pd.concat([frame(), frame(system="c", label=None).head(40)], ignore_index=True)
    some = proxy.rank(rows, rule=RULE, design=proxy.Design(strata="system"))
    assert some.to_frame().index[-1] == "c"
    assert some.standings.systems[-1].best is None
    assert proxy.rank(rows.head(80), systems=["b", "a"], rule=RULE).names == ("b", "a")


def slices(count: int, worse: float) -> pd.DataFrame:
    """Passed answers in English and German; of the German ones the share `worse` is wrong, of the English ones a tenth."""
    language = ["de"] * count + ["en"] * count
    wrong = [k < worse * count for k in range(count)] + [k < count / 10 for k in range(count)]
    return pd.DataFrame(
        {"score": 0.9, "label": ~np.array(wrong), "language": language, "product": ["x", "y"] * count, "one": "same"}
    )


def test_a_slice_with_more_mistakes_is_named() -> None:
    """Half of 60 German passes are wrong, six of 60 English ones: the shares, and the one slice that is worse."""
    search = proxy.find_slices(slices(60, 0.5), by=["language", "product", "one"], rule=RULE)
    [finding] = search.worse

    assert (finding.slice.name, finding.mistake) == ("language: de", Mistake.WRONG_PASS)
    assert (finding.here.estimate, finding.elsewhere.estimate) == pytest.approx((0.5, 0.1))
    assert finding.adjusted_p <= 0.05
    assert "language: de" in str(search.facts()["worse than elsewhere"])
    assert list(search.left_out) == ["one"]
    table = search.to_frame()
    assert table.loc[table["is_worse"], "value"].tolist() == ["de"]
    assert set(table["field"]) == {"language", "product"}


@pytest.mark.slow
def test_a_good_score_narrows_what_is_shown_of_a_slice_and_changes_no_test() -> None:
    """With a second score of AUROC .98 the intervals of shares and difference are narrower; n and p are those of the labels.

    800 rows, 300 of them labelled; every row passes, so the rule's own value says nothing.
    """
    rng = np.random.default_rng(5)
    right = rng.random(800) < 0.75
    rows = pd.DataFrame(
        {
            "score": 0.9,
            "other": ndtr(rng.normal(size=800) + 3 * (right - 0.5)),
            "label": pd.Series(right).astype(object).where(np.arange(800) < 300, None),
            "language": np.where(rng.random(800) < 0.4, "de", "en"),
        }
    )
    helped, alone = (
        proxy.find_slices(rows, by=["language"], rule=RULE, design=proxy.Design(predictors=columns)).examined.tested[0]
        for columns in (["score", "other"], ["score"])
    )

    assert helped.here.predictor is not None
    for share, unhelped in ((helped.here, alone.here), (helped.elsewhere, alone.elsewhere)):
        assert (share.n, share.errors) == (unhelped.n, unhelped.errors)
        assert share.interval.high - share.interval.low < 0.9 * (unhelped.interval.high - unhelped.interval.low)
    assert (helped.slice, helped.p_value, helped.adjusted_p) == (alone.slice, alone.p_value, alone.adjusted_p)
    assert helped.difference.high - helped.difference.low < 0.9 * (alone.difference.high - alone.difference.low)


def test_a_column_that_is_the_label_is_left_out() -> None:
    """A reviewer's verdict written down elsewhere would explain every mistake."""
    rows = pd.concat([slices(60, 0.5), slices(60, 0.5).assign(score=0.1)], ignore_index=True)
    rows["verdict"] = np.where(rows["label"], "good", "bad")
    search = proxy.find_slices(rows, by=["language", "verdict"], rule=RULE)

    assert list(search.left_out) == ["verdict"]


@pytest.mark.slow
def test_a_plan_before_any_label_is_kept_by_the_labels_it_asks_for() -> None:
    """Drawn and labelled as planned, the interval is about as wide as was asked for, at the worst case of one half right."""
    rng = np.random.default_rng(8)
    rows = pd.DataFrame({"score": rng.random(3000).round(3)})
    planned = proxy.plan(rows, rule=RULE, width=0.1, label=None)

    assert planned.status is PlanStatus.MORE
    assert planned.width is not None
    assert planned.width <= 0.1
    assert planned.to_frame()["labels"].sum() == planned.further
    passed = (rows["score"] > 0.5).to_numpy()
    quota = {"passed": 0, "failed": 0}
    for part in planned.strata:
        quota[part.kind.value] += part.drawn
    drawn = np.zeros(3000, dtype=bool)
    for side, mask in (("passed", passed), ("failed", ~passed)):
        drawn[rng.choice(np.flatnonzero(mask), quota[side], replace=False)] = True
    label = pd.Series(rng.random(3000) < 0.5).astype(object).where(drawn, None)
    part = np.where(passed, "passed", "failed")
    report = proxy.measure(rows.assign(label=label, part=part), rule=RULE, design=proxy.Design(strata="part"))
    assert report.correctness.high - report.correctness.low == pytest.approx(0.1, abs=0.01)
    wide = proxy.plan(rows.assign(label=label, part=part), rule=RULE, width=0.2, design=proxy.Design(strata="part"))
    assert (wide.status, wide.further) == (PlanStatus.MET, 0)


@pytest.mark.slow
def test_what_no_number_of_labels_tells_has_a_reason() -> None:
    """No answer passes, so that nothing tells how many passed ones are right; half of the rows are labelled."""
    label = [*["right", "wrong"] * 20, *[None] * 40]
    planned = proxy.plan(frame(score=0.1, label=label), rule=RULE, quantity="pass_precision", design=proxy.Design())

    assert (planned.status, planned.further) == (PlanStatus.NEVER, 0)
    assert planned.reason
    assert planned.facts()["reason"] == planned.reason


@pytest.mark.slow
def test_a_plan_states_its_assurance_and_what_a_plain_random_sample_would_take() -> None:
    """60 random labels under a score that tells: more labels for .95 than for .5, fewer in all than a plain sample for .8."""
    rng = np.random.default_rng(2)
    right = rng.random(2_000) < 0.75
    score = 1 / (1 + np.exp(-(3.0 * (right - 0.5) + rng.normal(size=2_000))))
    label = pd.Series(right).astype(object).where(np.arange(2_000) < 60, None)
    rows = pd.DataFrame({"score": score, "label": label})
    half, usual, sure = (
        proxy.plan(rows, rule=RULE, width=0.1, assurance=assurance, design=proxy.Design())
        for assurance in (0.5, 0.8, 0.95)
    )

    assert half.further < usual.further < sure.further
    assert usual.plain is not None
    assert usual.labels + usual.open + usual.further < usual.plain
    assert "in 80 % of simulations" in repr(usual)
    assert f"a plain random sample would take {usual.plain}" in repr(usual)
    assert usual.to_dict()["plain_random_sample"] == {"labels": usual.plain, "monte_carlo_error": 0.0}
    with pytest.raises(UsageError, match="assurance is a number between 0 and 1"):
        proxy.plan(rows, rule=RULE, assurance=1.0, design=proxy.Design())
