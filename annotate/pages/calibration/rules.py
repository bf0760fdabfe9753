"""Would another rule do better? Every rule over the same judges on the same labels, and how far it is from the one in force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from annotate.analysis.report.report import Compared, Report
from annotate.charts import differences
from annotate.charts.differences import Away
from annotate.pages.kit import layout, quantities, texts, url_state
from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import marked, say, told
from annotate.pages.kit.quantities import Measure
from annotate.present import numbers
from annotate.present.report import best_rule
from proxy.evaluation.agreement import AgreementReport
from proxy.evaluation.estimate import Estimate, for_comparison, has_width
from proxy.evaluation.rule_comparison import RuleDifference
from proxy.evaluation.trust import percent

MEASURED = (quantities.KAPPA, quantities.ACCURACY, quantities.PASS_PRECISION, quantities.AUROC)
# The address holds what the control shows, so it shows the same in every language.
BY = {"kappa": "kappa", "accuracy": "accuracy", "AUROC": "auroc"}
SHARES = ("accuracy",)


class Named(NamedTuple):
    """Another rule by the name that tells it from all others."""

    name: str
    found: Compared


def show(report: Report) -> None:
    """The sentence, the picture of one quantity, the tables of all."""
    layout.heading("calibration.rivals")
    st.markdown(f"**{escaped(told(best_rule(report.best)))}**")
    rules = _named(report)
    if not rules:
        st.caption(say("calibration.no_rivals"))
        return
    _picture(rules)
    rows = [
        _row(report.rule.expression, report.coverage, report.agreement, report.auroc),
        *(_row(one.name, one.found.coverage, one.found.agreement, one.found.auroc) for one in rules),
    ]
    columns = [
        say("calibration.rule"),
        say("calibration.scores"),
        *(one.words for one in MEASURED),
        say("calibration.labels"),
    ]
    texts.heading(say("calibration.values"))
    layout.table(rows, columns, alt=say("calibration.values_alt", n=len(rows)))
    texts.heading(say("calibration.differences"))
    layout.table(
        [_away(one) for one in rules], _difference_columns(), alt=say("calibration.differences_alt", n=len(rules))
    )
    texts.small(_reasons(rules))
    st.caption(marked("calibration.rivals_basis", n=len(rules)))
    if not has_width(report.agreement.kappa):
        st.caption(say("calibration.rivals_census"))


def _named(report: Report) -> list[Named]:
    """Every other rule by its expression, with the signatures it reads where two have the same one."""
    rules = [*(one.alone for one in report.judges), *report.candidates]
    often = Counter(one.rule.expression for one in rules)
    return [
        Named(
            one.rule.expression
            if often[one.rule.expression] == 1
            else f"{one.rule.expression} · {', '.join(one.rule.signatures.values())}",
            one,
        )
        for one in rules
    ]


def _picture(rules: Sequence[Named]) -> None:
    """The differences in one quantity, chosen in the address."""
    chosen = BY[url_state.segmented(say("calibration.by"), {name: name for name in BY}, "rivals", default="kappa")]
    found = [(one.name, getattr(one.found.differences, chosen)) for one in rules]
    rows = [
        Away(
            texts.others(name),
            shown.estimate,
            shown.low,
            shown.high,
            *((one.of_all.low, one.of_all.high) if one.of_all else (None, None)),
        )
        for name, one in found
        for shown in [for_comparison(one.estimate)]
        if shown.estimate is not None and shown.low is not None and shown.high is not None
    ]
    if not rows:
        st.caption(say("calibration.no_differences"))
        return
    rows.sort(key=lambda one: -one.estimate)
    words = "; ".join(f"{name}: {difference(one, chosen)}" for name, one in found)
    st.altair_chart(
        differences.differences(rows, say("calibration.axis_difference", quantity=Measure(chosen).words)),
        width="stretch",
        alt=say("calibration.picture_alt", quantity=Measure(chosen).words, rules=texts.others(words)),
    )
    st.caption(
        say("calibration.picture_all" if any(one.all_low is not None for one in rows) else "calibration.picture_own")
    )


def _row(expression: str, coverage: float, agreement: AgreementReport, auroc: Estimate) -> tuple[str, ...]:
    """A rule with its quantities, each with its interval."""
    found = [auroc if one is quantities.AUROC else getattr(agreement, one.name) for one in MEASURED]
    whole = quantities.is_whole(agreement)
    cells = [spelled(measure, one, whole=whole) for measure, one in zip(MEASURED, found, strict=True)]
    known = [one for one in found if one.estimate is not None] or found
    return (expression, percent(coverage), *cells, f"{max(one.n for one in known):,}")


def spelled(measure: Measure, one: Estimate, *, whole: bool = False) -> str:
    """A value with its interval as rules are compared; — where the design cannot tell."""
    one = for_comparison(one)
    value = quantities.number(measure, one.estimate)
    if one.estimate is None or one.low is None or one.high is None:
        return value
    return f"{value} ({quantities.between(measure, (one.low, one.high), whole=whole)})"


def difference(one: RuleDifference, name: str) -> str:
    """A difference with its interval, signed; shares in points of a hundred."""
    found = for_comparison(one.estimate)
    if found.estimate is None or found.low is None or found.high is None:
        return "—"
    if one.differ == 0:
        return say("calibration.never_differ", n=found.n)
    span = say("measures.span", low=_signed(found.low, name), high=_signed(found.high, name))
    return f"{_signed(found.estimate, name)} ({span})"


def _signed(value: float, name: str) -> str:
    return numbers.points(value, "+") if name in SHARES else numbers.coefficient(value, "+")


def _away(one: Named) -> tuple[str, ...]:
    cells = [one.name]
    for name in BY.values():
        found: RuleDifference = getattr(one.found.differences, name)
        cells.append(difference(found, name))
        if name != "auroc":
            span = found.of_all
            cells.append(
                "—"
                if span is None
                else say("measures.span", low=_signed(span.low, name), high=_signed(span.high, name))
            )
    return tuple(cells)


def _difference_columns() -> list[str]:
    found = [say("calibration.rule")]
    for name in BY.values():
        words = Measure(name).words
        found.append(say("calibration.points", quantity=words) if name in SHARES else words)
        if name != "auroc":
            found.append(say("calibration.at_once", quantity=words))
    return found


def _reasons(rules: Sequence[Named]) -> list[str]:
    """Why a rule has no number, each reason once."""
    found = [
        one.found.differences.kappa.estimate.reason
        for one in rules
        if one.found.differences.kappa.estimate.estimate is None
    ]
    return [quantities.sentence(one) for one in dict.fromkeys(found) if one]
