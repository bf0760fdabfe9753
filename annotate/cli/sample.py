"""Commands that draw waves for labelling, with known probabilities, and export them."""

from __future__ import annotations

import click

from annotate.cli.context import Run, common


@click.command()
@click.option("--labels", type=click.IntRange(min=1), help="How many items to draw.")
@click.option(
    "--audit",
    type=click.FloatRange(0, 1),
    default=0.25,
    show_default=True,
    help="Least share of the labels from failed items; 0 draws none of them.",
)
@click.option("--all-passed", is_flag=True, help="Take every passed item.")
@click.option("--slice", "part", metavar="NAME", help="Draw of one slice only, by its name in `assay slices`.")
@click.option(
    "--active",
    is_flag=True,
    help="Favour items of which earlier labels leave us unsure; how many are drawn is then random, about --labels.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, 1, min_open=True),
    help="A stream: the chance of each item that no wave has framed yet; how many are drawn is random.",
)
@click.option(
    "--rate-failed",
    type=click.FloatRange(0, 1, min_open=True),
    help="With --rate: the chance of a failed, disputed or thumbed-down item; as --rate if left out.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="The same seed on the same store draws the same items; chosen and shown if left out.",
)
@click.option("--dry-run", is_flag=True, help="Show the plan and draw nothing.")
@common
def sample(
    run: Run,
    labels: int | None,
    audit: float,
    all_passed: bool,
    part: str | None,
    active: bool,
    rate: float | None,
    rate_failed: float | None,
    seed: int | None,
    dry_run: bool,
) -> None:
    """Draw a wave of items for labelling; never one that was drawn before."""
    from annotate.present import waves as present_waves
    from annotate.workflow.sampling import waves

    wave_request = waves.Asked(
        labels=labels,
        audit=audit,
        all_passed=all_passed,
        part=part,
        active=active,
        rate=rate,
        rate_failed=rate_failed,
        seed=seed,
    )
    waves.check(wave_request)
    with run.opened(writes=not dry_run) as store:
        request = waves.request_of(store, wave_request)
        proposed = (
            waves.propose(store, request, now=run.now)
            if dry_run
            else waves.draw(store, request, who=run.who, now=run.now)
        )
    if not run.as_json:
        for stratum in proposed.drawn.strata:
            click.echo(present_waves.stratum_line(stratum))
        for note in proposed.notes:
            click.echo(f"Note: {note}.")
    what_next = " — nothing was drawn" if dry_run else "; next: `assay push`, or `assay draws export FILE --blind`"
    run.say(
        present_waves.summary(proposed, dry_run=dry_run) + what_next, present_waves.as_json(proposed, dry_run=dry_run)
    )


@click.group()
def draws() -> None:
    """The drawn items, for labelling elsewhere."""


@draws.command()
@click.argument("file")
@click.option("--all", "every", is_flag=True, help="Also the draws that have a label.")
@click.option("--blind", is_flag=True, help="Only what an expert may see; item_id becomes a key.")
@common
def export(run: Run, file: str, every: bool, blind: bool) -> None:
    """Write the open draws with their items and columns to fill in (.jsonl or .csv; - is standard output)."""
    from annotate.files import write_rows
    from annotate.workflow.sampling import export as sampling_export

    with run.store(sends=True) as store:
        rows = sampling_export.rows(store, every=every, blind=blind, is_table=file.endswith(".csv"))
        count = write_rows(file, sampling_export.columns(blind=blind), rows)
        with store.atomic():
            store.events.append("draws export", {"draws": count}, who=run.who, now=run.now)
    run.exported(file, count, f"{count:,} draws written to {file}; bring the labels back with `assay labels import`")
