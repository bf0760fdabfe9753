"""Commands that push tasks to Label Studio and pull annotations from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotate.cli.context import Outcome, Run, common
from annotate.domain.labelling_form import LANGUAGES

if TYPE_CHECKING:
    from annotate.domain.label_studio_sync import Delivery, Pushed
    from annotate.workflow.labelling.push import PushRequest
    from annotate.workflow.labelling.sync import Fetched, Sent

url_option = click.option(
    "--url",
    envvar="LABEL_STUDIO_URL",
    help="Label Studio's address (or LABEL_STUDIO_URL; the one of `assay up` if left out).",
)
_FORM = (
    click.option("--reader", "readers", multiple=True, metavar="NAME", help="A project for each reader; repeat it."),
    click.option("--everybody", "is_for_everybody", is_flag=True, help="One project for all again, after --reader."),
    click.option(
        "--overlap",
        type=click.FloatRange(0, 1),
        help="The share of answers that two readers get, independently. As the last time if left out.",
    ),
    click.option("--language", type=click.Choice(LANGUAGES), help="The form's language; at first en."),
    click.option("--harm/--no-harm", "asks_harm", default=None, help="Ask how harmful a wrong answer could be."),
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


def request_of(*, guide: Path | None, **form: Any) -> PushRequest:
    """Build the request of a push, with the guide as HTML."""
    from annotate.domain.labelling_guide import guide_from
    from annotate.workflow.labelling.push import PushRequest

    html = None if guide is None else guide_from(guide.read_text(encoding="utf-8", errors="replace"))
    return PushRequest(guide=html, **form)


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
@common
def push(run: Run, url: str | None, project: int | None, title: str, *, new_project: bool, **form: Any) -> None:
    """Send the open draws to Label Studio (token: LABEL_STUDIO_API_KEY in the environment). Repeating it doubles nothing."""
    request = request_of(**form, title=title, project=project, is_fresh=new_project)
    run.end(pushed(run.project.push(url, request)))


def pushed(sent: Sent) -> Outcome:
    """Say what was sent, and where it is labelled."""
    from annotate.present import labelling as present_labelling

    lines = present_labelling.pushed(sent.url, sent.done, sent.invitation)
    return Outcome(text="\n".join(lines), data=push_json(sent.url, sent.done) | {"invitation": sent.invitation})


def link(server: str, delivery: Delivery) -> str:
    """Return where the reader labels."""
    from annotate.present import labelling as present_labelling

    return present_labelling.link(server, delivery)


def push_json(server: str, done: Pushed) -> dict[str, object]:
    """Return the result of a push as data for machines."""
    return {
        "server": server,
        "project": done.deliveries[0].project,
        "sent": done.sent,
        "there": done.there,
        "withdrawn": done.withdrawn,
        "doubled": done.doubled,
        "projects": [delivery._asdict() | {"link": link(server, delivery)} for delivery in done.deliveries],
    }


@click.command()
@url_option
@click.option("--project", type=click.IntRange(min=1), help="Only this project; without it, all of ours.")
@click.option("--full", is_flag=True, help="Read everything anew, not only what changed. Done once a day by itself.")
@common
def pull(run: Run, url: str | None, project: int | None, *, full: bool) -> None:
    """Bring the annotations back from Label Studio. Repeating it doubles nothing."""
    run.end(pulled(run.project.pull(url, project=project, full=full)))


def pulled(fetched: Fetched) -> Outcome:
    """Say what came back, and how far the labelling is."""
    from annotate.present import labelling as present_labelling

    progress = fetched.progress
    return Outcome(
        text=present_labelling.pulled(fetched.done, progress),
        data={**fetched.done._asdict(), "labelled": progress.labelled, "drawn": progress.drawn},
    )
