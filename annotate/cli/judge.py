"""`assay judge`: the offline judges, judges of other packages, or LLM judges through any OpenAI-compatible endpoint."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from annotate.cli import judge_summary
from annotate.cli.context import LONGEST_REASON, PARTIAL, Run, common
from annotate.cli.judge_options import model_options
from proxy.errors import UsageError

if TYPE_CHECKING:
    from annotate.store import Store
    from annotate.workflow.judging.one_call_check import OneCallCheck
    from annotate.workflow.judging.runs import ModelJudged, Options
    from annotate.workflow.judging.shortfall import Shortfall
    from proxy.judges.llm.menu import Choice
    from proxy.llm.budget import Prices
    from proxy.llm.openai_client import OpenAIEndpoint


@click.command()
@click.option(
    "--judges",
    "names",
    multiple=True,
    metavar="A,B",
    help="Only these judges, repeat it for more; without it, the backend's usual ones.",
)
@click.option(
    "--backend", type=click.Choice(["offline", "openai"]), default="offline", show_default=True, help="Who judges."
)
@model_options
@common
def judge(run: Run, names: tuple[str, ...], backend: str, **options: Any) -> None:
    """Score every item that has no score yet; resumes where it was stopped, and asks for no reply twice that came back.

    Offline judges compare words and need no key. With --backend openai a model judges, at OpenAI or at any compatible endpoint
    (Ollama, vLLM, llama.cpp): the key comes from OPENAI_API_KEY.
    """
    typed = click.get_current_context().get_parameter_source
    if backend == "offline" and (given := [name for name in options if typed(name) is ParameterSource.COMMANDLINE]):
        raise UsageError(f"--{given[0].replace('_', '-')} is for --backend openai")
    if names and options["preset"]:
        raise UsageError("--preset names its judges: leave --judges out, or the preset")
    if options["check_one_call"] and not options["one_call"]:
        raise UsageError("--check-one-call is for --one-call")
    wanted = list(dict.fromkeys(name.strip() for option in names for name in option.split(",") if name.strip()))
    if backend == "openai":
        _with_model(run, wanted, options)
    else:
        _offline(run, wanted)


def _offline(run: Run, names: list[str]) -> None:
    """The offline judges and those of other packages."""
    from annotate.workflow.judging import offline

    judges = offline.named(names)
    with run.store() as store:
        judged = offline.judge(store, judges, now=run.now)
        words, verdicts, short = _verdicts(store, run)
    spent = [{**work._asdict(), "seconds": round(work.seconds, 6)} for work in judged.judges]
    run.say(
        f"{judged.items:,} items judged: {judged.scores:,} scores, {judged.abstentions:,} abstentions, {judged.errors:,} "
        f"errors; {words}",
        {**judged._asdict(), "judges": spent, **verdicts},
    )
    _say_shortfall(short)
    if judged.errors:
        click.echo(f"the first error: {judged.error}; those items are asked again by the next run", err=True)
        sys.exit(PARTIAL)


def _say_shortfall(short: Shortfall | None) -> None:
    """Say why nothing passes, beside the summary."""
    from annotate.present.messages import one_line

    for line in short.lines() if short else ():
        click.echo(one_line(line, LONGEST_REASON), err=True)


def _verdicts(store: Store, run: Run) -> tuple[str, dict[str, Any], Shortfall | None]:
    """Return the rule in force with the counts of its verdicts, in words and as data, and why none passes."""
    from annotate.analysis.rule_in_force import rule_in_force
    from annotate.workflow.judging.shortfall import shortfall

    key, rule = rule_in_force(store)
    counts = store.rules.counts(key)
    words = ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items())
    data = {"rule": rule.expression, "verdicts": {str(word): n for word, n in counts.items()}}
    short = shortfall(store, key, rule)
    more = {"rule_reads": dict(rule.signatures), "nothing_passes": short.data() if short else None}
    return f"{rule.expression}: {words}", {**data, **more}, short


def _with_model(run: Run, names: list[str], options: dict[str, Any]) -> None:
    """Ask a model; what it would take is said first."""
    from annotate.workflow.judging import model as judging_model
    from proxy.errors import EndpointError
    from proxy.llm.openai_client import usual_parameters

    if not options["model"]:
        raise UsageError('--backend openai needs --model M, or model = "M" under [judge] in assay.toml')
    settings = _options(names, options)
    if settings.most_money is not None and settings.prices is None:
        table = f'[prices."{options["model"]}"]'
        raise UsageError(f"--budget needs prices a million tokens: put {table} with input and output into assay.toml")
    endpoint = _endpoint(options)
    usual = usual_parameters(endpoint.url)
    with run.opened(writes=not options["dry_run"]) as store:
        _say_estimate(run, store, endpoint, settings, is_all=options["dry_run"])
        if options["dry_run"]:
            return
        endpoint.check_key()
        with store.only_one("judge"):
            judged = judging_model.judge(store, endpoint, settings, usual, lambda: run.now)
            checked = _one_call_check(run, store, judged, settings, options)
        words, verdicts, short = _verdicts(store, run)
        with store.atomic():
            store.events.append("judge", _event(judged, endpoint), who=run.who, now=run.now)
    for line in (
        *judge_summary.warnings(judged, verdicts["rule"], verdicts["rule_reads"]),
        *judge_summary.check_lines(checked),
    ):
        click.echo(line, err=True)
    run.say(
        f"{judge_summary.summary(judged)}; {words}",
        {**judge_summary.data(judged), **verdicts, "one_call": judge_summary.check_data(checked)},
    )
    _say_shortfall(short)
    if judged.is_fault:
        raise EndpointError(f"stopped: {judged.stopped}")
    if judged.stopped:
        click.echo(f"stopped: {judged.stopped}", err=True)
    if judged.stopped or judge_summary.failed(judged):
        sys.exit(PARTIAL)


def _endpoint(options: dict[str, Any]) -> OpenAIEndpoint:
    from proxy.llm.openai_client import OpenAIEndpoint

    return OpenAIEndpoint(options["model"], url=options["base_url"], concurrency=options["concurrency"])


def _one_call_check(
    run: Run, store: Store, judged: ModelJudged, settings: Options, options: dict[str, Any]
) -> OneCallCheck | None:
    """How far one call agrees with two, where that was asked for and the run came to its end."""
    from annotate.workflow.judging.one_call_check import check
    from proxy.llm.openai_client import usual_parameters

    together = next((llm_judge for llm_judge in judged.judges if len(llm_judge.judges) > 1), None)
    if not options["check_one_call"] or together is None or judged.stopped:
        return None
    usual = usual_parameters(_endpoint(options).url)
    left = replace(settings, **judge_summary.left(judged, settings))
    return check(store, together, options["check_one_call"], lambda: _endpoint(options), left, usual, lambda: run.now)


def _event(judged: ModelJudged, endpoint: OpenAIEndpoint) -> dict[str, object]:
    """What the log keeps of a run."""
    return {
        "url": endpoint.url,
        "model": endpoint.model,
        "items": judged.items,
        "scores": judged.scores,
        "stopped": judged.stopped,
    }


def _say_estimate(run: Run, store: Store, endpoint: OpenAIEndpoint, settings: Options, *, is_all: bool) -> None:
    """What the run would take: on standard error before it, or as all that a dry run says."""
    from annotate.workflow.judging.cost_estimate import estimate
    from proxy.llm.openai_client import usual_parameters

    calls = estimate(store, endpoint, settings, usual_parameters(endpoint.url))
    line = judge_summary.estimate_line(calls)
    if is_all:
        run.say(f"{line}; nothing was sent", {"dry_run": True, **asdict(calls)})
    elif calls.items:
        click.echo(line, err=True)


def _options(names: list[str], options: dict[str, Any]) -> Options:
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
        prices=_prices(options["model"]),
        most_money=options["budget"],
        most_tokens=options["max_tokens"],
        most_items=options["limit"],
        asks_failed_again=options["retry_failed"],
        probes_again=options["probe"],
    )


def _choice(names: list[str], options: dict[str, Any]) -> Choice:
    """Which judges."""
    from proxy.judges.llm.menu import DEFAULT, PRESETS, Choice

    aspects = dict(pair.partition("=")[::2] for pair in options["aspects"])
    if odd := [name for name, definition in aspects.items() if not definition.strip()]:
        raise UsageError(f"--aspect {odd[0]} needs a definition: --aspect 'polite=The answer is polite.'")
    usual = PRESETS[options["preset"]] if options["preset"] else () if aspects else DEFAULT
    return Choice(
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


def _prices(model: str) -> Prices | None:
    """Return the model's prices from assay.toml, None where it has none."""
    from annotate.settings import prices
    from proxy.llm.budget import Prices

    known = prices(model)
    return None if known is None else Prices(**known)
