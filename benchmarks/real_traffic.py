"""Real answers with their human labels and the offline judges' scores, and settings made from them.

A setting is a window: a rule in force, the scores of all items, and what annotators said of each. What is made from real answers
keeps their scores and changes one thing: labels turned round, another share right, one more judge whose AUROC is known.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from annotate import Project
from annotate.analysis.planning.synthetic_waves import SyntheticTraffic
from annotate.analysis.predictor import known
from annotate.analysis.rule_in_force import rule_in_force
from annotate.store import Store
from proxy.stats.calibration.auroc import auroc

SETS = (
    ("clapnq_rag", "human_correct"),
    ("clapnq_rag", "human_faithful"),
    ("qafeedback", "human_correct"),
    ("qafeedback", "human_faithful"),
    ("feedback_cdc", "human_correct"),
)
FLIPPED = (SETS[2],)
RESAMPLED, SHARES, ITEMS = (SETS[0], SETS[3]), (0.5, 0.8, 0.95), 1_500
JUDGED, AUROCS = (SETS[0], SETS[2]), (0.5, 0.7, 0.85, 0.9, 0.94)
LOOKED_AT, POOR = (SETS[0], SETS[2]), 0.6
VERDICTS = {"passed": "pass", "failed": "fail"}
Numbers = NDArray[np.float64]


class Setting(NamedTuple):
    """A window of items with all labels known; `auroc` is that of its best score, over items that have it."""

    name: str
    traffic: SyntheticTraffic
    auroc: float


def settings(folder: Path) -> Iterator[Setting]:
    """Return each real set, then what is made from it."""
    real = {names: read(folder / f"{names[0]}.jsonl", names[1]) for names in SETS}
    for names, now in real.items():
        yield setting(" ".join(names), now)
    for names in FLIPPED:
        yield setting(f"{' '.join(names)}, labels flipped", replace(real[names], right=1 - real[names].right))
    for names in RESAMPLED:
        for share in SHARES:
            yield setting(f"{' '.join(names)}, {share:.0%} right", with_share(real[names], share))
    for names in JUDGED:
        for level in AUROCS:
            yield setting(f"{' '.join(names)}, a judge of AUROC {level:g}", with_judge(real[names], level))
    for names in LOOKED_AT:
        now = real[names]
        for part, wrong, words in (
            (0.04, 1.0, "4% thumbed down, all wrong"),
            (0.15, 0.5, "15% thumbed down, half wrong"),
        ):
            down = marked(now, part, wrong, np.ones(len(now.right), dtype=np.bool_))
            yield setting(f"{' '.join(names)}, {words}", replace(now, is_thumbed_down=down))
        disputed = marked(now, 0.1, 0.5, now.verdicts == "pass")
        yield setting(f"{' '.join(names)}, a tenth of passes disputed", replace(now, is_disputed=disputed))
    for names in RESAMPLED:
        yield setting(f"{' '.join(names)}, 95% right, poor judges", with_poor_judges(with_share(real[names], 0.95)))


def setting(name: str, now: SyntheticTraffic) -> Setting:
    """Measure how well the best score of a window ranks right before wrong."""
    levels = []
    for column in now.known.table.T:
        has = ~np.isnan(column)
        ranked = auroc(column[has], now.right[has])
        if ranked is not None:
            levels.append(ranked.estimate)
    return Setting(name, now, max(levels, default=0.5))


def read(path: Path, field: str) -> SyntheticTraffic:
    """Read traffic with its human labels, and score it by the offline judges, as a store does."""
    human = {row["id"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}
    with tempfile.TemporaryDirectory() as folder:
        project = Project.open(Path(folder) / "assay.db")
        project.ingest(str(path))
        project.judge()
        store = Store(Path(folder) / "assay.db")
        key, rule = rule_in_force(store)
        frame = store.sampling.waves.frame(key)
        scores = known(store, rule, frame.keys.tolist())
        ids = store.sampling.waves.ids(frame.keys.tolist())
        store.close()
    return SyntheticTraffic(
        verdicts=np.array([VERDICTS.get(kind, "unscored") for kind in frame.kinds.tolist()]),
        values=frame.values,
        is_thumbed_down=np.zeros(len(ids), dtype=np.bool_),
        is_disputed=np.zeros(len(ids), dtype=np.bool_),
        right=np.array([human[name][field] == 1 for name in ids], dtype=np.float64),
        groups=ids,
        questions=[human[name]["question"] for name in ids],
        scores=scores.table[:, 1:],
    )


def with_share(now: SyntheticTraffic, share: float) -> SyntheticTraffic:
    """Resample ITEMS items, so many of them right; copies keep their question, so that none predicts another."""
    rng = np.random.default_rng([int(100 * share), len(now.right)])
    right = round(share * ITEMS)
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(now.right == label), count) for label, count in ((1.0, right), (0.0, ITEMS - right))]
    )
    questions = now.questions or now.groups
    return SyntheticTraffic(
        verdicts=now.verdicts[rows],
        values=now.values[rows],
        is_thumbed_down=now.is_thumbed_down[rows],
        is_disputed=now.is_disputed[rows],
        right=now.right[rows],
        groups=[f"{now.groups[row]} {place}" for place, row in enumerate(rows)],
        questions=[questions[row] for row in rows],
        scores=None if now.scores is None else now.scores[rows],
    )


def with_judge(now: SyntheticTraffic, level: float) -> SyntheticTraffic:
    """Add a judge whose scores are normal among right and among wrong answers, as far apart as its AUROC asks."""
    rng = np.random.default_rng(int(100 * level))
    score = np.empty(len(now.right))
    for label in (0.0, 1.0):
        rows = np.flatnonzero(now.right == label)
        # Even quantiles, so that the AUROC is the one asked for.
        score[rows] = ndtri((rng.permutation(len(rows)) + 0.5) / len(rows)) + label * np.sqrt(2) * ndtri(level)
    columns = score[:, None] if now.scores is None else np.column_stack([now.scores, score])
    return replace(now, scores=columns)


def marked(now: SyntheticTraffic, part: float, wrong: float, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark a part of these items, so many of them wrong, or as many as there are."""
    rng = np.random.default_rng([int(100 * part), int(100 * wrong)])
    count = round(part * int(among.sum()))
    is_marked = np.zeros(len(now.right), dtype=np.bool_)
    for label, wanted in ((0.0, round(wrong * count)), (1.0, count - round(wrong * count))):
        rows = np.flatnonzero(among & (now.right == label))
        is_marked[rng.choice(rows, min(wanted, len(rows)), replace=False)] = True
    return is_marked


def with_poor_judges(now: SyntheticTraffic) -> SyntheticTraffic:
    """Give the rule's value to other items at random, and keep one judge, hardly better than chance."""
    rows = np.random.default_rng(len(now.right)).permutation(len(now.right))
    return with_judge(replace(now, verdicts=now.verdicts[rows], values=now.values[rows], scores=None), POOR)
