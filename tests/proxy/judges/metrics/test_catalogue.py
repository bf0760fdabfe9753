"""The catalogue of metrics: every metric is declared in full, and every worked number is what its judge gives."""

from __future__ import annotations

import pytest

import proxy
from proxy.errors import UsageError
from proxy.judges.metrics import catalogue
from proxy.judges.metrics.metric import GOLD, Metric, MetricNeed, WorkedNumber
from proxy.judges.metrics.model_metric import ModelMetric
from proxy.records import JudgeFailure, Score
from support.llm import comparing, drive, only, script

NUMBERS = [(metric, number) for metric in catalogue.metrics() for number in metric.examples]


def outcome(metric: Metric, number: WorkedNumber) -> Score | JudgeFailure:
    """What the judge makes of the item; a model's replies are those that the number names, all of them."""
    if isinstance(metric, ModelMetric):
        return only(drive(metric.asked(comparing()), number.item, script(number.replies), number.vectors))
    judge = catalogue.judge_named(number.judge)
    assert judge is not None
    return judge.judge(number.item)


@pytest.mark.parametrize(("metric", "number"), NUMBERS, ids=[f"{number.judge} {number.given}" for _, number in NUMBERS])
def test_a_worked_number_is_what_the_judge_gives(metric: Metric, number: WorkedNumber) -> None:
    """The numbers of the sources, and those derived beside the formula."""
    if metric.package is not None:
        pytest.importorskip(metric.package, reason=f"{metric.package} is not installed: pip install 'assay[metrics]'")
    score = outcome(metric, number)

    assert isinstance(score, Score), score
    exact = 1e-6 if number.vectors else 1e-9  # vectors are of 32-bit floats
    assert score.value == pytest.approx(number.expected, abs=exact)
    assert catalogue.metric_of(number.judge) is metric


def test_every_metric_is_declared_in_full_under_a_name_of_its_own() -> None:
    """Names are distinct; nothing of the catalogue's table is empty; each signature has the judge's name."""
    metrics = catalogue.metrics()

    assert len({metric.name for metric in metrics}) == len(metrics)
    for metric in metrics:
        assert all((metric.formula, metric.source, metric.misses, metric.needs, metric.examples)), metric.name
        judge = metric.judge()
        of_a_model = bool({MetricNeed.MODEL, MetricNeed.EMBEDDINGS} & {*metric.needs})
        assert (judge is None) is isinstance(metric, ModelMetric) is of_a_model
        if judge is not None:
            assert (judge.name, judge.signature) == (metric.name, f"{metric.name}|offline|v{metric.version}")


def test_what_needs_gold_is_not_reference_free() -> None:
    """A metric that needs a reference or relevant ids is never a part of a proxy for traffic without them."""
    free = [metric for metric in catalogue.metrics() if metric.is_reference_free]
    assert not [metric.name for metric in free if not isinstance(metric, ModelMetric)]
    assert all({*metric.needs} <= {*MetricNeed} - GOLD for metric in free)
    assert {MetricNeed.RELEVANT_IDS, MetricNeed.REFERENCE} == GOLD


def test_a_metric_that_asks_a_model_says_how_to_ask() -> None:
    """Before anything is judged, in the command and in Python."""
    for require in (catalogue.require_runnable, proxy.metric):
        with pytest.raises(UsageError, match="assay judge --judges faithfulness_statements --backend openai --model M"):
            require("faithfulness_statements")


def test_a_metric_whose_package_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is judged."""
    monkeypatch.setattr(catalogue, "find_spec", lambda name: None)

    with pytest.raises(UsageError, match=r"bleu is computed by sacrebleu: pip install 'assay\[metrics\]'"):
        catalogue.require_runnable("bleu")
    catalogue.require_runnable("token_f1")
    catalogue.require_runnable("faithfulness")
