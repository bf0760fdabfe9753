"""Options of `assay judge` for a model as judge: which model, how it is asked, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

Command = Callable[..., None]
_POSITIVE = click.IntRange(min=1)


def model_options(function: Command) -> Command:
    """Give a command all of them, in the order of --help."""
    for decorate in reversed((*WHICH, *HOW, *LIMITS)):
        function = decorate(function)
    return function


def _option(*flags: str, help: str, **more: object) -> Callable[[Command], Command]:  # noqa: A002 - as click has it
    """Return a click option; a default is shown."""
    return click.option(*flags, help=help, show_default="default" in more, **more)  # type: ignore[arg-type]


WHICH = (
    _option("--model", metavar="M", help="The model's name at the endpoint."),
    _option("--base-url", metavar="URL", envvar="OPENAI_BASE_URL", help="The endpoint; without it, OpenAI's own."),
    _option("--preset", type=click.Choice(["llamaindex"]), help="The judges and scales of LlamaIndex's evaluators."),
    _option("--one-call", is_flag=True, help="Context relevance and faithfulness in one call."),
    _option(
        "--check-one-call",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Ask N items both ways; says how far they agree.",
    ),
    _option("--per-passage", is_flag=True, help="Context relevance of each passage by itself; the best counts."),
    _option("--right-from", type=click.IntRange(4, 5), default=4, help="The least grade that counts as right."),
    _option("--aspect", "aspects", multiple=True, metavar="NAME=DEFINITION", help="A yes-or-no judge of your own."),
)
HOW = (
    _option("--prompts", type=click.Path(path_type=Path), metavar="FOLDER", help="Prompts of your own."),
    _option("--parameter", "parameters", multiple=True, metavar="NAME=VALUE", help="Like reasoning_effort=low."),
    _option("--context-chars", type=click.IntRange(500), default=48_000, help="Characters of passages that are sent."),
    _option("--concurrency", type=click.IntRange(1, 1024), default=16, help="The most requests in flight."),
    _option("--deadline", type=click.FloatRange(0.1, 86_400), default=60.0, help="Seconds that a request may take."),
    _option("--attempts", type=click.IntRange(1, 20), default=8, help="Tries of a request that is turned away."),
)
LIMITS = (
    _option("--budget", type=click.FloatRange(0), metavar="MONEY", help="At most; needs [prices] in assay.toml."),
    _option("--max-tokens", type=click.IntRange(0), metavar="N", help="Tokens that this run may use."),
    _option("--limit", type=_POSITIVE, metavar="N", help="Items that this run begins."),
    _option("--dry-run", is_flag=True, help="Only say what it would take."),
    _option("--retry-failed", is_flag=True, help="Ask again for what failed before."),
    _option("--probe", is_flag=True, help="Find out again what the endpoint can do."),
)
