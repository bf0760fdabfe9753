"""What the pictures over all thresholds are drawn from: the scale, the strips and the curve of a real store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from annotate.analysis.calibration import curves, explore
from annotate.analysis.report import report
from proxy.evaluation.curves import at_threshold, curve
from proxy.evaluation.discrimination import auroc_of
from support.calibration import ITEMS, opened, ready_to_choose
from support.store import Assay


@pytest.fixture
def ready(assay: Assay) -> Assay:
    """400 items with values in hundredths, 240 of them labelled."""
    return ready_to_choose(assay)


@pytest.mark.slow
def test_the_curve_has_the_area_of_the_report(ready: Assay) -> None:
    """Straight lines under the ROC curve are the weighted Mann-Whitney statistic, ties half."""
    with opened(ready.db) as store:
        whole = explore.ladder(store)
        points = curve(curves.ranked(whole))
        auroc = report.build(store).auroc

    x, y = np.array([(point.false_pass, point.sensitivity) for point in points]).T
    assert float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)) == pytest.approx(auroc.estimate, abs=1e-12)
    assert auroc == auroc_of(curves.ranked(whole))
    assert [points[0].sensitivity, points[-1].sensitivity] == pytest.approx([0.0, 1.0])
    point = at_threshold(points, 0.5)
    assert point.threshold > 0.5
    assert at_threshold(points, 1.0) is not None


def test_the_strip_counts_every_value_once(ready: Assay) -> None:
    """All traffic with a value, and all labels."""
    with opened(ready.db) as store:
        strips = curves.strip_of(explore.ladder(store), 0.0, 1.0, 20)

    assert sum(strip.items for strip in strips) == ITEMS
    assert sum(strip.right + strip.wrong for strip in strips) == 240
    assert strips[0].low == 0.0
    assert strips[-1].high == 1.0


def test_a_store_without_values_has_no_cuts(tmp_path: Path) -> None:
    """Nothing to slide over, and no exception."""
    with opened(tmp_path / "assay.db") as store:
        whole = explore.ladder(store)
        assert not whole.has_values
        assert curves.thresholds_of(whole, 10) == []
        assert explore.at(whole, 0.5).false_passes.estimate is None


@pytest.mark.slow
def test_the_scale_holds_every_value_and_the_threshold(ready: Assay) -> None:
    """Shares go from 0 to 1 in hundredths; other values have round ends."""
    with opened(ready.db) as store:
        assert curves.scale_of(explore.ladder(store)) == (0.0, 1.0, 0.01, True)
        assert curves.scale_in_force(store) == (0.0, 1.0, 0.01, True)
    ready("rule", "set", "7 * quality - 2 > 9")
    with opened(ready.db) as store:
        whole = explore.ladder(store)
        scale = curves.scale_of(whole)
        assert scale.low <= whole.span[0] < -1.5
        assert curves.scale_in_force(store) == scale
        assert scale[1:] == (9.0, 0.1, False)
        assert curves.thresholds_of(whole, 5)[-1] == 9.0
