"""Cells: the groups in which every label stands for the same number of items.

A cell is what the sampling design treats alike (its stratum: the path of strata through the waves), split by the verdict
of the rule that is measured. Given how many were drawn from it, a cell's sample is a simple random sample of it, so its
labels speak for its known size. `unsure` shrinks the size: estimates speak of items that people can judge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.records import Judgement, Verdict
from proxy.stats.survey import StratumSample


class Total(NamedTuple):
    """How many items a stratum holds with a verdict."""

    stratum: str
    verdict: Verdict
    size: int


class SampledItem(NamedTuple):
    """A drawn item; `judgement` None while no label has come back."""

    stratum: str
    verdict: Verdict
    judgement: Judgement | None
    group: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """A cell with its size and its labels."""

    stratum: str
    verdict: Verdict
    size: int
    right: int
    wrong: int
    unsure: int

    @property
    def n(self) -> int:
        """Labels that say right or wrong."""
        return self.right + self.wrong

    @property
    def unseen(self) -> int:
        """Items of which no label has come back."""
        return self.size - self.n - self.unsure

    @property
    def judgeable(self) -> float:
        """N times the share of returned labels that were not unsure; N where none was decided and items remain."""
        returned = self.n + self.unsure
        is_open = self.n == 0 and returned < self.size
        return float(self.size) if is_open else self.size * self.n / returned

    @property
    def sample(self) -> StratumSample:
        """The cell as the estimators take it."""
        return StratumSample(size=self.judgeable, n=self.n, x=self.right, fraction=(self.n + self.unsure) / self.size)


def without_thin_paths(
    totals: Sequence[Total], sample: Sequence[SampledItem], reachable: Collection[str]
) -> tuple[list[Total], list[SampledItem]]:
    """Strata that chance left with fewer than two draws, taken together with the largest like them.

    Paths through many waves grow small. A path that some wave sampled (`reachable`) yet hardly drew from holds few items,
    so it joins the largest path with the same last stratum, or the largest of all. Where nobody answered, or nothing
    could be drawn, the path stays as it is: that is no chance, and it is reported.
    """
    sizes: Counter[str] = Counter()
    for total in totals:
        sizes[total.stratum] += total.size
    drawn = Counter(item.stratum for item in sample)
    solid = [path for path in sizes if drawn[path] >= 2]
    thin = [path for path in sizes if drawn[path] < 2 and drawn[path] < sizes[path] and path in reachable]
    joins = {path: _largest_like(path, solid, sizes) for path in thin} if solid else {}
    merged: Counter[tuple[str, Verdict]] = Counter()
    for total in totals:
        merged[joins.get(total.stratum, total.stratum), total.verdict] += total.size
    return (
        [Total(stratum, verdict, size) for (stratum, verdict), size in merged.items()],
        [item._replace(stratum=joins.get(item.stratum, item.stratum)) for item in sample],
    )


def _largest_like(path: str, solid: Sequence[str], sizes: Mapping[str, int]) -> str:
    """The largest of these with the same last stratum, else the largest."""
    last = path.rsplit(maxsplit=1)[-1]
    alike = [other for other in solid if other.rsplit(maxsplit=1)[-1] == last]
    return max(alike or solid, key=lambda other: (sizes[other], other))


def cells_of(totals: Iterable[Total], sample: Iterable[SampledItem]) -> list[Cell]:
    """One cell for each stratum and verdict that has items."""
    labels = Counter((item.stratum, item.verdict, item.judgement) for item in sample)
    return [
        Cell(
            stratum=t.stratum,
            verdict=t.verdict,
            size=t.size,
            right=labels[t.stratum, t.verdict, Judgement.RIGHT],
            wrong=labels[t.stratum, t.verdict, Judgement.WRONG],
            unsure=labels[t.stratum, t.verdict, Judgement.UNSURE],
        )
        for t in totals
        if t.size
    ]


def correctness_strata(cells: Sequence[Cell]) -> tuple[list[StratumSample], list[Cell]]:
    """The strata for an estimate over all items, and what cannot be estimated.

    Cells stay apart where each has labels enough, else the cells of a stratum are taken together, which costs precision
    but no validity: the stratum was sampled as one.
    """
    strata: list[StratumSample] = []
    unknown: list[Cell] = []
    for members in _by_stratum(cells).values():
        judgeable = [cell for cell in members if cell.judgeable > 0]
        if all(cell.sample.is_estimable for cell in judgeable):
            strata += [cell.sample for cell in judgeable]
            continue
        whole = _together(judgeable)
        if whole.sample.is_estimable:
            strata.append(whole.sample)
        else:
            unknown.append(whole)
    return strata, unknown


def side_strata(cells: Sequence[Cell], verdict: Verdict) -> tuple[list[StratumSample], int]:
    """The strata for an estimate over one verdict, and how many items lie in strata that were never labelled.

    A cell that chance left with too few labels, in a stratum that has them, is taken together with the largest cell of
    the same verdict (the collapsed strata of Cochran 1977, 5A.12).
    """
    enough = {stratum for stratum, members in _by_stratum(cells).items() if _together(members).sample.is_estimable}
    side = [cell for cell in cells if cell.verdict is verdict and cell.judgeable > 0]
    good = sorted((cell for cell in side if cell.sample.is_estimable), key=lambda cell: cell.size)
    poor = [cell for cell in side if not cell.sample.is_estimable]
    missing = sum(cell.unseen for cell in poor if cell.stratum not in enough or not good)
    if missing or not good:
        return [cell.sample for cell in good], missing
    return [cell.sample for cell in good[:-1]] + [_together([good[-1], *poor]).sample], 0


def _by_stratum(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        found[cell.stratum].append(cell)
    return found


def _together(cells: Sequence[Cell]) -> Cell:
    """Several cells as one."""
    return Cell(
        stratum=cells[0].stratum,
        verdict=cells[0].verdict,
        size=sum(cell.size for cell in cells),
        right=sum(cell.right for cell in cells),
        wrong=sum(cell.wrong for cell in cells),
        unsure=sum(cell.unsure for cell in cells),
    )
