"""`assay align` against a real endpoint: what is tried, what is measured, what is put in force, and what never leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.evaluation.alignment import tunes
from support.alignment import GUIDELINE, SECRET, NoisyJudge, labelled
from support.endpoint import Endpoint
from support.store import Assay

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_retries")]


def align(assay: Assay, endpoint: Endpoint, *more: str, status: int = 0) -> dict[str, Any]:
    return assay.json("align", "overall", "--model", "m", "--base-url", endpoint.url, *more, status=status)


def users(endpoint: Endpoint) -> list[dict[str, Any]]:
    """The data of each request, probes aside."""
    texts = [turn["content"] for body in endpoint.bodies for turn in body["messages"] if turn["role"] == "user"]
    return [data for text in texts if text.startswith("{") for data in [json.loads(text)] if "question" in data or "cases" in data]


def test_a_gain_is_found_measured_on_other_labels_and_put_in_force(assay: Assay) -> None:
    """With guidelines the model errs on 5 % in place of 35 %: AUROC .95 in place of .65, by construction."""
    labelled(assay, 200)
    with Endpoint(policy=NoisyJudge(told=0.05)) as endpoint:
        told = align(assay, endpoint)

    version = told["version"]
    assert told["not_aligned"] is None and version["in_force"]
    assert version["guidelines"] == [GUIDELINE + "."]
    assert version["lowest"] > 0
    assert version["difference"]["low"] <= 0.3 <= version["difference"]["high"]
    assert sum(told["tuning"].values()) + sum(told["measuring"].values()) == 200
    assert version["difference"]["n"] == sum(told["measuring"].values())
