"""The command that reports how far the proxy can be trusted."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering_in_ci, hold
from proxy.errors import UsageError


@click.command()
@click.option(
    "--limit",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="The share of passed answers that must be right for the proxy to be trusted.",
)
@click.option(
    "--noise", is_flag=True, help="With --full: correctness freed of annotators' errors, as overlap shows them."
)
@click.option(
    "--gate",
    is_flag=True,
    help="Exit with 3, and say why, on serious harm, where the verdict is not yes, or a limit in assay.toml is not reached.",
)
@click.option(
    "--html", metavar="FILE", help="Write the report as one HTML file to send or print; - is standard output."
)
@click.option(
    "--worst",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Also show what the judges say, and the N answers with the lowest values.",
)
@click.option("--system", metavar="NAME", help="Only the answers of this system; '' for those of none.")
@click.option("--since", metavar="DAY", help="Only the answers from this day or time on (UTC).")
@click.option("--until", metavar="DAY", help="Only the answers before this day or time (UTC).")
@answering_in_ci
def report(
    run: CommandRun,
    *,
    limit: float,
    noise: bool,
    gate: bool,
    html: str | None,
    system: str | None,
    since: str | None,
    until: str | None,
    worst: int | None,
) -> None:
    """Say whether the proxy can be trusted. Everything is measured with intervals.

    With --system, --since or --until it is a report of this part of the traffic.
    """
    if html == "-" and (run.as_json or run.as_markdown or run.junit):
        raise UsageError("--html - writes to standard output and nothing else: name a file for it")
    if worst and html:
        raise UsageError("--worst shows texts, and the HTML report holds none: leave one out")
    answer = run.project.report(limit=limit, noise=noise, system=system, since=since, until=until, worst=worst)
    if html == "-":
        click.echo(run.project.print_report(limit=limit, system=system, since=since, until=until), nl=False)
    else:
        if html:
            run.project.write_report(html, limit=limit, system=system, since=since, until=until)
        run.answer(answer)
    if gate:
        hold(answer.result.gate)
