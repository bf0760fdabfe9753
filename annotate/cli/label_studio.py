"""Commands that push tasks to Label Studio and pull annotations from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import CommandRun, common
from annotate.domain.labelling_form import ASKED, LANGUAGES

if TYPE_CHECKING:
    from annotate.project.run_options import PushStage
    from annotate.workflow.labelling.push import PushRequest

url_option = click.option(
    "--url",
    envvar="LABEL_STUDIO_URL",
    help="Label Studio's address (or LABEL_STUDIO_URL; the one of `assay up` if left out).",
)
_FORM = (
    click.option(
        "--annotator",
        "annotators",
        multiple=True,
        metavar="NAME[:FIELD=VALUE]",
        help="A project for each annotator; repeat it. With a field or slice only those answers; the others share the rest.",
    ),
    click.option("--everybody", "is_for_everybody", is_flag=True, help="One project for all again, after --annotator."),
    click.option(
        "--overlap",
        type=click.FloatRange(0, 1),
        help="The share of answers that two annotators get, independently. As the last time if left out.",
    ),
    click.option("--language", type=click.Choice(LANGUAGES), help="The form's language; at first en."),
    click.option("--harm/--no-harm", "asks_harm", default=None, help="Ask how harmful a wrong answer could be."),
    click.option(
        "--ask",
        type=click.Choice(tuple(ASKED)),
        help="Ask, after the verdict, which passages are relevant and whether they suffice. As the last time if left out.",
    ),
    click.option(
        "--share",
        type=click.FloatRange(0, 1, min_open=True),
        help="The share of answers of which --ask asks, by chance; at first 1, then as the last time.",
    ),
    click.option(
        "--guide",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Your own guide for experts, in place of ours (text or simple markdown).",
    ),
)


def form_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options for who reads, and what the form is like."""
    for option in reversed(_FORM):
        function = option(function)
    return function


def pushing(*, url: str | None, new_project: bool, **form: Any) -> PushStage:
    """Return where tasks are sent and what the form is like, from what was given to the command."""
    from annotate.project.run_options import PushStage

    return PushStage(url=url, request=request_of(**form, is_fresh=new_project))


def request_of(*, guide: Path | None, ask: str | None, share: float | None, **form: Any) -> PushRequest:
    """Build the request of a push, with the guide as HTML."""
    from annotate.domain.labelling_guide import guide_from
    from annotate.workflow.labelling.push import PushRequest

    html = None if guide is None else guide_from(guide.read_text(encoding="utf-8", errors="replace"))
    return PushRequest(guide=html, **form).asking(ask, share)


@click.command()
@url_option
@click.option(
    "--project",
    type=click.IntRange(min=1),
    help="Your own project's number; without it, the one used last or a new one.",
)
@click.option("--new-project", is_flag=True, help="Make a new project, also where one was used before.")
@click.option("--title", default="Assay", show_default=True, help="The title of a new project.")
@form_options
@click.option(
    "--preview", is_flag=True, help="Only show what redaction would mask and who gets how many; nothing is sent."
)
@common
def push(run: CommandRun, *, preview: bool, **given: Any) -> None:
    """Send the open draws to Label Studio. The token is LABEL_STUDIO_API_KEY in the environment. Repeating it doubles nothing."""
    options = pushing(**given)
    if preview:
        run.done(run.project.preview_masking(url=options.url, request=options.request))
        return
    run.done(run.project.push(options.url, options.request))


@click.command()
@url_option
@click.option("--project", type=click.IntRange(min=1), help="Only this project; without it, all of ours.")
@click.option("--full", is_flag=True, help="Read everything anew, not only what changed. Done once a day by itself.")
@common
def pull(run: CommandRun, url: str | None, project: int | None, *, full: bool) -> None:
    """Bring the annotations back from Label Studio. Repeating it doubles nothing."""
    run.done(run.project.pull(url, project=project, full=full))


@click.group()
def server() -> None:
    """Say that a Label Studio has another address."""


@server.command()
@click.argument("old")
@click.argument("new")
@click.option("--dry-run", is_flag=True, help="Say what would move, and change nothing.")
@click.option(
    "--join", is_flag=True, help="Join them though both hold annotations and nothing shows that they are one."
)
@common
def moved(run: CommandRun, old: str, new: str, *, dry_run: bool, join: bool) -> None:
    """Keep what came from the Label Studio at OLD under the address NEW. A push or pull does this by itself where it can."""
    run.done(run.project.move_server(old, new, dry_run=dry_run, join=join))
