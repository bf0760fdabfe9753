"""Truths by hand for the functions on frames, and errors that name the column and the row."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import proxy
from proxy.comparison.comparison import ComparisonStanding
from proxy.errors import AssayError, InputError, RuleError, UsageError
from proxy.evaluation.slices import Mistake
from proxy.planning.labels_needed import PlanStatus
from proxy.stats.calibration.threshold_tests import Claim
from proxy.text.numbers import points

RULE = "score > 0.5"
ALL: dict[str, Callable[..., Any]] = {
    "calibrate": proxy.calibrate,
    "compare": lambda frame, **options: proxy.compare(frame, systems=("a", "b"), **options),
    "rank": proxy.rank,
    "find_slices": lambda frame, **options: proxy.find_slices(frame, by=["system"], **options),
    "plan": proxy.plan,
}


def frame(**columns: object) -> pd.DataFrame:
    """Forty answers of each of two systems to the same questions, all labelled; scores fall from 1 to 0.

    System a is right on the first 20 questions, b on the first 30.
    """
    base = {
        "system": ["a"] * 40 + ["b"] * 40,
        "question": [f"q{k}" for k in range(40)] * 2,
        "score": [1 - k / 40 for k in range(40)] * 2,
        "label": [*["right"] * 20, *["wrong"] * 20, *["right"] * 30, *["wrong"] * 10],
    }
    return pd.DataFrame(base | columns)


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


def test_rows_that_chose_are_named_so_that_they_score_nothing() -> None:
    """Half of the labelled rows chose; the others measure the rule, each for more rows than before."""
    score = np.arange(400) / 400
    rows = pd.DataFrame({"score": score, "label": score >= 0.5}, index=[f"r{k}" for k in range(400)])
    found = proxy.calibrate(rows, rule=RULE)

    assert set(found.chose) < set(rows.index)
    assert len(found.chose) == pytest.approx(200, abs=1)
    others = rows.assign(label=rows["label"].where(~rows.index.isin(found.chose)))
    assert found.rule is not None
    report = proxy.measure(others, rule=found.rule, design=proxy.Design())
    assert report.labels == 400 - len(found.chose)
    assert proxy.calibrate(rows, rule=RULE, share=1.0).chose == tuple(rows.index)
    assert set(proxy.calibrate(rows, rule=RULE, seed=1).chose) != set(found.chose)


def test_pairs_are_compared_on_the_same_question() -> None:
    """Ten of 40 questions only b has right: +25 points, mid-p 2 (1/2)^10 - (1/2)^10 of the ten that differ."""
    found = proxy.compare(frame(), systems=("a", "b"), rule=RULE)

    assert found.difference.estimate == pytest.approx(10 / 40, abs=0.03)  # Bonett-Price adds two pairs
    assert found.comparison.exact == pytest.approx(10 / 40)
    assert found.p_value == pytest.approx(0.5**10)
    assert found.standing is ComparisonStanding.BETTER
    assert found.facts()["standing"] == "better"
    assert [system.labels for system in found.systems] == [40, 40]
    assert proxy.compare(frame(), systems=("b", "a"), rule=RULE).standing is ComparisonStanding.WORSE


def test_without_questions_rates_are_compared() -> None:
    """The same labels, of which no two are said to answer one question: 30/40 - 20/40 by MOVER, and no p-value."""
    found = proxy.compare(frame(), systems=("a", "b"), question=None, rule=RULE)

    assert found.difference.estimate == pytest.approx(0.25)
    assert "MOVER" in found.difference.method
    assert found.p_value is None
    assert found.to_frame().loc["difference", "estimate"] == pytest.approx(0.25)


def test_systems_are_ranked_by_their_share_of_right_answers() -> None:
    """A census: 30/40 before 20/40, rates exact here; a third system without labels cannot be ranked."""
    found = proxy.rank(frame(), rule=RULE)

    assert found.is_census
    assert list(found.to_frame().index) == ["b", "a"]
    assert list(found.to_frame()["estimate"]) == pytest.approx([0.75, 0.5])
    assert list(found.to_frame()["low"]) == pytest.approx([0.75, 0.5])
    assert found.facts()["leaders"] == "b"

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
    found = proxy.find_slices(slices(60, 0.5), by=["language", "product", "one"], rule=RULE)
    [finding] = found.worse

    assert (finding.slice.name, finding.mistake) == ("language: de", Mistake.WRONG_PASS)
    assert (finding.here.estimate, finding.elsewhere.estimate) == pytest.approx((0.5, 0.1))
    assert finding.adjusted_p <= 0.05
    assert "language: de" in str(found.facts()["worse than elsewhere"])
    assert list(found.left_out) == ["one"]
    table = found.to_frame()
    assert table.loc[table["is_worse"], "value"].tolist() == ["de"]
    assert set(table["field"]) == {"language", "product"}


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
    for share, other in ((helped.here, alone.here), (helped.elsewhere, alone.elsewhere)):
        assert (share.n, share.errors) == (other.n, other.errors)
        assert share.interval.high - share.interval.low < 0.9 * (other.interval.high - other.interval.low)
    assert (helped.slice, helped.p_value, helped.adjusted_p) == (alone.slice, alone.p_value, alone.adjusted_p)
    assert helped.difference.high - helped.difference.low < 0.9 * (alone.difference.high - alone.difference.low)


def test_a_column_that_is_the_label_is_left_out() -> None:
    """A reviewer's verdict written down elsewhere would explain every mistake."""
    rows = pd.concat([slices(60, 0.5), slices(60, 0.5).assign(score=0.1)], ignore_index=True)
    rows["verdict"] = np.where(rows["label"], "good", "bad")
    found = proxy.find_slices(rows, by=["language", "verdict"], rule=RULE)

    assert list(found.left_out) == ["verdict"]


@pytest.mark.slow
def test_a_plan_before_any_label_is_kept_by_the_labels_it_asks_for() -> None:
    """Drawn and labelled as planned, the interval is about as wide as was asked for, at the worst case of one half right."""
    rng = np.random.default_rng(8)
    rows = pd.DataFrame({"score": rng.random(3000).round(3)})
    found = proxy.plan(rows, rule=RULE, width=0.1, label=None)

    assert found.status is PlanStatus.MORE
    assert found.width is not None
    assert found.width <= 0.1
    assert found.to_frame()["labels"].sum() == found.further
    passed = (rows["score"] > 0.5).to_numpy()
    quota = {"passed": 0, "failed": 0}
    for part in found.strata:
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
    found = proxy.plan(frame(score=0.1, label=label), rule=RULE, quantity="pass_precision", design=proxy.Design())

    assert (found.status, found.further) == (PlanStatus.NEVER, 0)
    assert found.reason
    assert found.facts()["reason"] == found.reason


SOME = ["right", "wrong", *[None] * 78]
COMMON: dict[str, tuple[Callable[[], object], type[AssayError], str]] = {
    "no frame": (lambda: [1, 2], InputError, "expected a pandas DataFrame, found list"),
    "no rows": (lambda: frame().head(0), InputError, "the frame has no rows"),
    "no judge": (lambda: frame().drop(columns="score"), InputError, "no column 'score' (a judge of the rule)"),
    "score beyond 1": (lambda: frame(score=1.5), InputError, "column 'score', row 0: 1.5 is not a number from 0 to 1"),
    "odd label": (lambda: frame(label="good"), InputError, "column 'label', row 0: a label is right, wrong or unsure"),
    "no design": (lambda: frame(label=SOME), InputError, "column 'label', row 2: no label, and no design"),
    "id twice": (lambda: frame(id="x"), InputError, "column 'id', row 1: the id 'x' is there twice"),
    "id missing": (lambda: frame(id=[None, *map(str, range(79))]), InputError, "column 'id', row 0: the id is missing"),
    "index twice": (lambda: frame().set_axis([0] * 80), InputError, "row 0 stands twice in the index"),
    "column twice": (
        lambda: pd.concat([frame(), frame()[["score"]]], axis=1),
        InputError,
        "column 'score' stands twice in the frame",
    ),
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("fault", COMMON)
def test_every_function_names_the_column_and_the_row(name: str, fault: str) -> None:
    """What `measure` refuses, the others refuse in the same words."""
    make, error, message = COMMON[fault]
    with pytest.raises(error, match=re.escape(message)):
        ALL[name](make(), rule=RULE)


@pytest.mark.parametrize("name", ALL)
def test_every_function_refuses_weights_and_unreadable_rules(name: str) -> None:
    """A weight is no probability; a rule needs a number at its right."""
    with pytest.raises(InputError, match=r"column 'w', row 0: 4\.0 is not a number from 0 to 1; a weight is 1 / prob"):
        ALL[name](frame(w=4.0), rule=RULE, design=proxy.Design(probability="w"))
    for rule in ("score", None, 0.5):
        with pytest.raises(RuleError):
            ALL[name](frame(), rule=rule)


@pytest.mark.parametrize("name", ["calibrate", "compare", "rank", "plan"])
def test_what_reads_all_traffic_refuses_the_drawn_rows_alone(name: str) -> None:
    """Sizes say how many rows are missing, not what their values are."""
    rows = frame(part=["p" if score > 0.5 else "f" for score in frame()["score"]])
    with pytest.raises(InputError, match=f"{name} reads every row of the traffic"):
        ALL[name](rows, rule=RULE, design=proxy.Design(strata="part", sizes={"p": 90, "f": 90}))
    found = proxy.find_slices(
        rows, by=["system"], rule=RULE, design=proxy.Design(strata="part", sizes={"p": 90, "f": 90})
    )
    assert sum(found.labels.values()) == 80


def test_what_needs_every_probability_names_the_row_without() -> None:
    """Rows that were not drawn have a chance, too, and here it counts."""
    rng = np.random.default_rng(2)
    pi = np.where(frame()["score"] > 0.5, 0.9, 0.3)
    drawn = rng.random(80) < pi
    rows = frame(pi=np.where(drawn, pi, np.nan), label=frame()["label"].where(pd.Series(drawn), None))
    row = int(np.flatnonzero(~drawn)[0])
    for function in (proxy.calibrate, proxy.plan):
        with pytest.raises(InputError, match=f"column 'pi', row {row}: the inclusion probability is missing"):
            function(rows, rule=RULE, design=proxy.Design(probability="pi"))


ARGUMENTS: dict[str, tuple[Callable[[], object], type[AssayError], str]] = {
    "precision of 1": (
        lambda: proxy.calibrate(frame(), precision=1),
        UsageError,
        "precision is a number between 0 and 1",
    ),
    "precision in words": (
        lambda: proxy.calibrate(frame(), precision="0.9"),  # type: ignore[arg-type]
        UsageError,
        "precision is a number between 0 and 1, not '0.9'",
    ),
    "confidence of 90": (lambda: proxy.calibrate(frame(), confidence=90), UsageError, "confidence is a number"),
    "share of 0": (lambda: proxy.calibrate(frame(), share=0), UsageError, "share is a number"),
    "odd claim": (lambda: proxy.calibrate(frame(), claim="ever"), UsageError, "claim is 'window' or 'long-run'"),
    "nan width": (
        lambda: proxy.plan(frame(), width=float("nan")),
        UsageError,
        "width is a number between 0 and 1, not nan",
    ),
    "audit of 2": (lambda: proxy.plan(frame(), audit=2), UsageError, "audit is a number"),
    "odd quantity": (lambda: proxy.plan(frame(), quantity="f2"), UsageError, "quantity is one of correctness"),
    "one system": (lambda: proxy.compare(frame(), systems=("a",)), UsageError, "systems names two"),  # type: ignore[arg-type]
    "systems as text": (lambda: proxy.rank(frame(), systems="ab"), UsageError, "systems is a list of names, not 'ab'"),
    "unknown system": (
        lambda: proxy.compare(frame(), systems=("a", "z")),
        UsageError,
        "no row is of the system 'z': column 'system' has a, b",
    ),
    "same system": (lambda: proxy.compare(frame(), systems=("a", "a")), UsageError, "a system is named twice"),
    "only one system": (
        lambda: proxy.rank(frame(system="a")),
        UsageError,
        "nothing to compare with: column 'system' has a",
    ),
    "no system": (
        lambda: proxy.rank(frame(system=[None, *["a"] * 79])),
        InputError,
        "column 'system', row 0: the system is missing",
    ),
    "no question": (
        lambda: proxy.rank(frame(question=[*["q"] * 79, None]), rule=RULE),
        InputError,
        "column 'question', row 79: the question is missing",
    ),
    "no column of questions": (
        lambda: proxy.compare(frame().drop(columns="question"), systems=("a", "b"), rule=RULE),
        InputError,
        "there is no column 'question'",
    ),
    "two questions": (
        lambda: proxy.rank(frame(), rule=RULE, design=proxy.Design(question="system")),
        InputError,
        "the design's question is column 'system', and 'question' is asked for",
    ),
    "by in words": (lambda: proxy.find_slices(frame(), by="system"), UsageError, "by is a list of columns"),
    "by nothing": (lambda: proxy.find_slices(frame(), by=[]), UsageError, "by is a list of columns"),
    "by the label": (lambda: proxy.find_slices(frame(), by=["label"]), InputError, "column 'label' is the label"),
    "by no column": (lambda: proxy.find_slices(frame(), by=["z"], rule=RULE), InputError, "no column 'z' (a slice)"),
    "level of 5": (lambda: proxy.find_slices(frame(), by=["system"], level=5), UsageError, "level is a number"),
}


@pytest.mark.parametrize("fault", ARGUMENTS)
def test_arguments_out_of_range_are_refused(fault: str) -> None:
    """One error for each kind of fault, before anything is worked out."""
    act, error, message = ARGUMENTS[fault]
    with pytest.raises(error, match=re.escape(message)):
        act()


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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_odd_frames_have_an_answer_or_a_readable_error(seed: int) -> None:
    """Few rows, few or no labels, missing scores, one verdict, repeated questions: never another exception."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 40))
    score = rng.choice([0.0, 0.5, 1.0, np.nan], size, p=rng.dirichlet(np.ones(4)))
    words = np.array(["right", "wrong", "unsure", None], dtype=object)
    rows = pd.DataFrame(
        {
            "system": [*"ab", *rng.choice([*"abc"], size - 2)],
            "question": rng.choice([*"uvwxyz"], size),
            "score": score,
            "label": words[rng.choice(4, size, p=rng.dirichlet(np.ones(4)))],
            "part": rng.choice([*"pf"], size),
        }
    )
    design = proxy.Design(strata="part" if seed % 2 else None, cluster="question" if seed % 3 else None)
    for name, function in ALL.items():
        with suppress(AssayError):  # as other exceptions are not
            result = function(rows, rule=RULE, design=design)
            assert repr(result).startswith(type(result).__name__), name
            assert not result.to_frame().columns.duplicated().any(), name
            assert result.to_dict(), name
            assert not re.search(r"\bnan\b", repr(result)), name
