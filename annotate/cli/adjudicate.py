"""Commands that adjudicate what annotators disagree on."""

from __future__ import annotations

import click

from annotate.cli.context import CommandRun, answering, common


@click.command()
@answering
def disagreements(run: CommandRun) -> None:
    """List what waits for adjudication. Serious harm comes first, then disagreements. Names stay hidden."""
    run.answer(run.project.labels.disagreements())


@click.command()
@answering
def opposite(run: CommandRun) -> None:
    """List the same answer labelled right and wrong. It answers the same question. Says whose the labels are; they stay."""
    run.answer(run.project.labels.opposite())


@click.command()
@click.argument("item_id", metavar="ITEM")
@click.option("--label", type=click.Choice(["right", "wrong", "unsure"]), help="What it is; unsure leaves it open.")
@click.option("--why", required=True, help="The reason, kept with the label.")
@click.option("--reference", help="With wrong: what the system should have said.")
@click.option(
    "--annotator",
    help="With wrong: take the reference of this annotator, A, B …, as `assay labels disagreements` names them.",
)
@click.option("--cause", "causes", multiple=True, help="With wrong: a cause; may be given several times.")
@click.option("--harm", type=click.Choice(["none", "minor", "serious"]), help="With wrong: how harmful it could be.")
@click.option("--take-back", is_flag=True, help="Take back what was adjudicated: the annotators decide again.")
@common
def adjudicate(
    run: CommandRun,
    item_id: str,
    label: str | None,
    why: str,
    reference: str | None,
    annotator: str | None,
    causes: tuple[str, ...],
    harm: str | None,
    *,
    take_back: bool,
) -> None:
    """Adjudicate an item in the name of ASSAY_USER. They must not be one of its annotators. The label counts at once."""
    from annotate.domain.annotation import CAUSES
    from proxy.errors import UsageError

    unknown = [cause for cause in causes if cause not in CAUSES]
    if unknown:
        raise UsageError(f"--cause: expected {', '.join(CAUSES)}, found {', '.join(unknown)}")
    if take_back == bool(label):
        raise UsageError("give --label right, wrong or unsure; or --take-back")
    labels = run.project.labels
    if label is None:
        done = labels.take_back(item_id, why=why)
    else:
        done = labels.adjudicate(
            item_id, label, why=why, reference=reference, reference_of=annotator, causes=causes, harm=harm
        )
    run.done(done)
