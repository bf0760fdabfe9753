"""A wave in which each item has its own chance says how many it takes: before it is drawn, after, in lines, objects and on the page."""

from __future__ import annotations

import numpy as np
import pytest

from annotate.domain.sampling.designs import WaveDesign
from annotate.domain.sampling.proposal import Proposal
from annotate.workflow.sampling.draw import size_of
from proxy.planning.allocation import StratumPlan
from proxy.planning.coded import Coded
from proxy.planning.strata import SamplingFrame
from support.scored import scored
from support.store import Assay, label, traffic_row

pytestmark = pytest.mark.slow


@pytest.fixture
def labelled(assay: Assay) -> Assay:
    """Two hundred scored items, forty of them labelled."""
    names = scored(assay, [traffic_row(f"t{k:03}") for k in range(200)], [(k % 100) / 100 for k in range(200)])
    assay("sample", "--labels", "40", "--seed", "1")
    words = [label(name, "right" if k % 100 > 40 else "wrong") for k, name in enumerate(names)]
    assay("labels", "import", assay.write("labels.jsonl", words))
    return assay


def test_the_size_is_said_before_and_after_and_holds(labelled: Assay) -> None:
    """Of a stream: the expected number is the rate's; what is drawn lies in the range in nearly all of many drawings."""
    labelled("ingest", labelled.write("more.jsonl", [traffic_row(f"m{k:03}") for k in range(100)]))
    inside = 0
    for seed in range(40):
        sample = labelled.json("sample", "--rate", "0.3", "--dry-run", "--seed", str(seed))
        size = sample["size_by_chance"]
        assert size["estimate"] == pytest.approx(30)
        assert size["low"] < 30 < size["high"]
        assert any("the number is random: 30 expected" in note for note in sample["notes"])
        inside += size["low"] <= sample["drawn"] <= size["high"]
    assert inside >= 34

    lines = labelled("sample", "--rate", "0.3", "--seed", "3").stdout.split()
    assert f"{size['low']:.0f} to {size['high']:.0f} in 95 % of drawings" in " ".join(lines)


@pytest.mark.parametrize("design", [(), ("--active",)])
def test_a_number_of_labels_is_drawn_as_asked(labelled: Assay, design: tuple[str, ...]) -> None:
    """The number of a wave is what was asked for, and nothing says that it is random; the help says it of a stream."""
    fixed = labelled.json("sample", "--labels", "30", "--dry-run", *design)

    assert (fixed["drawn"], fixed["size_by_chance"]) == (30, None)
    assert not any("random" in note for note in fixed["notes"])
    assert "random" in labelled("sample", "--help", db=False).stdout


def test_what_is_planned_by_stratum_is_a_fixed_part_of_it() -> None:
    """Ten of a fixed stratum, and a hundred with a chance of one half: 60, within 1.96 times 5."""
    frame = SamplingFrame(
        keys=np.arange(120),
        kinds=Coded.of(np.array(["thumbs_down"] * 10 + ["passed"] * 110)),
        values=np.zeros(120),
        right=np.full(120, np.nan),
        is_eligible=np.arange(120) < 110,
    )
    plans = (
        StratumPlan(stratum="thumbs_down", size=10, drawn=10),
        StratumPlan(stratum="passed", size=110, drawn=50, is_fixed=False),
    )
    chances = np.where(frame.kinds.among("passed"), 0.5, 1.0)

    size = size_of(frame, Proposal(frame.kinds, chances, plans, np.arange(60)), WaveDesign.STREAM)

    assert (size.estimate, size.low, size.high) == (60, 50, 70)
