"""How far the proxy can be trusted."""

from __future__ import annotations

import click

from annotate.commands.run import GATE_FAILED, Run, common


@click.command()
@click.option(
    "--limit",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="The share of passed answers that must be right for the proxy to be trusted.",
)
@click.option("--noise", is_flag=True, help="Add correctness freed of readers' errors, as double readings show them.")
@click.option("--gate", is_flag=True, help="Exit with 3, and say why, on serious harm or where the verdict is not yes.")
@common
def report(run: Run, limit: float, noise: bool, gate: bool) -> None:
    """Say whether the proxy can be trusted, and measure everything with intervals."""
    import sys

    from annotate import report as reports
    from annotate import report_json, report_text

    with run.store() as store:
        built = reports.build(store, now=run.now, limit=limit)
    if run.as_json:
        run.say("", report_json.as_json(built))
    else:
        click.echo(report_text.text(built, with_noise=noise), nl=False)
    if gate and not built.gate.passed:
        for line in report_text.gate_lines(built):
            click.echo(line, err=True)
        sys.exit(GATE_FAILED)
