"""The command that reports how far the proxy can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from annotate.cli.context import Run, common, hold
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.analysis.report.report import Report
    from annotate.domain.gate_limits import ReportLimits
    from annotate.store import Store


@click.command()
@click.option(
    "--limit",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="The share of passed answers that must be right for the proxy to be trusted.",
)
@click.option("--noise", is_flag=True, help="Add correctness freed of readers' errors, as double readings show them.")
@click.option(
    "--gate",
    is_flag=True,
    help="Exit with 3, and say why, on serious harm, where the verdict is not yes, or a limit in assay.toml is not reached.",
)
@click.option(
    "--html", metavar="FILE", help="Write the report as one HTML file to send or print; - is standard output."
)
@common
def report(run: Run, limit: float, noise: bool, gate: bool, html: str | None) -> None:
    """Say whether the proxy can be trusted, and measure everything with intervals."""
    from annotate.analysis.report import report as reports
    from annotate.domain import gate_limits
    from annotate.present import report as present_report
    from annotate.present import report_json

    if html == "-" and run.as_json:
        raise UsageError("--html - and --json both write to standard output: name a file for one of them")
    limits = gate_limits.of_report()
    with run.store(sends=True) if html else run.reading() as store:
        built = (
            _written(store, html, run.now, limit, limits) if html else reports.build(store, limit=limit, limits=limits)
        )
    if html and not run.as_json:
        click.echo(
            built.trust.sentence if html == "-" else f"{built.trust.sentence} The page is {html}.", err=html == "-"
        )
    elif run.as_json:
        run.say("", report_json.as_json(built))
    else:
        click.echo(present_report.text(built, with_noise=noise), nl=False)
    if gate:
        hold(built.gate)


def _written(store: Store, file: str, now: str, limit: float, limits: ReportLimits) -> Report:
    """The report, once its page is written."""
    from annotate.analysis.printed_report import gather
    from annotate.files.whole import write_whole
    from annotate.present.html import as_html

    found = gather(store, now=now, limit=limit, limits=limits)
    content = as_html(found)
    if file == "-":
        click.echo(content.decode(), nl=False)
    else:
        write_whole(file, ".html", lambda stream: stream.write(content))
    return found.report
