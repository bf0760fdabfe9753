"""The Python of the README and of the page on Python runs as it is written, from an empty folder with the files that it names."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import proxy
from annotate import Project
from support.store import ROOT, jsonl, traffic_row

pytestmark = pytest.mark.slow

README = ROOT / "README.md"
PAGE = ROOT / "docs" / "python.md"
ARES = ROOT / "docs" / "ares.md"


def python(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(blocks: list[str]) -> dict[str, object]:
    """Run the blocks one after the other; what they leave."""
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "block", "exec"), names)
    return names


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with traffic of two systems, in groups of two, a label for every answer, and the next day's traffic."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("ASSAY_", "LABEL_STUDIO_"))]:
        monkeypatch.delenv(name)
    rng = np.random.default_rng(4)
    rows = []
    for k in range(300):
        answer = f"Room {k} is on the ground floor." if rng.random() < 0.7 else "Penguins cannot fly."
        row = traffic_row(str(k), answer=answer, group=f"g{k // 2}", system=f"v{1 + k % 2}", question=f"Room {k // 2}?")
        rows.append({**row, "timestamp": f"2026-11-{1 + k % 20:02}T08:00:00Z"})
    Path("traffic.jsonl").write_text(jsonl(rows))
    Path("today.jsonl").write_text(jsonl([traffic_row("today")]))
    judgements = ["right" if rng.random() < (0.9 if "Room" in str(row["answer"]) else 0.2) else "wrong" for row in rows]
    labels = pd.DataFrame({"item_id": [row["id"] for row in rows], "label": judgements, "annotator": "ann"})
    labels.to_csv("labels.csv", index=False)
    return tmp_path


def test_the_readme(folder: Path) -> None:
    """What is measured on the frame at its end is what the report of the same store says: one wave was drawn."""
    left = run(python(README.read_text()))
    project, frame = left["project"], left["frame"]
    assert isinstance(project, Project)
    assert isinstance(frame, pd.DataFrame)
    rule = "min(context_relevance, faithfulness) > 0.5"
    design = proxy.Design(strata="stratum", probability="inclusion_probability", cluster="group")
    measured = proxy.measure(frame, rule=rule, design=design)
    told = project.report().result.agreement

    assert measured.correctness.n == 200
    assert measured.correctness.estimate == pytest.approx(told.correctness.estimate)
    assert measured.pass_precision.estimate == pytest.approx(told.pass_precision.estimate)


def test_the_page_on_python(folder: Path) -> None:
    """Every block that needs a store, after those that do not; each default judge has a verdict."""
    verdicts = run(python(PAGE.read_text()))["verdicts"]
    assert isinstance(verdicts, dict)
    assert {"context_relevance", "faithfulness"} <= verdicts.keys()


def test_the_page_on_ares() -> None:
    """ARES' worked numbers, those that Assay gives for the same answers, and a judge for each criterion with the caller's feature.

    By hand: 0.8 - 1 / 5, and 1.96 sqrt(0.8 x 0.2 / 100 + 0.2 x 0.8 / 5).
    """
    left = run(python(ARES.read_text()))
    names = ("theta", "low", "high")
    theta, low, high = (float(left[name]) for name in names)  # type: ignore[arg-type]
    few, honest = left["few"], left["honest"]

    assert (theta, low, high) == pytest.approx((0.6, 0.6 - 1.959964 * 0.0336**0.5, 0.6 + 1.959964 * 0.0336**0.5))
    assert (round(theta, 3), round(low, 4), round(high, 4)) == (0.6, 0.2407, 0.9593)
    assert f"{few.estimate:.2f}, {few.low:.2f} to {few.high:.2f}" in ARES.read_text()  # type: ignore[attr-defined]
    assert left["all_right"] == (1, 1, 1)
    assert f"Assay says {honest.low:.2f} to {honest.high:.0f}" in ARES.read_text()  # type: ignore[attr-defined]
    for criterion in ("context_relevance", "faithfulness", "answer_relevance"):
        judge = left[criterion].judge  # type: ignore[attr-defined]
        assert judge.name == f"{criterion}_trained"
        assert judge.model.features[-1] == "embedding_0"
