"""The judge of docs/judges.md that runs a model from a file, on a model made here; it needs `pip install onnx onnxruntime tokenizers`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from proxy.records import Context, Item, JudgeFailure, Score
from support.store import ROOT

WORDS = ("[PAD]", "[UNK]", "the", "tower", "is", "tall", "red")


def entailment(folder: Path) -> Any:
    """The judge as the page has it, on this folder."""
    page = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8")
    [block] = [
        block
        for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        if "class Entailment" in block
    ]
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(block, "judges.md", "exec", dont_inherit=True), names)
    return names["Entailment"](folder=folder, version="v1")


def test_the_page_defines_a_judge_without_loading_a_model(tmp_path: Path) -> None:
    """Name and signature are known before there are weights, and an answer without passages asks for none."""
    judge = entailment(tmp_path)

    assert judge.signature == "entailment|my-judges|v1"
    assert isinstance(judge.judge(Item(id="a", question="q", answer="The tower is tall.")), JudgeFailure)


def test_the_best_passage_counts_for_each_sentence(tmp_path: Path) -> None:
    """The model of this test says "entailed" for pairs with fewer unknown words: "red" it knows, "blue" it does not."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    write_model(onnx, tmp_path / "model.onnx")
    model = tokenizers.models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text(json.dumps({"id2label": {"0": "contradiction", "1": "ENTAILMENT"}}))
    contexts = (Context(text="The tower is tall."), Context(text="Penguins breed on ice."))

    good, bad = (
        entailment(tmp_path).judge(Item(id="a", question="q", answer=answer, contexts=contexts))
        for answer in ("The tower is red.", "It was blue once.")
    )
    assert isinstance(good, Score)
    assert isinstance(bad, Score)
    assert 0 < bad.value < good.value < 1


def write_model(onnx: Any, path: Path) -> None:
    """Two logits a pair: 0, and 1 minus the number of its unknown words."""
    helper, types = onnx.helper, onnx.TensorProto
    unknown = helper.make_tensor("unknown", types.INT64, [1], [1])
    axes = helper.make_tensor("axes", types.INT64, [1], [1])
    one = helper.make_tensor("one", types.FLOAT, [1], [1.0])
    zero = helper.make_tensor("zero", types.FLOAT, [1], [0.0])
    nodes = [
        helper.make_node("Equal", ["input_ids", "unknown"], ["is_unknown"]),
        helper.make_node("Cast", ["is_unknown"], ["as_number"], to=types.FLOAT),
        helper.make_node("ReduceSum", ["as_number", "axes"], ["count"], keepdims=1),
        helper.make_node("Sub", ["one", "count"], ["entailed"]),
        helper.make_node("Mul", ["entailed", "zero"], ["other"]),
        helper.make_node("Concat", ["other", "entailed"], ["logits"], axis=1),
    ]
    given = helper.make_tensor_value_info("input_ids", types.INT64, ["pairs", "tokens"])
    told = helper.make_tensor_value_info("logits", types.FLOAT, ["pairs", 2])
    graph = helper.make_graph(nodes, "unknown words", [given], [told], [unknown, axes, one, zero])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
