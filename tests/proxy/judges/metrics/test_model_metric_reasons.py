"""Metrics that ask a model: limits, reasons, and values that are undefined for reasons of one metric alone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from proxy.judges.llm.statements import STATEMENT_LIMIT
from proxy.judges.metrics.catalogue import model_metrics
from proxy.records import Context, FailureKind
from support.llm import drive, failure, score, script, setup


def test_more_statements_than_are_judged_are_a_failure() -> None:
    """Nothing is cut silently: 121 statements are not judged on their first 120."""
    metric = model_metrics()["faithfulness_statements"]
    many = [f"statement {number}" for number in range(STATEMENT_LIMIT + 1)]
    driven = drive(metric.asked(setup()), metric.examples[0].item, script([many]))

    assert failure(driven).kind is FailureKind.INVALID
    assert failure(driven).reason == "the model lists 121 statements, more than 120"


def test_many_statements_are_judged_thirty_a_call() -> None:
    """31 statements in two calls, numbered through: 31 of 31 but the last one."""
    metric = model_metrics()["faithfulness_statements"]
    statements = [f"statement {number}" for number in range(1, 32)]
    replies = (statements, ["supported"] * 30, ["not_supported"])
    driven = drive(metric.asked(setup()), metric.examples[0].item, script(replies))

    assert score(driven).value == pytest.approx(30 / 31)
    assert json.loads(driven.asks[2].user)["statements"] == {"s31": "statement 31"}
    assert "statement 31" in score(driven).reason


def test_context_precision_needs_the_text_of_every_passage() -> None:
    """A rank without a text has no verdict, so neither the mean nor the share is defined."""
    metric = model_metrics()["context_precision_ap"]
    item = replace(metric.examples[0].item, contexts=(Context(text="One."), Context(text="", id="d2")))
    failed = failure(drive(metric.asked(setup()), item, []))

    assert (failed.kind, failed.reason) == (FailureKind.NOT_APPLICABLE, "passage 2 of 2 has no text")


def test_the_reason_quotes_what_lowers_the_value() -> None:
    """Statements without support; of noise, the wrong statements that stand in a passage."""
    faithful, noise = (model_metrics()[name] for name in ("faithfulness_statements", "noise_sensitivity_relevant"))
    scores = [
        score(drive(metric.asked(setup()), metric.examples[0].item, script(metric.examples[0].replies)))
        for metric in (faithful, noise)
    ]

    assert scores[0].reason == "3 of 5 statements of the answer are supported by the passages; not: “four”, “five”"
    assert scores[1].reason == "1 of 3 statements are wrong and stand in a relevant passage: “three”"


def test_factual_recall_is_undefined_where_nothing_is_right_and_nothing_missing() -> None:
    """0 / 0: no statement of the answer is supported, and yet the answer has all of the reference."""
    metric = model_metrics()["factual_correctness_recall"]
    replies = (["claim"], ["fact"], ["not_supported"], ["supported"])
    failed = failure(drive(metric.asked(setup()), metric.examples[0].item, script(replies)))

    assert (failed.kind, failed.reason) == (
        FailureKind.NOT_APPLICABLE,
        "no statement is supported, and none is missing",
    )


def test_of_several_references_the_first_is_decomposed() -> None:
    """And the reason of the score says so."""
    metric = model_metrics()["context_recall_statements"]
    item = replace(metric.examples[0].item, reference="330 metres | three hundred metres")
    driven = drive(metric.asked(setup()), item, script(metric.examples[0].replies))

    assert json.loads(driven.asks[0].user)["text"] == "330 metres"
    assert score(driven).reason == "2 of 2 statements of the first of 2 references are supported by the passages"
    assert (
        failure(drive(metric.asked(setup()), replace(item, reference=" | "), [])).reason == "the item has no reference"
    )


def test_an_answer_of_trivial_sentences_has_no_groundedness() -> None:
    """TruLens gives 0 to an answer such as "Hello. Bye.", as if it were made up: here it is undefined."""
    metric = model_metrics()["trulens_groundedness"]
    item = replace(metric.examples[0].item, answer="Hello there. Bye for now.")
    failed = failure(drive(metric.asked(setup()), item, script([["trivial", "trivial"]])))

    assert (failed.kind, failed.reason) == (FailureKind.NOT_APPLICABLE, "all sentences of the answer are trivial")
