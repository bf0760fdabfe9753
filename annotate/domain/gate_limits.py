"""Limits of `--gate`, from the table [gate] of assay.toml: what must hold for a release to go out.

The tables are [gate.report] with the least low end of a quantity's long-run interval (`correctness = 0.75`), [gate.compare]
(`largest_drop = 0.02`), [gate.drift] (`judge = false`) and [gate.gold_check] (`allow_broken = 0`,
`require_checked_judge = true`). How many passed answers must
be right is the verdict's own limit, and stands as `limit` in [report]. What is not known or out of range is a UsageError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from annotate.settings import (
    GATE,
    SETTINGS,
    Coefficient,
    Count,
    Flag,
    SettingsTable,
    Share,
    TableT,
    checked,
    options,
    settings,
)
from proxy.errors import UsageError
from proxy.evaluation.trust import DEFAULT_LIMIT

TABLES = ("report", "compare", "drift", "gold_check")
VERDICTS = "pass_precision"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportLimits:
    """The least low end of each quantity's long-run interval, and how many seriously harmful answers may stand."""

    at_least: Mapping[str, float] = field(default_factory=dict)
    serious_harm: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class CompareLimits(SettingsTable):
    """By how much the new system may be worse at the low end of the interval; None fails only what is shown to be worse."""

    largest_drop: Share | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftLimits(SettingsTable):
    """Alarms that fail the gate."""

    quality: Flag = True
    judge: Flag = True


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldCheckLimits(SettingsTable):
    """Limit on right answers that may break; None fails only what is shown to be worse.

    `require_checked_judge` fails what is left to a judge that was not checked against annotators; else that is not decidable.
    """

    allow_broken: Count | None = None
    require_checked_judge: Flag = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _ReportTable(SettingsTable):
    """What [gate.report] knows."""

    correctness: Share | None = None
    npv: Share | None = None
    sensitivity: Share | None = None
    specificity: Share | None = None
    accuracy: Share | None = None
    f1: Share | None = None
    auroc: Share | None = None
    kappa: Coefficient | None = None
    ac1: Coefficient | None = None
    mcc: Coefficient | None = None
    serious_harm: Count = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class _VerdictTable(SettingsTable):
    """Of [report], what the verdict takes."""

    limit: Share | None = None


QUANTITIES = tuple(field.name for field in fields(_ReportTable) if field.name != "serious_harm")


def of_report() -> ReportLimits:
    """Read [gate.report]; UsageError where it says what is not known."""
    if VERDICTS in _given("report"):
        raise UsageError(
            f"{SETTINGS}: [{GATE}.report] has no {VERDICTS}: it is the verdict's own limit, write it as `limit` in [report]"
        )
    table = _read("report", _ReportTable)
    limits = {name: getattr(table, name) for name in QUANTITIES}
    at_least = {name: limit for name, limit in limits.items() if limit is not None}
    return ReportLimits(at_least=at_least, serious_harm=table.serious_harm)


def of_verdict() -> float:
    """Read `limit` in [report], for those who are not the command that takes it as an option; UsageError where it is none."""
    limit = options("report", _VerdictTable).limit
    return DEFAULT_LIMIT if limit is None else limit


def of_compare() -> CompareLimits:
    """Read [gate.compare]; UsageError where it says what is not known."""
    return _read("compare", CompareLimits)


def of_drift() -> DriftLimits:
    """Read [gate.drift]; UsageError where it says what is not known."""
    return _read("drift", DriftLimits)


def of_gold_check() -> GoldCheckLimits:
    """Read [gate.gold_check]; UsageError where it says what is not known."""
    return _read("gold_check", GoldCheckLimits)


def _read(name: str, record: type[TableT]) -> TableT:
    return checked(record, _given(name), f"{SETTINGS}: [{GATE}.{name}]")


def _given(name: str) -> Mapping[str, object]:
    """Return the table of one command; a table that no command reads is refused whichever command asks."""
    gate = settings().get(GATE, {})
    if not isinstance(gate, dict):
        raise UsageError(f"{SETTINGS}: {GATE} is a table for each command, like [{GATE}.report]")
    if odd := [key for key in gate if key not in TABLES]:
        raise UsageError(f"{SETTINGS}: [{GATE}] knows {', '.join(TABLES)}, not {', '.join(odd)}")
    table = gate.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{SETTINGS}: {GATE}.{name} is a table, [{GATE}.{name}]")
    return table
