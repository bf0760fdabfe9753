"""What is said of a learned rule: each cause in its own words, what taught it, and the bound for repeated looks."""

from __future__ import annotations

import pytest

from annotate.analysis.learned_rule import LearnedRule
from annotate.present import learned_rule
from annotate.present.messages import text
from proxy.evaluation.estimate import Estimate
from proxy.evaluation.learned_rule import NotLearned
from proxy.evaluation.rule_contrast import RuleContrast
from proxy.rule import Rule
from support.documents import check

RULE = Rule(name="default", version=1, expression="s > 0.5", signatures={"s": "s|1"})
LEARNED = Rule(name="learned", version=1, expression="logistic(2 * normal(s) + 0.1) > 0.6", signatures={"s": "s|1"})


def result(lowest: float = 0.07, *, is_by_question: bool = True) -> LearnedRule:
    kappa = Estimate(estimate=0.46, low=0.19, high=0.73, n=74, method="kappa")
    contrast = RuleContrast(estimate=kappa, lowest=lowest, differ=36, deviation=1.0)
    return LearnedRule(
        current_rule=RULE,
        right=69,
        wrong=81,
        rule=LEARNED,
        training_labels=76,
        is_by_question=is_by_question,
        contrast=contrast,
    )


@pytest.mark.parametrize("cause", NotLearned)
def test_each_cause_of_no_rule_has_its_own_words(cause: NotLearned) -> None:
    rule = LearnedRule(current_rule=RULE, right=69, wrong=81, not_learned=cause, training_labels=73)
    words = text(learned_rule.document(rule).answer)

    check(learned_rule.document(rule))
    assert words.startswith("No rule was learned: ")
    assert [
        reason
        for reason in NotLearned
        if text(
            learned_rule.document(
                LearnedRule(current_rule=RULE, right=69, wrong=81, not_learned=reason, training_labels=73)
            ).answer
        )
        == words
    ] == [cause]
    assert ("73" in words) is (cause is not NotLearned.NO_JUDGE)


@pytest.mark.parametrize(("is_by_question", "unit"), [(True, "question"), (False, "group")])
def test_what_the_hash_is_of_is_said(is_by_question: bool, unit: str) -> None:
    full = " ".join(check(learned_rule.document(result(is_by_question=is_by_question))).split())

    assert f"76 labels taught it, and 74 others score it: a hash of the {unit} decides." in full


@pytest.mark.parametrize(
    ("lowest", "words"),
    [
        (0.07, "With that allowed for, it is at least +0.07 (95 %, one-sided)."),
        (-0.1, "With that allowed for, it may be as low as -0.10 (95 %, one-sided)."),
    ],
)
def test_the_bound_for_repeated_looks_says_what_it_allows_for(lowest: float, words: str) -> None:
    full = " ".join(check(learned_rule.document(result(lowest))).split())

    assert "A report that is read again and again shows a difference by chance some day. " + words in full
    assert ("is shown to agree better" in full) is (lowest > 0)
