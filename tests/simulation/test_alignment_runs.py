"""`assay align` run many times over a real endpoint: how often it takes a version that is no better, and finds one that is."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from annotate import Project
from annotate.domain.alignment import Alignment
from annotate.workflow.judging.alignment import AlignmentRequest
from annotate.workflow.judging.model_request import ModelRequest
from annotate.workflow.judging.runs import Options
from proxy.judges.menu import MenuChoice
from support.alignment import NoisyJudge, labelled
from support.endpoint import Endpoint
from support.simulation import at_most
from support.store import Assay

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("quick_retries")]

OPTIONS = Options(choice=MenuChoice(names=("overall",)), concurrency=4)


def versions(assay: Assay, policy: NoisyJudge, runs: int) -> list[Alignment]:
    """The version that each run measured, each on a copy of the store and with errors of its own; runs without one are left out."""
    measured = list[Alignment]()
    for run in range(runs):
        path = assay.folder / "copy.db"
        shutil.copy(assay.db, path)
        with Endpoint(policy=replace(policy, noise=run)) as endpoint:
            request = ModelRequest(model="m", url=endpoint.url, options=OPTIONS)
            told = Project.open(path).align(AlignmentRequest(judge="overall", request=request)).result
        assert told.stopped is None
        measured += [told.alignment] if told.alignment else []
    return measured


def test_without_a_gain_a_version_is_seldom_taken(assay: Assay) -> None:
    """Guidelines and examples change which answers the model errs on: of 200 runs at most 5 % take a version."""
    labelled(assay, 100)
    measured = versions(assay, NoisyJudge(), 200)

    assert len(measured) > 20  # a version that did better by chance on the labels that tune was measured
    assert sum(version.is_in_force for version in measured) / 200 <= at_most(0.05, 200)


def test_a_gain_is_found_and_its_interval_covers_it(assay: Assay) -> None:
    """Errors on 5 % in place of 35 %: AUROC .95 in place of .65. Nearly every run takes the version; 95 % of intervals cover .3."""
    labelled(assay, 200)
    measured = versions(assay, NoisyJudge(told=0.05), 40)

    assert sum(version.is_in_force for version in measured) >= 36
    ends = [version.figures.difference.long_run for version in measured]
    covered = sum(interval is not None and interval.low <= 0.3 <= interval.high for interval in ends)
    assert 1 - covered / len(measured) <= at_most(0.05, len(measured))
