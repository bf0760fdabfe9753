"""Signatures of LLM judges: all that shapes a score is in them, and nothing else."""

from __future__ import annotations

import json
import re

import pytest

from proxy.judges.llm.form import Mode
from proxy.judges.llm.prompts import Prompts, standard
from proxy.judges.menu import MenuChoice, build
from support.llm import every_judge, setup

TEXTS = standard().texts
SETUPS = [
    {"url": "http://localhost/v2"},
    {"model": "m2"},
    {"mode": Mode.JSON_OBJECT},
    {"mode": Mode.LAST_LINE},
    {"parameters": {"temperature": 0}},
    {"parameters": {"temperature": 1}},
    {"parameters": {"temperature": 0, "seed": 0}},
    {"context_limit": 1_000},
    {"prompts": Prompts({**TEXTS, ("repair", "ko"): TEXTS["repair", "ko"] + "."})},
]


def _signatures(choice: MenuChoice | None = None, **changes: object) -> list[str]:
    return [signature for judge in build(setup(**changes), choice or MenuChoice()) for _, signature in judge.judges]  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", SETUPS, ids=str)
def test_another_setup_is_another_signature(changes: dict[str, object]) -> None:
    """Of every judge; no two of these setups share one."""
    names = MenuChoice(names=("context_relevance", "faithfulness", "answer_relevance", "correctness"))
    usual = _signatures(names)

    assert not set(usual) & set(_signatures(names, **changes))
    every = [tuple(_signatures(names, **endpoint_setup)) for endpoint_setup in SETUPS]
    assert len(set(every)) == len(SETUPS)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"names": ("correctness",)}, {"names": ("correctness",), "right_from": 5}),
        ({"names": ("correctness_vs_reference",)}, {"names": ("correctness_vs_reference",), "right_from": 5}),
        ({"names": ("context_relevance",)}, {"names": ("context_relevance",), "per_passage": True}),
        ({}, {"one_call": True}),
        ({"names": (), "aspects": {"a": "Is it polite?"}}, {"names": (), "aspects": {"a": "Is it polite!"}}),
        ({"names": (), "aspects": {"a": "Is it polite?"}}, {"names": (), "aspects": {"b": "Is it polite?"}}),
    ],
)
def test_another_way_of_asking_is_another_signature(first: dict[str, object], second: dict[str, object]) -> None:
    """What is right, how passages are asked of, one call for both, an aspect's text and name."""
    assert not set(_signatures(MenuChoice(**first))) & set(_signatures(MenuChoice(**second)))  # type: ignore[arg-type]


def test_the_same_setup_has_the_same_signature() -> None:
    """In whatever order its parameters come; also what concerns other judges changes nothing."""
    first = {"temperature": 0, "seed": 1, "reasoning": {"effort": "low", "a": 1}}
    second = {"reasoning": {"a": 1, "effort": "low"}, "seed": 1, "temperature": 0}

    assert _signatures(parameters=first) == _signatures(parameters=second)
    assert _signatures(MenuChoice(names=("faithfulness",), per_passage=True, right_from=5)) == _signatures(MenuChoice(names=("faithfulness",)))  # fmt: skip
    assert _signatures(MenuChoice(names=("faithfulness",))) == [_signatures()[1]]


def test_a_signature_names_judge_kind_model_and_version() -> None:
    """The rest is eight hex digits, which the settings explain."""
    for judge in every_judge():
        for name, signature in judge.judges:
            assert re.fullmatch(rf"{name}\|llm\|m\|v1\|[0-9a-f]{{8}}", signature)
        held = json.loads(json.dumps(dict(judge.settings)))
        assert {"url", "mode", "parameters", "context_limit", "prompt", "prompts"} <= set(held)
    every = [signature for judge in every_judge() for _, signature in judge.judges]
    assert len(set(every)) == len(every)


def test_nothing_secret_is_in_signature_or_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is the client's: it neither shows nor shapes anything, so a new key keeps the scores."""
    usual = _signatures()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")

    assert _signatures() == usual
    assert not any("sk-canary" in f"{judge.judges} {dict(judge.settings)}" for judge in every_judge())
