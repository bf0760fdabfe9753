"""Limits of `--gate`, from the table [gate] of assay.toml: what must hold for a release to go out.

The tables are [gate.report] with the least low end of a quantity's long-run interval (`correctness = 0.75`), [gate.compare]
(`largest_drop = 0.02`), [gate.drift] (`judge = false`) and [gate.gold_check] (`allow_broken = 0`,
`require_checked_judge = true`). How many passed answers must
be right is the verdict's own limit, and stands as `limit` in [report]. What is not known or out of range is a UsageError.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.settings import GATE, SETTINGS, settings
from proxy.errors import UsageError
from proxy.evaluation.trust import DEFAULT_LIMIT

TABLES = ("report", "compare", "drift", "gold_check")
SHARES = ("correctness", "npv", "sensitivity", "specificity", "accuracy", "f1", "auroc")
COEFFICIENTS = ("kappa", "ac1", "mcc")
VERDICTS = "pass_precision"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportLimits:
    """The least low end of each quantity's long-run interval, and how many seriously harmful answers may stand."""

    at_least: Mapping[str, float] = field(default_factory=dict)
    serious_harm: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class CompareLimits:
    """By how much the new system may be worse at the low end of the interval; None fails only what is shown to be worse."""

    largest_drop: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftLimits:
    """Alarms that fail the gate."""

    quality: bool = True
    judge: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldCheckLimits:
    """Limit on right answers that may break; None fails only what is shown to be worse.

    `require_checked_judge` fails what is left to a judge that was not checked against people; else that is not decidable.
    """

    allow_broken: int | None = None
    require_checked_judge: bool = False


def of_report() -> ReportLimits:
    """Read [gate.report]; UsageError where it says what is not known."""
    table = _table("report")
    if VERDICTS in table.values:
        raise UsageError(
            f"{SETTINGS}: [{GATE}.report] has no {VERDICTS}: it is the verdict's own limit, write it as `limit` in [report]"
        )
    table.check((*SHARES, *COEFFICIENTS, "serious_harm"))
    limits = {name: table.number(name, 0) for name in SHARES} | {name: table.number(name, -1) for name in COEFFICIENTS}
    at_least = {name: limit for name, limit in limits.items() if limit is not None}
    return ReportLimits(at_least=at_least, serious_harm=table.count("serious_harm") or 0)


def of_verdict() -> float:
    """Read `limit` in [report], for those who are not the command that takes it as an option; UsageError where it is none."""
    table = settings().get("report", {})
    limit = _Table(where=f"{SETTINGS}: [report]", values=table if isinstance(table, dict) else {}).number("limit", 0)
    return DEFAULT_LIMIT if limit is None else limit


def of_compare() -> CompareLimits:
    """Read [gate.compare]; UsageError where it says what is not known."""
    table = _table("compare")
    table.check(("largest_drop",))
    return CompareLimits(largest_drop=table.number("largest_drop", 0))


def of_drift() -> DriftLimits:
    """Read [gate.drift]; UsageError where it says what is not known."""
    table = _table("drift")
    table.check(("quality", "judge"))
    return DriftLimits(quality=table.flag("quality"), judge=table.flag("judge"))


def of_gold_check() -> GoldCheckLimits:
    """Read [gate.gold_check]; UsageError where it says what is not known."""
    table = _table("gold_check")
    table.check(("allow_broken", "require_checked_judge"))
    return GoldCheckLimits(
        allow_broken=table.count("allow_broken"),
        require_checked_judge=table.flag("require_checked_judge", default=False),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table:
    """One table of [gate] with its place, for messages."""

    where: str
    values: Mapping[str, Any]

    def check(self, known: Collection[str]) -> None:
        """Raise UsageError for keys that are not known."""
        if odd := [key for key in self.values if key not in known]:
            raise UsageError(f"{self.where} knows {', '.join(known)}, not {', '.join(odd)}")

    def number(self, key: str, low: float) -> float | None:
        """Return a number from `low` to 1; None where it is not given."""
        value = self.values.get(key)
        if value is not None and (type(value) not in (int, float) or not low <= value <= 1):
            raise UsageError(f"{self.where} {key} is a number from {low:g} to 1, not {value!r}")
        return None if value is None else float(value)

    def count(self, key: str) -> int | None:
        """Return a whole number of 0 or more; None where it is not given."""
        value = self.values.get(key)
        if value is not None and (type(value) is not int or value < 0):
            raise UsageError(f"{self.where} {key} is a whole number of 0 or more, not {value!r}")
        return value

    def flag(self, key: str, *, default: bool = True) -> bool:
        """Return true or false; the default where it is not given."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise UsageError(f"{self.where} {key} is true or false, not {value!r}")
        return value


def _table(name: str) -> _Table:
    """Return the table of one command; a table that no command reads is refused whichever command asks."""
    gate = settings().get(GATE, {})
    if not isinstance(gate, dict):
        raise UsageError(f"{SETTINGS}: {GATE} is a table for each command, like [{GATE}.report]")
    if odd := [key for key in gate if key not in TABLES]:
        raise UsageError(f"{SETTINGS}: [{GATE}] knows {', '.join(TABLES)}, not {', '.join(odd)}")
    table = gate.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{SETTINGS}: {GATE}.{name} is a table, [{GATE}.{name}]")
    return _Table(where=f"{SETTINGS}: [{GATE}.{name}]", values=table)
