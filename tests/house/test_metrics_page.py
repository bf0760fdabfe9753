"""docs/metrics.md says what the metrics declare."""

from __future__ import annotations

from support.metrics_page import MARK, PAGE, generated


def test_the_page_is_what_the_metrics_declare() -> None:
    """A formula or a worked number that has changed stands on the page: `make docs` writes it."""
    _, mark, rest = PAGE.read_text(encoding="utf-8").partition(MARK)

    assert mark
    assert rest.strip() == generated().strip(), "docs/metrics.md is stale: run `make docs`"
    for name in ("`ndcg`", "0.6509", "BERTScore", "Euclidean and Manhattan", "retrieval accuracy"):
        assert name in rest
