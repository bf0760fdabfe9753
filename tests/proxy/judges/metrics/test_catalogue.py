"""The catalogue of metrics: every metric is declared in full, and every worked number is what its judge gives."""

from __future__ import annotations

import pytest

from proxy.errors import UsageError
from proxy.judges.metrics import catalogue
from proxy.judges.metrics.metric import Metric, MetricNeed, WorkedNumber
from proxy.records import Score

NUMBERS = [(metric, number) for metric in catalogue.metrics() for number in metric.examples]


@pytest.mark.parametrize(("metric", "number"), NUMBERS, ids=[f"{number.judge} {number.given}" for _, number in NUMBERS])
def test_a_worked_number_is_what_the_judge_gives(metric: Metric, number: WorkedNumber) -> None:
    """The numbers of the sources, and those derived beside the formula."""
    if metric.package is not None:
        pytest.importorskip(metric.package, reason=f"{metric.package} is not installed: pip install 'assay[metrics]'")
    judge = catalogue.judge_named(number.judge)
    assert judge is not None
    score = judge.judge(number.item)

    assert isinstance(score, Score)
    assert score.value == pytest.approx(number.expected, abs=1e-9)
    assert catalogue.metric_of(number.judge) is metric


def test_every_metric_is_declared_in_full_under_a_name_of_its_own() -> None:
    """Names are distinct; nothing of the catalogue's table is empty; each signature has the judge's name."""
    metrics = catalogue.metrics()

    assert len({metric.name for metric in metrics}) == len(metrics)
    for metric in metrics:
        assert all((metric.formula, metric.source, metric.misses, metric.needs, metric.examples)), metric.name
        assert metric.judge().name == metric.name
        assert metric.judge().signature == f"{metric.name}|offline|v{metric.version}"


def test_what_needs_gold_is_not_reference_free() -> None:
    """A metric that needs a reference or relevant ids is never a part of a proxy for traffic without them."""
    assert [metric.name for metric in catalogue.metrics() if metric.is_reference_free] == []
    assert MetricNeed.RELEVANT_IDS in next(metric for metric in catalogue.metrics() if metric.name == "ndcg").needs


def test_a_metric_whose_package_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is judged."""
    monkeypatch.setattr(catalogue, "find_spec", lambda name: None)

    with pytest.raises(UsageError, match=r"bleu is computed by sacrebleu: pip install 'assay\[metrics\]'"):
        catalogue.require_package("bleu")
    catalogue.require_package("token_f1")
    catalogue.require_package("faithfulness")
