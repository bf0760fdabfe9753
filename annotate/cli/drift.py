"""The command that detects whether quality or the judge has changed over time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import CommandRun, answering, gated

if TYPE_CHECKING:
    from annotate.analysis.drift.windows import Drift
    from annotate.present.answer import Answer

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command()
@click.option("--by", type=click.Choice(["day", "week", "month"]), default="week", show_default=True, help="A window.")
@click.option(
    "--baseline",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="The first windows with labels, from which the rates before are learnt; the alarms start after them.",
)
@click.option("--good", type=SHARE, help="The rate of right answers that counts as good, where it need not be learnt.")
@click.option("--bad", type=SHARE, help="The rate that must be found soon.  [default: 12 points below good]")
@click.option(
    "--false-alarms",
    type=click.FloatRange(0, 0.5, min_open=True),
    default=0.05,
    show_default=True,
    help="The chance of a false alarm on quality within the horizon, and again of one on the judge.",
)
@click.option(
    "--horizon", "weeks", type=click.IntRange(1), default=26, show_default=True, help="The horizon, in weeks."
)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    callback=lambda context, parameter, day: day and day.date().isoformat(),
    help="Watch anew from here, as after a change that was dealt with.",
)
@click.option(
    "--gate",
    is_flag=True,
    help="Exit with 3, and say why, where an alarm stands or quality is not watched, unless only time is missing.",
)
@answering
def drift(run: CommandRun, *, gate: bool, **how: Any) -> None:
    """Say whether quality has dropped or the judge has changed. It may be asked again each week."""
    answer = run.project.drift(**how)
    run.answer(answer)
    if gate:
        lines, status = gate_outcome(answer)
        for line in lines:
            click.echo(line, err=True)
        if status:
            sys.exit(status)


def gate_outcome(answer: Answer[Drift]) -> tuple[list[str], int]:
    """Say what is not measured and what the gate of drift says, with the exit status."""
    from annotate.present import drift as present_drift
    from annotate.present.messages import printed

    lines, status = gated(present_drift.gate(answer.result))
    return [*map(printed, present_drift.not_watched(answer.result)), *lines], status
