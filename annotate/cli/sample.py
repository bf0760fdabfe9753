"""Commands that draw waves for labelling, with known probabilities, and export them."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.core import ParameterSource

from annotate.cli.context import CommandRun, answering, common
from annotate.cli.groups import CommandGroup
from annotate.cli.share import ShareRange

TYPED = ParameterSource.COMMANDLINE


@click.command()
@click.option("--labels", type=click.IntRange(min=1), help="How many items to draw.")
@click.option(
    "--audit",
    type=ShareRange(0, 1),
    help="Least share of the labels from failed items, 0 draws none of them; if left out 0.25, less where few items fail.",
)
@click.option("--all-passed", is_flag=True, help="Take every passed item.")
@click.option("--slice", "part", metavar="NAME", help="Draw of one slice only, by its name in `assay slices`.")
@click.option(
    "--active",
    is_flag=True,
    help="Favour items of which earlier labels leave us unsure.",
)
@click.option(
    "--rate",
    type=ShareRange(0, 1, min_open=True),
    help="A stream: the chance (0.05 or 5%) of each item that no wave has framed yet; how many are drawn is random.",
)
@click.option(
    "--rate-failed",
    type=ShareRange(0, 1, min_open=True),
    help="With --rate: the chance of a failed, disputed or thumbed-down item; as --rate if left out.",
)
@click.option(
    "--stream",
    "opens",
    is_flag=True,
    help="With --rate: draw each answer that arrives from now on, while `assay serve` runs.",
)
@click.option("--close", "closes", is_flag=True, help="End the stream that is open.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="The same seed on the same store draws the same items; chosen and shown if left out.",
)
@click.option("--dry-run", is_flag=True, help="Show the plan and draw nothing.")
@answering
def sample(
    run: CommandRun,
    *,
    labels: int | None,
    audit: float | None,
    all_passed: bool,
    part: str | None,
    active: bool,
    rate: float | None,
    rate_failed: float | None,
    opens: bool,
    closes: bool,
    seed: int | None,
    dry_run: bool,
) -> None:
    """Draw a wave of items for labelling. No item is drawn twice."""
    if opens or closes:
        typed = click.get_current_context().get_parameter_source
        allowed = ("opens", "rate", "rate_failed", "seed") if opens else ("closes",)
        _refuse_others([name for name in click.get_current_context().params if typed(name) is TYPED], allowed)
        if opens and rate is None:
            raise click.UsageError("--stream needs --rate R: the chance of each answer")
        run.answer(
            run.project.open_stream(rate or 0.0, rate_failed, seed=seed) if opens else run.project.close_stream()
        )
        return
    run.answer(
        run.project.sample(
            labels,
            audit=audit,
            all_passed=all_passed,
            part=part,
            active=active,
            rate=rate,
            rate_failed=rate_failed,
            seed=seed,
            dry_run=dry_run,
        )
    )


def _refuse_others(given: Sequence[str], allowed: Sequence[str]) -> None:
    """Raise a usage error for an option that a stream does not take."""
    others = set(given).difference((*allowed, "full", "as_json", "db"))
    if others:
        raise click.UsageError("--stream takes --rate, --rate-failed and --seed; --close stands alone")


@click.group(cls=CommandGroup)
def draws() -> None:
    """The drawn items, for labelling elsewhere."""


@draws.command()
@click.argument("file")
@click.option("--all", "every", is_flag=True, help="Also the draws that have a label.")
@click.option("--blind", is_flag=True, help="Only what an expert may see; item_id becomes a key.")
@click.option(
    "--ask", type=click.Choice(["passages"]), help="Ask which passages are relevant and whether they suffice."
)
@click.option(
    "--share", type=click.FloatRange(0, 1, min_open=True), help="Of which share of the draws, by chance; 1 if left out."
)
@common
def export(run: CommandRun, file: str, every: bool, blind: bool, ask: str | None, share: float | None) -> None:
    """Write the open draws with columns to fill in. Each comes with its item (.jsonl or .csv; - is standard output)."""
    if share is not None and ask is None:
        raise click.UsageError("--share is the share of answers that are asked about passages: add --ask passages")
    asked = None if ask is None else 1.0 if share is None else share
    run.wrote(run.project.draws.export(file, every=every, blind=blind, share=asked))
