"""Where to cut the rule's value, and what the value means."""

from __future__ import annotations

import click

from annotate.commands.run import Run, common


@click.command()
@click.option(
    "--precision",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Look for the lowest cut above which at least this share of the answers is right; without it: what a value means.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="How sure that must be.",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="The share of the labelled questions that choose the cut; the others score it.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed parts the questions in the same way."
)
@click.option("--dry-run", is_flag=True, help="Say what would come of it and keep nothing.")
@common
def calibrate(run: Run, precision: float | None, confidence: float, share: float, seed: int, dry_run: bool) -> None:
    """Say what a value means, or find a cut that keeps a promise: so many of the passed answers are right."""
    from annotate import calibrating, calibration_text, explaining, meaning_text

    with run.store() as store:
        if precision is None:
            explained = explaining.explain(store, now=run.now)
            run.say("\n".join(meaning_text.meaning(explained)), meaning_text.meaning_json(explained))
            return
        request = calibrating.Request(precision=precision, confidence=confidence, share=share, seed=seed)
        found = calibrating.calibrate(store, request, who=run.who, now=run.now, dry_run=dry_run)
    lines = calibration_text.cut(found, is_dry=dry_run)
    run.say("\n".join(lines), calibration_text.cut_json(found, is_dry=dry_run))
