"""Commands that plan a wave: how many labels a wanted width asks for, and what a number of labels would tell."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering

# The names of expected_width.QUANTITIES: importing them would load numpy for every --help.
QUANTITIES = ("correctness", "pass_precision", "sensitivity", "specificity", "accuracy", "kappa")
AUDIT = click.option(
    "--audit",
    type=click.FloatRange(0, 1),
    help="Least share of the labels from failed items, as for `assay sample`.",
)


ASSURANCE = click.option(
    "--assurance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="The share of simulations that are to keep the width.",
)


@click.command()
@click.option(
    "--width",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="The wanted width of the 95 % interval for this window, from end to end.",
)
@click.option(
    "--quantity", type=click.Choice(QUANTITIES), default="correctness", show_default=True, help="What is to be known."
)
@AUDIT
@ASSURANCE
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    help="Say, too, how many labels fit into so many expert minutes, and what width they reach.",
)
@answering
def plan(
    run: CommandRun, width: float, quantity: str, audit: float | None, assurance: float, minutes: float | None
) -> None:
    """Say how many labels a wanted width asks for. Also where, how long they take, and what a plain random sample would take."""
    run.answer(run.project.plan(quantity=quantity, width=width, audit=audit, assurance=assurance, minutes=minutes))


@click.command()
@click.option("--labels", type=click.IntRange(min=1), required=True, help="How many labels, all waves together.")
@click.option("--waves", type=click.IntRange(1, 1000), default=1, show_default=True, help="In how many equal waves.")
@click.option("--active", is_flag=True, help="All waves but the first favour items of which labels leave us unsure.")
@AUDIT
@click.option(
    "--repetitions", type=click.IntRange(1, 100_000), default=300, show_default=True, help="How many simulations."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same numbers."
)
@ASSURANCE
@click.option("--right", type=click.FloatRange(0, 1), help="Assume this share of answers right, whatever labels say.")
@click.option("--sensitivity", type=click.FloatRange(0, 1), help="Assume this P(pass given right).")
@click.option("--specificity", type=click.FloatRange(0, 1), help="Assume this P(fail given wrong).")
@answering
def simulate(
    run: CommandRun,
    labels: int,
    waves: int,
    active: bool,
    audit: float | None,
    repetitions: int,
    seed: int,
    assurance: float,
    right: float | None,
    sensitivity: float | None,
    specificity: float | None,
) -> None:
    """Simulate a sample on your traffic. Says how wide the intervals would be, beside those of a plain random sample."""
    from annotate.analysis.planning.simulate import Simulation

    simulation = Simulation(
        labels=labels,
        waves=waves,
        active=active,
        audit=audit,
        repetitions=repetitions,
        seed=seed,
        assurance=assurance,
        right=right,
        sensitivity=sensitivity,
        specificity=specificity,
    )
    run.answer(run.project.simulate(simulation))
