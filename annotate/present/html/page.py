"""The whole page: everything that is known in, HTML out, in the order in which it is read."""

from __future__ import annotations

from importlib.resources import files

from annotate.analysis.printed_report import Printed
from annotate.analysis.report.report import Report
from annotate.present import naming
from annotate.present.drift import headline
from annotate.present.guarantee import certified
from annotate.present.html import parts, quantities
from annotate.present.html.markup import Markup, bullets, inner, joined, number, prose, section, table, tag
from annotate.present.html.markup import row as named
from proxy.evaluation.trust import Trust

TITLE = "Can the proxy be trusted?"
WORDS = {Trust.YES: "✓ Yes", Trust.NO: "✗ No", Trust.OPEN: "… Not yet", Trust.UNKNOWN: "? It cannot be said yet"}
UNLABELLED = "No person has labelled a drawn answer yet, so nobody knows how far the proxy is right."
# The page asks nobody for anything: a browser that obeys this could not.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
SHOWN_IDS, SHOWN_REASONS = 50, 10
BASIS = (
    "This window: the items that are here now. Long run: traffic like this to come. A 95 % interval made this way holds the "
    "true value 19 times in 20. Labels are of items drawn with known chances and weighted by them; hand-picked ones count "
    "nowhere."
)


def page(found: Printed) -> str:
    """The page as one text."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", **{"http-equiv": "Content-Security-Policy", "content": POLICY}),
        tag("title", f"{TITLE} {found.store}, {found.now[:10]}"),
        tag("style", _style()),
    )
    return f"<!doctype html>\n{tag('html', head, tag('body', tag('main', _body(found))), lang='en')}\n"


def _style() -> Markup:
    """Our own style sheet."""
    return Markup(files("annotate.present.html").joinpath("style.css").read_text(encoding="utf-8"))


def _body(found: Printed) -> Markup:
    report = found.report
    begun = [_verdict(report), quantities.limits(found.held) if report.progress.labelled else Markup(), _harm(report)]
    measured = [
        section("How good are answers and proxy?", quantities.picture(report.agreement), quantities.quantities(report)),
        section("People against the proxy", parts.two_by_two(report)),
        _stages(report) if report.progress.labelled else Markup(),
    ]
    return joined(
        [
            tag("h1", TITLE),
            *begun,
            _here(found),
            *measured,
            parts.over_time(found.courses, headline(found.drift)),
            parts.calibration(report, found.meaning),
            parts.people(report),
            parts.strata(report),
            parts.rules(report),
            parts.judges(report),
            _know(report),
            _made(found),
        ]
    )


def _verdict(report: Report) -> Markup:
    """The answer first."""
    status = report.trust.status if report.progress.labelled else Trust.UNKNOWN
    sentence = report.trust.sentence if report.progress.labelled else UNLABELLED
    return tag("p", tag("strong", f"{WORDS[status]}. "), prose(sentence), class_=f"verdict {status.value}")


def _harm(report: Report) -> Markup:
    """What people mark as seriously harmful, by id."""
    if not report.harmed:
        return Markup()
    ids = inner(*(piece for one in report.harmed[:SHOWN_IDS] for piece in (tag("code", one), " ")))
    more = len(report.harmed) - SHOWN_IDS
    rest = f"and {more:,} more: `assay report --json` names them all" if more > 0 else ""
    return section("Seriously harmful, as people mark it: look at these first", tag("p", ids, prose(rest)))


def _stages(report: Report) -> Markup:
    """The stage that is named, or why none is, as `assay diagnose` says it."""
    each = list(report.stages.each.values())
    lines = [naming.comparison(each, report.stages.whole), *naming.advices(each)]
    return section("Where to look next", *(tag("p", prose(one)) for one in lines))


def _here(found: Printed) -> Markup:
    """What is here, and which rule speaks."""
    report, rule, progress = found.report, found.report.rule, found.report.progress
    counts = {
        "items": report.items,
        "judged": report.judged,
        "drawn": progress.drawn,
        "labels": progress.labelled,
        "right": progress.right,
        "wrong": progress.wrong,
        "unsure": progress.unsure,
        "open": progress.open,
        "hand_picked": report.hand_picked,
        "disputed": report.disputed,
    }
    head = tuple(name.replace("_", "-") for name in counts)
    cells = [tag("td", number(value, f"{value:,}", name)) for name, value in counts.items()]
    shown = tag(
        "table",
        tag("caption", "What is here"),
        tag("tr", *(tag("th", one, scope="col") for one in head)),
        tag("tr", *cells),
        class_="counts",
    )
    signatures = [named(judge, tag("code", one)) for judge, one in rule.signatures.items()]
    return section(
        "What is measured",
        shown,
        tag(
            "p",
            "Rule in force: ",
            tag("code", rule.expression),
            f" ({rule.name}, version {rule.version}; {rule.basis}).",
        ),
        tag("p", f"{certified(report.guarantee)}.") if report.guarantee else "",
        table(("judge", "signature"), signatures, "The scores that the rule reads", "signatures"),
    )


def _know(report: Report) -> Markup:
    """The gate and the warnings."""
    reasons, more = report.gate.reasons[:SHOWN_REASONS], len(report.gate.reasons) - SHOWN_REASONS
    gate = (
        tag("p", "✓ The gate lets this pass: nothing speaks against it.")
        if report.gate.passed
        else inner(
            tag("p", "✗ The gate does not let this pass:"),
            bullets([*reasons, *([f"and {more:,} more"] if more > 0 else [])]),
        )
    )
    warnings = bullets(report.warnings) if report.warnings else tag("p", "Nothing to add.")
    return inner(section("Does the gate let this pass?", gate), section("Before you rely on these numbers", warnings))


def _made(found: Printed) -> Markup:
    """When, of what, and what the words mean."""
    lines = (
        f"Printed {found.now} from the store {found.store}. It holds no question, no answer and no name of a reader.",
        BASIS,
    )
    return tag("footer", joined(tag("p", one, class_="small") for one in lines))
