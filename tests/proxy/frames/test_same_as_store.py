"""The functions on frames give the numbers of the store's own answers on the same rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import proxy
from annotate.project import Project
from proxy.evaluation.confusion_rates import DERIVED
from proxy.evaluation.predictor import PredictorSource
from proxy.rule import Rule
from support.store import Assay, label, once, traffic_row
from support.tiers import shortly

pytestmark = pytest.mark.slow

RULE = "min(first, second) > 0.3"
SYSTEMS = ("a", "b", "c")
QUESTIONS = 110
QUERY = """
    SELECT i.id, i.question, i."group", i.system, f.stratum, d.key IS NOT NULL,
        d.inclusion_probability, l.judgement,
        max(CASE WHEN j.judge = 'first' THEN s.value END), max(CASE WHEN j.judge = 'second' THEN s.value END),
        max(CASE WHEN j.judge = 'unread' THEN s.value END)
    FROM items i JOIN frames f ON f.item = i.key LEFT JOIN draws d ON d.item = i.key LEFT JOIN labels l ON l.draw = d.key
    JOIN scores s ON s.item = i.key JOIN judges j ON j.key = s.judge GROUP BY i.key ORDER BY d.key IS NULL, d.key, i.key
"""
COLUMNS = ["id", "question", "group", "system", "stratum", "drawn", "pi", "label", "first", "second", "unread"]
KEPT_PLANS = (("correctness", 0.5), ("correctness", 0.05), ("sensitivity", 0.1))
DESIGN = proxy.Design(strata="stratum", cluster="group", question="question", drawn="drawn")


def product_of(name: str) -> str:
    """What the answer with this id is about."""
    return "xyz"[int(name[1:]) % 3]


@pytest.fixture
def loop(assay: Assay) -> Assay:
    """Three systems on the same questions, in groups of two; a wave of 200 draws, some unsure and some without a label.

    Answers about one of three products are wrong more often than their scores say. One score is not read by the rule.
    """

    def make() -> None:
        rng = np.random.default_rng(11)
        rows = [
            traffic_row(
                f"{system}{k:03}",
                question=f"Where is room {k:03}?",
                answer=f"On floor {k:03}.",
                contexts=[f"Room {k:03} is on floor {k:03}."],
                group=f"g{k // 2}",
                system=system,
                product=product_of(f"{system}{k:03}"),
            )
            for system in SYSTEMS
            for k in range(QUESTIONS)
        ]
        assay("ingest", assay.write("traffic.jsonl", rows))
        quality = {row["id"]: rng.random(3).round(3) + (0.0 if row["system"] == "a" else 0.15) for row in rows}
        scores = [
            {"item_id": name, "judge": judge, "value": min(1.0, values[n]), "signature": "s"}
            for name, values in quality.items()
            for n, judge in enumerate(("first", "second", "unread"))
        ]
        assay("scores", "import", assay.write("scores.jsonl", scores))
        assay("rule", "set", RULE)
        assay("sample", "--labels", "200", "--seed", "3")
        drawn = assay.sql("SELECT i.id FROM draws d JOIN items i ON i.key = d.item ORDER BY d.key")
        said = []
        for place, (name,) in enumerate(drawn):
            if place % 40 == 7:
                continue
            bar = 0.8 if product_of(name) == "x" else 0.2
            is_right = (quality[name][:2].min() + quality[name][2]) / 2 + rng.normal(0, 0.15) > bar
            said.append(label(name, "unsure" if place % 40 == 3 else "right" if is_right else "wrong"))
        assay("labels", "import", assay.write("labels.jsonl", said))

    return once(assay, "same as store", make)


@pytest.fixture
def rows(loop: Assay) -> pd.DataFrame:
    """Everything that the store holds, one row an answer, the draws in their order first."""
    frame = pd.DataFrame(loop.sql(QUERY), columns=COLUMNS).astype({"drawn": bool})
    return frame.assign(product=[product_of(name) for name in frame["id"]])


@pytest.fixture
def project(loop: Assay) -> Project:
    """The store, through the interface that people use."""
    return Project.open(loop.db)


def plain(value: Any) -> Any:
    """Return records as mappings and lists of plain values; without the names and signatures that only a store gives."""
    if isinstance(value, Rule):
        return value.expression
    if isinstance(value, PredictorSource):
        return [value.rule, value.labels, [judge for judge, _ in value.judges]]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value


def assert_same(ours: Any, theirs: Any, path: str = "") -> None:
    """Both records hold the same values, but for the last digits of a float."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), path
        for key, value in ours.items():
            assert_same(value, theirs[key], f"{path}.{key}")
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), path
        for place, (mine, their_value) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(mine, their_value, f"{path}[{place}]")
    elif isinstance(ours, float) and isinstance(theirs, float):
        assert math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9), (path, ours, theirs)
    else:
        assert ours == theirs, (path, ours, theirs)


def test_measure(rows: pd.DataFrame, project: Project) -> None:
    """The same quantities, all predicted by all three scores; without the one that the rule does not read they are others."""
    ours = proxy.measure(rows, rule=RULE, design=DESIGN)
    theirs = project.report().result
    of_the_rule = proxy.measure(rows, rule=RULE, design=replace(DESIGN, predictors=["first", "second"]))

    assert_same(plain(ours.agreement), plain(theirs.agreement))
    for name in ("correctness", "pass_precision", "npv", *DERIVED):
        predictor = getattr(ours.agreement, name).predictor
        assert predictor is not None
        assert [judge for judge, _ in predictor.judges] == ["first", "second", "unread"]
        assert getattr(of_the_rule.agreement, name).low != getattr(ours.agreement, name).low


@pytest.mark.parametrize("precision", [0.5, 0.97])
def test_calibrate(rows: pd.DataFrame, project: Project, precision: float) -> None:
    """The same draws choose, and every threshold has the same tests, whether one is certified or none."""
    ours = proxy.calibrate(rows, rule=RULE, precision=precision, design=DESIGN)
    theirs = project.calibrate(precision, dry_run=True).result

    assert theirs.choice is not None
    assert_same(plain(ours.choice), plain(theirs.choice))
    assert (ours.labels, len(ours.chose) - ours.undecided) == (theirs.labels, theirs.chose)
    assert (ours.threshold is None) == (precision > 0.9)
    if theirs.guarantee is not None and theirs.rule is not None and ours.rule is not None:
        assert ours.guarantees == theirs.guarantee.claims
        assert ours.rule.expression == theirs.rule.expression


def test_compare(rows: pd.DataFrame, project: Project) -> None:
    """The same pairs, rates, difference, standing and p-value."""
    for pair in (("a", "b"), ("b", "c")):
        ours = proxy.compare(rows, systems=pair, rule=RULE, design=DESIGN)
        theirs = project.compare(*pair).result

        assert_same(plain(ours.comparison), plain(theirs.comparison))
        assert [system.labels for system in ours.systems] == [side.labels for side in theirs.sides]
        for system, side in zip(ours.systems, theirs.sides, strict=True):
            assert_same(plain(system.correctness), plain(side.rate))
            assert system.missing.share == pytest.approx(side.missing)
        assert len(ours.shared.pairs) == len(theirs.shared.pairs) > 5


def test_rank(rows: pd.DataFrame, project: Project) -> None:
    """The same rates, ranks and pairs."""
    ours = proxy.rank(rows, rule=RULE, systems=SYSTEMS, design=DESIGN)
    theirs = project.rank(*SYSTEMS).result

    assert_same(plain(ours.standings), plain(theirs.standings))
    assert (ours.questions, ours.shared, ours.is_census) == (theirs.questions, theirs.shared, theirs.is_census)
    assert tuple(missing.draws for missing in ours.missing) == theirs.missing


def test_find_slices(rows: pd.DataFrame, project: Project) -> None:
    """The same shares, differences and p-values of every slice by the fields that were named."""
    ours = proxy.find_slices(rows, by=["product", "system"], rule=RULE, design=DESIGN)
    theirs = project.slices(by=("metadata.product", "system")).result

    def by_slice(examined: Any) -> dict[tuple[str, str, str], Any]:
        return {
            (part.field.removeprefix("metadata."), part.value, finding.mistake.value): finding
            for finding in examined.tested
            for part in (finding.slice, *finding.twins)
        }

    mine, others = by_slice(ours.examined), by_slice(theirs.examined)
    assert len(mine) >= 8
    for key, finding in mine.items():
        their_finding = others[key]
        for name in ("here", "elsewhere", "difference", "p_value"):
            assert_same(plain(getattr(finding, name)), plain(getattr(their_finding, name)), f"{key}.{name}")
    assert len(others) == len(mine)  # nothing else divides these answers, so that both adjust for the same tests
    assert_same([finding.adjusted_p for finding in mine.values()], [others[key].adjusted_p for key in mine])
    assert "product: x" in {finding.slice.name for finding in ours.worse}
    assert ours.labels == theirs.labels


@pytest.mark.parametrize(
    ("quantity", "width"),
    shortly(
        (*KEPT_PLANS, ("correctness", 0.08), ("kappa", 0.1)),
        *KEPT_PLANS,
    ),
)
def test_plan(rows: pd.DataFrame, project: Project, quantity: str, width: float) -> None:
    """The same evidence and the same strata; the labels and the width as far as simulations in another order can tell."""
    ours = proxy.plan(rows, rule=RULE, quantity=quantity, width=width, design=DESIGN)
    theirs = project.plan(quantity=quantity, width=width).result

    for name in ("status", "open", "labels", "present", "unlabelled"):
        assert_same(plain(getattr(ours, name)), plain(getattr(theirs, name)), name)
    assert_same(plain(ours.effective_labels), plain(theirs.effective_labels))
    error = math.hypot(ours.further_error, theirs.further_error)
    assert abs(ours.further - theirs.further) <= 3 * error + 1
    assert sum(part.drawn for part in ours.strata) == ours.further
    assert {part.stratum: part.size for part in ours.strata} == {part.stratum: part.size for part in theirs.strata}
    if ours.width is None or theirs.width is None:
        assert ours.width is theirs.width
    else:
        assert ours.width == pytest.approx(theirs.width, rel=0.05)
