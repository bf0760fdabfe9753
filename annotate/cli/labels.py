"""Commands that import and export labels as plain files, and show the history of annotations and the annotators."""

from __future__ import annotations

import click

from annotate.cli import adjudicate
from annotate.cli.context import CommandRun, answering, common, file_options
from annotate.cli.groups import CommandGroup


@click.group(cls=CommandGroup)
def labels() -> None:
    """What annotators said, and what is adjudicated."""


@labels.command("import")
@click.argument("file")
@file_options(
    "item_id, label, annotator, reference, causes, harm, rationale, form_version, seconds, at, passage_relevance, "
    "context_sufficiency"
)
@click.option(
    "--words",
    "words",
    multiple=True,
    metavar="right=WORD,WORD",
    help="What the file's own words mean: right=…, wrong=… and unsure=…; repeat it.",
)
@common
def import_(
    run: CommandRun, file: str, file_format: str, encoding: str, pairs: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """Take labels in (right, wrong or unsure). A label without a draw is hand-picked: weight 0 in every estimate.

    The words for right, wrong and unsure are known in English, German, French, Spanish, Portuguese, Italian, Dutch, Chinese,
    Japanese and Korean, as are true and false, yes and no, 1 and 0. Any other word is quarantined until --words
    says what it means.
    """
    from annotate.domain.annotation import FIELDS
    from annotate.domain.field_mapping import parse_mapping
    from annotate.domain.label_words import parse_words

    fields = parse_mapping(pairs, FIELDS)
    run.done(
        run.project.import_labels(
            file, fields=fields, file_format=file_format, encoding=encoding, words=parse_words(words)
        )
    )


@labels.command()
@click.argument("file")
@click.option(
    "--annotations", is_flag=True, help="What each annotator says now instead, a row an annotation, deleted ones too."
)
@click.option("--revisions", is_flag=True, help="With --annotations: every revision, in the order in which they came.")
@common
def export(run: CommandRun, file: str, annotations: bool, revisions: bool) -> None:
    """Write the label of every item, or all annotations. A label comes with what it rests on."""
    run.wrote(run.project.labels.export(file, annotations=annotations, revisions=revisions))


@labels.command()
@click.argument("item_id", metavar="ITEM")
@answering
def history(run: CommandRun, item_id: str) -> None:
    """List every revision of every annotation of an item. They stand in the order in which they came."""
    run.answer(run.project.labels.history(item_id))


@labels.command()
@answering
def annotators(run: CommandRun) -> None:
    """Who labels how, by name, and what happened to annotations. For talking together, not for ranking."""
    run.answer(run.project.labels.annotators())


for _command in (adjudicate.disagreements, adjudicate.opposite, adjudicate.adjudicate):
    labels.add_command(_command)
