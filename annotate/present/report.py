"""A Report in, one page of text out that begins with whether the proxy can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from annotate.analysis.report.report import Compared, Miss, Report
from annotate.domain.annotation import SERIOUS
from annotate.domain.conversation import in_one_line
from annotate.domain.sampling.outcomes import Overlap
from annotate.present import naming
from annotate.present.guarantee import certified
from proxy.evaluation.annotator_agreement import Pair, freed_of_noise
from proxy.evaluation.candidates import REFERENCE_BASED
from proxy.evaluation.estimate import Estimate, for_comparison, has_width
from proxy.evaluation.rule_comparison import Difference
from proxy.evaluation.trust import percent
from proxy.records import Judgement
from proxy.rule import Rule
from proxy.stats.calibration.threshold_tests import Claim
from proxy.text.language import displayable, two_decimals

CENSUS = "Every answer is labelled, so these intervals are those of the long run."
NAMES = {
    "correctness": "answers right",
    "pass_precision": "right among passed",
    "npv": "wrong among failed",
    "sensitivity": "passed among right",
    "specificity": "failed among wrong",
    "accuracy": "verdict agrees with people",
}
COEFFICIENTS = {"kappa": "kappa (beyond chance)", "ac1": "AC1 (beyond chance)", "f1": "F1", "mcc": "MCC"}
WIDTH = 100
QUOTED = 160
SHOWN_PAIRS = 5


def text(report: Report, *, with_noise: bool = False) -> str:
    """The page, in plain characters; `with_noise` adds correctness freed of the readers' errors."""
    parts = (
        _head(report),
        _harmful(report),
        _measures(report),
        _table(report),
        _rules(report),
        _people(report, with_noise=with_noise),
        _misses(report),
        _look(report),
        _warnings(report),
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(report: Report) -> str:
    progress = report.progress
    lines = [
        report.trust.sentence,
        "",
        f"{report.items:,} items, {report.judged:,} judged, {progress.labelled:,} of {progress.drawn:,} drawn items labelled "
        f"({progress.right:,} right, {progress.wrong:,} wrong, {progress.unsure:,} unsure or disagreed on)"
        + (f", {report.hand_picked:,} hand-picked labels beside" if report.hand_picked else "")
        + (f"; {report.refusals:,} answers refuse to answer" if report.refusals else ""),
        f"rule {report.rule.name} v{report.rule.version}: {report.rule.expression}",
        *([certified(report.guarantee)] if report.guarantee else []),
        *_beside(report),
    ]
    return "\n".join(lines)


def _beside(report: Report) -> list[str]:
    """Why a certified cut and a verdict that is not yes are both true."""
    one, found, limit = report.guarantee, report.agreement.pass_precision, report.trust.limit
    if one is None or one.is_void or found.long_run is None or found.long_run.low >= limit:
        return []
    if one.precision < limit:
        return [f"the certificate promises {percent(one.precision)}, and the first sentence asks for {percent(limit)}"]
    if one.claims and all(each.claim is not Claim.LONG_RUN for each in one.claims):
        return [
            "the certificate speaks of this window, and the first sentence of the long run, for which none was shown"
        ]
    ours = f"the certificate holds at {percent(one.confidence)} confidence, one-sided, by the labels that chose"
    theirs = f"the first sentence at 95 %, two-sided, by the other labels, {found.n:,} on passed items"
    if found.long_run.high < limit:
        rate = percent(1 - one.confidence)
        return [
            f"they disagree: {ours}, and may fail in {rate} of the cases; {theirs}: believe these, and calibrate anew"
        ]
    return [f"both are true: {ours}; {theirs}: fewer than before; more labels on passed items narrow it"]


def _harmful(report: Report) -> str:
    """The answers that people mark as seriously harmful."""
    lines = [line for miss in report.harmful for line in _answer(miss)]
    if len(report.harmed) > len(report.harmful):
        lines.append(f"and {len(report.harmed) - len(report.harmful):,} more: `assay report --json` names them all")
    return "\n".join(["Seriously harmful, as people mark it: look at these first", *lines]) if lines else ""


def _measures(report: Report) -> str:
    """Every quantity: for this window, and for the long run."""
    lines = [f"{'':<28}{'estimate':>9}  {'this window, 95 %':<20}{'long run, 95 %':<20}labels"]
    rate = report.pass_rate
    if rate.estimate is not None:
        lines.append(f"{'passed by the proxy':<28}{percent(rate.estimate):>9}  counted on {rate.n:,} items")
    down = report.thumbs_down
    if down.estimate is not None:
        lines.append(
            f"{'marked down by users':<28}{percent(down.estimate):>9}  counted on {down.n:,} items; a hint, no sample"
        )
    said = None
    for name, words in (NAMES | COEFFICIENTS).items():
        one = getattr(report.agreement, name)
        lines.append(_measure(words, one, is_share=name in NAMES))
        if one.reason and one.reason != said:
            lines.append(f"    {one.reason}")
        said = one.reason
    lines.append(_measure("AUROC of the rule's value", report.auroc, is_share=False))
    found = report.calibration
    if found:
        lines.append(
            f"read as a probability, the value has a Brier score of {found.brier:.3f} and a calibration error of {found.ece:.3f} "
            f"(a perfectly calibrated one would show {found.ece_if_perfect:.3f} on as many labels)"
        )
    return "\n".join(lines)


def _measure(words: str, one: Estimate, *, is_share: bool) -> str:
    show = percent if is_share else two_decimals
    value = "—" if one.estimate is None else show(one.estimate)
    window = f"{show(one.low)} to {show(one.high)}" if one.low is not None and one.high is not None else ""
    if one.estimate is not None and one.low == one.high:
        window = "exact"
    long_run = f"{show(one.long_run.low)} to {show(one.long_run.high)}" if one.long_run else ""
    return f"{words:<28}{value:>9}  {window:<20}{long_run:<20}{one.n or ''}".rstrip()


def _table(report: Report) -> str:
    """The 2x2 table: labels as they are, and what they stand for in the traffic."""
    counts, shares = report.agreement.counts, report.agreement.shares
    rows = [("passed", counts.right_pass, counts.wrong_pass), ("failed", counts.right_fail, counts.wrong_fail)]
    lines = [
        f"{'labels':<12}{'right':>10}{'wrong':>10}"
        + (f"{'share of traffic: right':>28}{'wrong':>10}" if shares else "")
    ]
    for (word, right, wrong), pair in zip(rows, (shares[:2], shares[2:]) if shares else ((), ()), strict=True):
        lines.append(
            f"{word:<12}{right:>10}{wrong:>10}"
            + "".join(f"{percent(float(share)):>{width}}" for share, width in zip(pair, (28, 10), strict=False))
        )
    return "\n".join(lines)


def _rules(report: Report) -> str:
    """Every other rule on the same labels, best kappa first, and whether one is better than the rule in force."""
    if report.agreement.kappa.estimate is None:
        return ""
    known = [*(one.alone for one in report.judges), *report.candidates]
    others = sorted((one for one in known if not report.is_in_force(one.rule)), key=_by_kappa)
    counts = Counter([report.rule.expression, *(one.rule.expression for one in others)])
    doubled = {expression for expression, count in counts.items() if count > 1}
    lines = [f"{'other rules, each on what it scores':<54}{'scores':<8}{'kappa':<23}{'minus rule in force':<26}AUROC"]
    lines += [_rule_line(one, _called(one.rule, doubled)) for one in others]
    scored = f"The rule in force scores {percent(report.coverage)} of the answers"
    basis = f"{scored}; a difference is taken on those that both rules score."
    if not has_width(report.agreement.kappa):
        basis += f" {CENSUS}"
    return "\n".join([*lines, basis, report.best.sentence])


def _rule_line(one: Compared, name: str) -> str:
    kappa = _brief(for_comparison(one.agreement.kappa), two_decimals)
    measured = f"{percent(one.coverage):<8}{kappa:<23}{_minus(one.differences.kappa):<26}{_plain(one.auroc):<5}"
    return f"{_short(name, 52):<54}{measured}{_no_proxy(one.rule)}".rstrip()


def _minus(one: Difference) -> str:
    """A difference as rules are compared; where no label parts the rules, that is what there is to say."""
    if one.differ == 0 and one.estimate.estimate is not None:
        return f"same on all {one.estimate.n:,} labels"
    return _brief(for_comparison(one.estimate), _signed)


def _no_proxy(rule: Rule) -> str:
    """The mark of a rule that cannot stand in for people."""
    return "  reads references: no proxy" if REFERENCE_BASED & set(rule.signatures) else ""


def _called(rule: Rule, doubled: Collection[str]) -> str:
    """The rule's expression; where another has the same, with what its scores come from."""
    if rule.expression not in doubled:
        return rule.expression
    return f"{rule.expression} [{', '.join(' '.join(one.split('|')[1:]) for one in rule.signatures.values())}]"


def _by_kappa(one: Compared) -> float:
    return -(one.agreement.kappa.estimate if one.agreement.kappa.estimate is not None else -2.0)


def _short(expression: str, width: int) -> str:
    return expression if len(expression) <= width else expression[: width - 1] + "…"


def _signed(value: float) -> str:
    return two_decimals(value, "+")


def _plain(one: Estimate) -> str:
    return "—" if one.estimate is None else two_decimals(one.estimate)


def _people(report: Report, *, with_noise: bool) -> str:
    """How far readers agree, and what that allows a proxy to reach."""
    people = report.people
    if not people.n:
        return f"People: {people.agreement.reason}." if with_noise else ""
    coefficients = f"alpha {_brief(people.alpha, two_decimals)}, AC1 {_brief(people.ac1, two_decimals)}"
    lines = [
        f"People: {people.n:,} items read by two or more; pairs agree on {_brief(people.agreement, percent)}, {coefficients}",
        f"{_share(people.prevalence)} of these readings say right; {overlap_words(report.overlap)}.",
    ]
    if people.ceiling is not None:
        kappa = "" if people.kappa_ceiling is None else f", kappa at most {two_decimals(people.kappa_ceiling)}"
        lines.append(f"A perfect proxy would agree with one reader {percent(people.ceiling)} of the time{kappa}.")
    pairs = sorted(people.pairs, key=lambda pair: (-pair.n, pair.first, pair.second))
    lines.append(f"    {'readers':<52}{'items':>6}{'agree on':>10}{'kappa':>8}{'AC1':>8}{'say right':>11}")
    lines += [_pair(pair) for pair in pairs[:SHOWN_PAIRS]]
    if len(pairs) > SHOWN_PAIRS:
        lines.append(f"    and {len(pairs) - SHOWN_PAIRS:,} more pairs: see them with `assay app`")
    if with_noise:
        freed = freed_of_noise(report.agreement.correctness, people.noise)
        lines.append(_measure("answers right, without noise", freed, is_share=True))
        if freed.reason:
            lines.append(f"    {freed.reason}")
    return "\n".join(lines)


def _pair(pair: Pair) -> str:
    """A row of the table of pairs."""
    kappa, ac1 = ("—" if value is None else two_decimals(value) for value in (pair.kappa, pair.ac1))
    names = _short(one_line(f"{pair.first} and {pair.second}"), 51)
    return f"    {names:<52}{pair.n:>6,}{percent(pair.agreement):>10}{kappa:>8}{ac1:>8}{percent(pair.prevalence):>11}"


def _share(value: float | None) -> str:
    return "—" if value is None else percent(value)


def overlap_words(overlap: Overlap) -> str:
    """How far the double reading has come."""
    return f"of {overlap.given:,} drawn items with a second reader, {overlap.read:,} have been read by two"


def _brief(one: Estimate, show: Callable[[float], str]) -> str:
    """An estimate with its interval."""
    if one.estimate is None or one.low is None or one.high is None:
        return "—"
    return f"{show(one.estimate)} ({show(one.low)} to {show(one.high)})"


def _misses(report: Report) -> str:
    """The answers that the proxy passed and people call wrong."""
    lines = [line for miss in report.misses for line in _answer(miss)]
    if report.missed > len(report.misses):
        lines.append(
            f"and {report.missed - len(report.misses):,} more: see them on the page Disagreements of `assay app`"
        )
    return "\n".join(["Missed: passed by the proxy, wrong for people", *lines]) if lines else ""


def _answer(miss: Miss) -> list[str]:
    """What was asked, said, and what people say of it."""
    mark = " (serious harm)" if miss.label.harm == SERIOUS else ""
    lines = [
        f"{one_line(miss.item.id)}{mark}: {one_line(in_one_line(miss.item.question, miss.item.history))}",
        f"    said: {one_line(miss.item.answer)}",
    ]
    if miss.label.rationale:
        lines.append(
            f"    why {'wrong' if miss.label.judgement is Judgement.WRONG else 'so'}: {one_line(miss.label.rationale)}"
        )
    if miss.label.reference:
        lines.append(f"    reference: {one_line(miss.label.reference)}")
    return lines


def _look(report: Report) -> str:
    """The counts of labels by what the judges say, and the stage that is named or why none is."""
    if not report.progress.labelled:
        return ""
    lines = [
        f"{one.wrong:>5} wrong, {one.right} right: {one.meaning}" for one in report.quadrants if one.wrong or one.right
    ]
    return "\n".join(
        [
            "Where to look next (counts of labels; `assay diagnose` says more)",
            *lines,
            naming.comparison(list(report.stages.each.values()), report.stages.whole),
            *naming.advices(report.stages.each.values()),
        ]
    )


def _warnings(report: Report) -> str:
    return "\n".join(f"Note: {warning}." for warning in report.warnings)


def one_line(text: str, longest: int = QUOTED) -> str:
    """A text on one line, cut short, with nothing in it that could steer a terminal."""
    line = "".join(c if c.isprintable() or c == " " else " " for c in displayable(" ".join(text.split())))
    return line if len(line) <= longest else line[: longest - 1] + "…"
