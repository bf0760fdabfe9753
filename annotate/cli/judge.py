"""`assay judge`: the offline judges, judges of other packages, or LLM judges through any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from annotate.cli.context import CommandRun, common
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.workflow.judging.model_request import ModelRequest
    from annotate.workflow.judging.runs import EmbeddingRequest, Options
    from proxy.judges.menu import MenuChoice
    from proxy.llm.budget import Prices


from collections.abc import Callable
from pathlib import Path

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
    _option("--embedding-model", metavar="M", help="The model for judges that compare vectors, or a plug-in's name."),
    _option("--embedding-url", metavar="URL", help="Its endpoint; without it, that of --base-url."),
    _option(
        "--similarity-threshold",
        type=click.FloatRange(-1, 1),
        metavar="C",
        help="The cosine from which an answer is similar to its reference, 1 or 0; without it, the cosine itself.",
    ),
    _option(
        "--similarity-weight",
        type=click.FloatRange(0, 1),
        default=0.25,
        metavar="W",
        help="The weight of the cosine in answer_correctness.",
    ),
    _option(
        "--generated-questions",
        type=click.IntRange(1, 10),
        default=3,
        metavar="N",
        help="The questions that answer_relevancy makes from an answer.",
    ),
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


@click.command()
@click.option(
    "--judges",
    "names",
    multiple=True,
    metavar="A,B",
    help="Only these judges, repeat it for more; without it, the usual ones (offline: and those that the rule reads).",
)
@click.option(
    "--backend", type=click.Choice(["offline", "openai"]), default="offline", show_default=True, help="Who judges."
)
@click.option(
    "--workers",
    type=_POSITIVE,
    metavar="N",
    help="Processes of offline judges; without it, one for each core, 1 for fewer than 500 items.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where offline judges run: on this machine, or on the Ray cluster that RAY_ADDRESS names.",
)
@click.option("--train", is_flag=True, help="Train light judges on your references; nothing is scored.")
@click.option("--seed", type=click.IntRange(min=0), help="With --train: what is held out and paired; 0 if left out.")
@click.option("--preview", is_flag=True, help="Only show what redaction would mask in texts for a model; asks nothing.")
@model_options
@common
def judge(
    run: CommandRun,
    names: tuple[str, ...],
    backend: str,
    *,
    workers: int | None,
    engine: str,
    train: bool,
    seed: int | None,
    preview: bool,
    **options: Any,
) -> None:
    """Score every item that has no score yet. It resumes where it was stopped, and asks for no reply twice that came back.

    Offline judges compare words and need no key. With --backend openai a model judges, at OpenAI or at any compatible endpoint
    (Ollama, vLLM, llama.cpp): the key comes from OPENAI_API_KEY.
    """
    if train:
        if names or workers or engine != "local" or preview or backend != "offline":
            raise UsageError(
                "--train makes judges that --judges can name afterwards: "
                "leave --judges, --workers, --engine, --backend and --preview out"
            )
        run.done(run.project.train_judges(seed=seed or 0))
        return
    if seed is not None:
        raise UsageError("--seed goes with --train")
    typed = click.get_current_context().get_parameter_source
    if backend == "offline" and (given := [name for name in options if typed(name) is ParameterSource.COMMANDLINE]):
        raise UsageError(f"--{given[0].replace('_', '-')} is for --backend openai")
    request = requested(names, backend, options)
    if preview:
        run.done(run.project.preview_masking(draws=False, model=None if isinstance(request, tuple) else request))
        return
    if isinstance(request, tuple):
        run.done(run.project.judge(request, workers=workers, engine=engine))
        return
    if typed("workers") is ParameterSource.COMMANDLINE:
        raise UsageError("--workers is for offline judges: --concurrency says how many requests a model gets at a time")
    if typed("engine") is ParameterSource.COMMANDLINE:
        raise UsageError("--engine is for offline judges: requests to a model wait for it, and need no cores")
    estimate = run.project.estimate_calls(request)
    if options["dry_run"]:
        run.done(estimate)
        return
    if estimate.result.items:
        click.echo(estimate.to_text(), err=True, nl=False)
    answer = run.project.judge_with_model(request)
    run.done(answer)
    answer.result.run.raise_for_fault()


def requested(names: tuple[str, ...], backend: str, options: Mapping[str, Any]) -> tuple[str, ...] | ModelRequest:
    """Return the offline judges that are named, or what to ask a model."""
    from annotate.workflow.judging.model_request import ModelRequest

    if names and options["preset"]:
        raise UsageError("--preset names its judges: leave --judges out, or the preset")
    if options["check_one_call"] and not options["one_call"]:
        raise UsageError("--check-one-call is for --one-call")
    wanted = tuple(dict.fromkeys(name.strip() for option in names for name in option.split(",") if name.strip()))
    if backend == "offline":
        return wanted
    if not (options["model"] or options["embedding_model"]):
        raise UsageError('--backend openai needs --model M, or model = "M" under [judge] in assay.toml')
    return ModelRequest(
        model=options["model"] or None,
        url=options["base_url"],
        options=_options(wanted, options),
        check_one_call=options["check_one_call"],
    )


def _options(names: Sequence[str], options: Mapping[str, Any]) -> Options:
    """Return the run's options from the command line's."""
    from annotate.workflow.judging.runs import Options

    return Options(
        choice=_choice(names, options),
        concurrency=options["concurrency"],
        deadline=options["deadline"],
        attempts=options["attempts"],
        prompts=options["prompts"],
        parameters=dict(_parameter(pair) for pair in options["parameters"]),
        context_limit=options["context_chars"],
        prices=prices_of(options["model"]),
        embeddings=_embeddings(options),
        most_money=options["budget"],
        most_tokens=options["max_tokens"],
        most_items=options["limit"],
        asks_failed_again=options["retry_failed"],
        probes_again=options["probe"],
    )


def _embeddings(options: Mapping[str, Any]) -> EmbeddingRequest | None:
    """The embedding model, None where none is named."""
    from annotate.plugins import embeddings_from_entry_points
    from annotate.workflow.judging.runs import EmbeddingRequest

    model, url = options["embedding_model"], options["embedding_url"]
    if not model:
        return None
    plugin = None if url else embeddings_from_entry_points(model)
    return EmbeddingRequest(
        model=model,
        url=plugin.origin if plugin else url or options["base_url"],
        function=plugin.function if plugin else None,
        prices=prices_of(model),
        similarity_threshold=options["similarity_threshold"],
        similarity_weight=options["similarity_weight"],
        generated_questions=options["generated_questions"],
    )


def _choice(names: Sequence[str], options: Mapping[str, Any]) -> MenuChoice:
    """Which judges."""
    from proxy.judges.menu import DEFAULT, PRESETS, MenuChoice

    aspects = dict(pair.partition("=")[::2] for pair in options["aspects"])
    if odd := [name for name, definition in aspects.items() if not definition.strip()]:
        raise UsageError(f"--aspect {odd[0]} needs a definition: --aspect 'polite=The answer is polite.'")
    usual = PRESETS[options["preset"]] if options["preset"] else () if aspects else DEFAULT
    return MenuChoice(
        names=names or usual,
        one_call=options["one_call"],
        per_passage=options["per_passage"],
        right_from=options["right_from"],
        aspects=aspects,
    )


def _parameter(pair: str) -> tuple[str, object]:
    """Parse NAME=VALUE of a request; a value that is JSON is taken as such."""
    import json

    import orjson

    name, equals, text = pair.partition("=")
    if name in ("model", "messages", "response_format", "stream", "n"):
        raise UsageError(f"--parameter {name}: that one is the judge's own")
    if not equals or not name.isidentifier():
        raise UsageError(f"--parameter {pair}: write NAME=VALUE, like reasoning_effort=low")
    try:
        value = json.loads(text)
        orjson.dumps(value)
    except orjson.JSONEncodeError:
        raise UsageError(f"--parameter {pair}: no endpoint reads such a number") from None
    except ValueError:
        return name, text
    return name, value


def prices_of(model: str | None) -> Prices | None:
    """Return the model's prices from assay.toml, None where it has none."""
    from annotate.settings import prices
    from proxy.llm.budget import Prices

    known = prices(model) if model else None
    return None if known is None else Prices(input=known.input, output=known.output, cached=known.cached)
