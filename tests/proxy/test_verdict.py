"""Rules: what parses, what is refused, and that values are those of plain arithmetic."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from proxy.errors import RuleError
from proxy.rule import (
    DEFAULT_EXPRESSION,
    FORM,
    MAX_KNOTS,
    VERDICTS,
    Percentiles,
    Rule,
    Values,
    evaluate,
    judges_of,
    needed_by,
    needs_above,
)
from proxy.rule import percentile_knots as knots


def rule(expression: str, percentiles: Percentiles | None = None) -> Rule:
    return Rule(name="test", version=1, expression=expression, signatures={}, percentiles=percentiles or {})


def column(*values: float) -> Values:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    ("expression", "threshold", "scalar"),
    [
        ("min(a, b) > 0.5", 0.5, min),
        ("max(a, b) > 0.25", 0.25, max),
        ("mean(a, b) > 0", 0, lambda a, b: (a + b) / 2),
        ("product(a, b) > 1", 1, lambda a, b: a * b),
        ("a > 0.5", 0.5, lambda a, b: a),
        ("0.3 * a + 0.7*b > .5", 0.5, lambda a, b: 0.3 * a + 0.7 * b),
        ("1 - a > 0.5", 0.5, lambda a, b: 1 - a),
        ("min(a, 2 * b, 0.9) > 0.5", 0.5, lambda a, b: min(a, 2 * b, 0.9)),
        ("mean(min(a, b), max(a, b), a) > 0.5", 0.5, lambda a, b: (a + b + a) / 3),
        ("product(a, 1 - b) - 0.1 * a > 0.05", 0.05, lambda a, b: a * (1 - b) - 0.1 * a),
        ("  min(a) > 0.5  ", 0.5, lambda a, b: a),
    ],
)
def test_values_of_columns_are_those_of_plain_arithmetic(
    expression: str, threshold: float, scalar: Callable[[float, float], float]
) -> None:
    """Each allowed form, computed item by item with Python's own operators."""
    rng = random.Random(1)
    a, b = ([rng.choice([0.0, 0.5, 1.0, rng.random()]) for _ in range(200)] for _ in range(2))
    made = rule(expression)
    values = made.values({"a": column(*a), "b": column(*b)})
    expected = [scalar(x, y) for x, y in zip(a, b, strict=True)]

    assert values == pytest.approx(expected, abs=1e-15)
    assert made.threshold == threshold
    assert made.passes(column(*expected)).tolist() == [value > threshold for value in expected]


def test_passing_is_strictly_above_the_cut() -> None:
    """On topic but cannot answer scores exactly 0.5, and fails."""
    made = rule(DEFAULT_EXPRESSION)
    scores = {
        "context_relevance": column(0.5, math.nextafter(0.5, 1), 1),
        "faithfulness": column(1, 1, 0.5),
    }

    assert made.passes(made.values(scores)).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "expression",
    [
        *("min(a, b) >= 0.5", "a < 0.5", "a == 0.5", "0.2 < a < 0.5", "0.2 > a > 0.1", "a > 0.5 and b > 0.5"),
        *("not a > 0.5", "a", "0.5", "", "   ", "a >", "> 0.5", "a > b", "a > 0.5 + 0.1", "a > '0.5'", "a > -x"),
        *("a > True", "True > 0.5", "min(a, True) > 0.5", "a > 0.5j", "a > None", "a > nan"),
        *("sqrt(a) > 0.5", "a.real > 0.5", "a.__class__ > 0.5", "a[0] > 0.5", "(lambda: a)() > 0.5", "a / b > 0.5"),
        *("a ** 9 > 0.5", "a // b > 0.5", "a % b > 0.5", "-a > 0.5", "a if b else a > 0.5", "[a] > 0.5", "{a} > 0.5"),
        *("min() > 0.5", "min(a, key=b) > 0.5", "min(*a) > 0.5", "min(a, default=1) > 0.5", "pct() > 0.5"),
        *(
            "pct(a, b) > 0.5",
            "pct(min(a, b)) > 0.5",
            *(
                "normal(min(a, b)) > 0",
                "normal(a, b) > 0",
                "missing(0.5) > 0",
                "logistic(a, b) > 0.5",
                "logistic() > 0.5",
            ),
            "pct(0.5) > 0.5",
            "pct(judge=a) > 0.5",
            "'a' > 0.5",
            "f'{a}' > 0.5",
        ),
        *("__import__('os').system('true') > 0.5", "open('x') > 0.5", "eval('1') > 0.5", "(a := 1) > 0.5"),
        *("a > 0.5; b", "a > 0.5\nb > 0.5", "import os", "a > 0.5 # \0", "[x for x in a] > 0.5", "a @ b > 0.5"),
        *("\ud800 > 0.5", "await a > 0.5", "(yield a) > 0.5", "... > 0.5", "((" * 150 + "a" + "))" * 150 + " > 0.5"),
        *("a > 1e999", "1e999 * a > 0.5", "a > 1" + "0" * 400, "1" + "0" * 400 + " * a > 0.5", "a > 9" + "9" * 900),
    ],
)
def test_anything_else_is_refused_with_the_form_to_write(expression: str) -> None:
    """Every refusal is a RuleError that shows how a rule is written; nothing is ever run."""
    with pytest.raises(RuleError) as refused:
        judges_of(expression)

    assert FORM in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    "expression",
    ["a + " * 250_000 + "a > 0.5", "a" * 10**6, "(" * 10**6, "a > 0.5" + " " * 10**6 + "+ 1", "min(" + "a," * 10**6],
    ids=["sum", "name", "parentheses", "tail", "arguments"],
)
def test_a_million_characters_are_refused_at_once(expression: str) -> None:
    """Refused by their length, never cut short: a rule that is read in part is another rule."""
    with pytest.raises(RuleError, match="characters"):
        judges_of(expression)


def test_a_rule_is_never_read_in_part() -> None:
    """The threshold 0.51234 behind 3,990 characters is 0.51234 or refused, not 0.5."""
    long = "a" + " + 0 * a" * 498 + " " * 7
    assert len(long + " > 0.5") < 4000 < len(long + " > 0.51234 " + " " * 20)
    for padding in range(30):
        expression = long + " " * padding + " > 0.51234"
        try:
            threshold = rule(expression).threshold
        except RuleError:
            continue
        assert threshold == 0.51234, padding


def test_long_but_allowed_expressions_evaluate() -> None:
    """As many terms as the length allows, without running out of stack."""
    expression = "a" + "+a" * 490 + " > 1"

    assert rule(expression).values({"a": column(0.5, 0)}).tolist() == [245.5, 0]


@pytest.mark.parametrize(
    ("expression", "names", "ranked"),
    [
        (DEFAULT_EXPRESSION, ("context_relevance", "faithfulness"), ()),
        ("mean(pct(b), a, pct(a)) > 0.3", ("a", "b"), ("b", "a")),
        ("0.5 * a + 0.5 * a > 0.1", ("a",), ()),
        ("忠实度 > 0.5", ("忠实度",), ()),
    ],
)
def test_the_judges_of_a_rule(expression: str, names: tuple[str, ...], ranked: tuple[str, ...]) -> None:
    """Each judge once, and those that are read as percentiles."""
    judges, read_as_percentile = judges_of(expression)

    assert set(judges) == set(names)
    assert len(judges) == len(names)
    assert read_as_percentile == ranked


def test_a_rule_without_a_judge_is_refused() -> None:
    """Numbers alone would pass or fail everything."""
    with pytest.raises(RuleError, match="names no judge"):
        judges_of("0.7 > 0.5")


def test_percentiles_are_mid_ranks() -> None:
    """The share below plus half the share at the value: scipy's percentileofscore of kind "mean", ties included."""
    rng = random.Random(4)
    scores = [rng.choice([0.0, 0.5, 0.5, 1.0, round(rng.random(), 2)]) for _ in range(500)]
    kept_knots = knots(scores)

    assert [value for value, _ in kept_knots] == sorted(set(scores))
    for value, rank in kept_knots:
        assert rank == pytest.approx(stats.percentileofscore(scores, value, kind="mean") / 100, abs=1e-12)


def test_many_different_scores_keep_few_knots_and_lose_little() -> None:
    """A million would not fit a rule's row: between the knots kept, ranks are interpolated to a thousandth."""
    scores = np.random.default_rng(2).beta(2, 5, 20_000)
    kept_knots = knots(scores)
    ranked = rule("pct(a) > 0.3", {"a": kept_knots}).values({"a": scores[:300]})

    assert len(kept_knots) == MAX_KNOTS
    assert (kept_knots[0][0], kept_knots[-1][0]) == (scores.min(), scores.max())
    expected = [stats.percentileofscore(scores, score, kind="mean") / 100 for score in scores[:300]]
    assert ranked == pytest.approx(expected, abs=1e-3)


def test_percentiles_are_those_that_were_frozen() -> None:
    """A rule ranks against the scores it was made from, whatever it is given later; beyond them it stays at their ends."""
    frozen = rule("pct(a) > 0.3", {"a": knots([0.2, 0.4, 0.4, 0.8])})

    # Ranks 1/8, 2/4, 7/8; 0.3 lies half-way between 1/8 and 1/2.
    expected = [0.125, 0.125, 0.3125, 0.5, 0.875, 0.875]
    assert frozen.values({"a": column(0.0, 0.2, 0.3, 0.4, 0.8, 1.0)}) == pytest.approx(expected)
    assert frozen.passes(frozen.values({"a": column(0.2, 0.3)})).tolist() == [False, True]


def test_no_scores_give_no_knots() -> None:
    """Nothing to rank against; whoever sets the rule must refuse it."""
    assert knots([]) == ()


def test_a_rule_says_where_its_cut_comes_from() -> None:
    """Until labels chose it, every report says so; a rule that a person set is by hand, also at the usual threshold."""
    default = Rule(name="default", version=1, expression=DEFAULT_EXPRESSION, signatures={})
    calibrated = Rule(name="a", version=1, expression="a > 0.5", signatures={}, is_calibrated=True)

    assert default.basis == "default threshold, not calibrated on your traffic"
    for expression in ("a > 0.5", "a > 0.62", DEFAULT_EXPRESSION):
        assert rule(expression).basis == "threshold set by hand, not calibrated on your traffic"
    assert calibrated.basis == "threshold chosen from labels"


def test_no_items_give_no_values() -> None:
    """An empty batch is no error."""
    assert rule("min(a, 0.5) > 0.1").values({"a": column()}).tolist() == []


def test_a_logistic_value_of_normal_scores_knows_what_is_missing() -> None:
    """Oracle: scipy's normal quantile of the mid-rank; a missing score is the middle, with a coefficient of its own."""
    seen = [0.1, 0.2, 0.2, 0.7, 0.9]
    made = Rule(
        name="test",
        version=1,
        expression="logistic(1.5 * normal(a) - 0.4 * missing(a) + 0.2 * b + 0.1) > 0.5",
        signatures={"a": "1", "b": "1"},
        percentiles={"a": knots(seen)},
    )
    scores = {("a", "1"): column(0.2, 0.95, math.nan, 0.7, math.nan), ("b", "1"): column(1, 0, 1, math.nan, math.nan)}
    odds = [1.5 * stats.norm.ppf(0.4) + 0.3, 1.5 * stats.norm.ppf(0.9) + 0.1, -0.4 + 0.3]
    verdicts, values = evaluate(made, scores, 5)

    assert values[:3] == pytest.approx([1 / (1 + math.exp(-odd)) for odd in odds], abs=1e-12)
    assert np.isnan(values[3:]).all()  # b is read as it is: without it there is no verdict
    assert [VERDICTS[verdict] for verdict in verdicts] == ["fail", "pass", "fail", "unscored", "unscored"]
    assert needed_by(made.expression) == ("b",)


def test_an_item_without_any_score_is_unscored() -> None:
    """Where every judge may be missing, one score is enough, and none is not."""
    made = Rule(
        name="test",
        version=1,
        expression="logistic(normal(a) + normal(b) - missing(b)) > 0.3",
        signatures={"a": "1", "b": "1"},
        percentiles={"a": knots([0, 1]), "b": knots([0, 1])},
    )
    scores = {("a", "1"): column(1, math.nan, math.nan), ("b", "1"): column(math.nan, 1, math.nan)}
    verdicts, values = evaluate(made, scores, 3)
    odds = stats.norm.ppf(0.75)

    assert values[:2] == pytest.approx([1 / (1 + math.exp(1 - odds)), 1 / (1 + math.exp(-odds))])
    assert VERDICTS[verdicts[2]] == "unscored"


@pytest.mark.parametrize(
    ("expression", "threshold"),
    [
        ("a > 0.4", 0.4),
        ("min(a, b) > 0.6", 0.6),
        ("min(a, 1 - b) > 0.6", 0.6),
        ("b > 0.4", None),
        ("mean(a, b) > 0.6", None),
        ("min(pct(a), b) > 0.6", None),
        ("a * b > 0.6", None),
    ],
)
def test_a_rule_has_a_threshold_of_a_judge_where_its_own_score_must_lie_above_it(
    expression: str, threshold: float | None
) -> None:
    assert needs_above(expression, "a") == threshold
