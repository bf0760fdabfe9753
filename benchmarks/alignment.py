"""What it costs to choose a version of a judge and measure it on the same labels, by simulation; prints a table.

    python benchmarks/alignment.py [RUNS]

Four versions are equally good: each errs on a share of answers of its own. `Same labels` chooses the best by AUROC and reports
it on the labels that chose it; `other labels` chooses on three in ten questions and reports on the rest, as `assay align` does.
The true gain is 0. Exit status 1 if the mean gain on other labels is not within three standard errors of 0.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

VERSIONS, ERRORS, SHARE_RIGHT, TUNING = 4, 0.3, 0.6, 0.3


def auroc(passed: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The AUROC of each yes-or-no version: the mean of sensitivity and specificity."""
    return (passed[:, right].mean(axis=1) + (~passed[:, ~right]).mean(axis=1)) / 2


def gains(labels: int, rng: np.random.Generator) -> tuple[float, float]:
    """The gain that is reported over the first version, on the same labels and on others."""
    right = rng.random(labels) < SHARE_RIGHT
    passed = right ^ (rng.random((VERSIONS, labels)) < ERRORS)
    tunes = rng.random(labels) < TUNING
    everything, tuned, measured = (auroc(passed[:, kept], right[kept]) for kept in (slice(None), tunes, ~tunes))
    return float(everything.max() - everything[0]), float(measured[tuned.argmax()] - measured[0])


def main() -> None:
    """Print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    rng, is_fair = np.random.default_rng(1), True
    print(f"gain in AUROC that is reported where there is none, mean of {runs:,} runs")
    print(f"{'labels':>8}{'same labels':>16}{'other labels':>16}{'(standard error)':>20}")
    for labels in (100, 200, 400):
        same, other = np.array([gains(labels, rng) for _ in range(runs)]).T
        error = float(other.std() / np.sqrt(runs))
        is_fair &= abs(float(other.mean())) < 3 * error
        print(f"{labels:>8}{same.mean():>16.3f}{other.mean():>16.3f}{error:>20.4f}")
    sys.exit(not is_fair)


if __name__ == "__main__":
    main()
