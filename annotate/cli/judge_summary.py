"""What a run of LLM judges comes to, in words and as data for machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from proxy.records import FailureKind

if TYPE_CHECKING:
    from annotate.store.scores.calls import Used
    from annotate.workflow.judging.cost_estimate import CallEstimate
    from annotate.workflow.judging.one_call_check import OneCallCheck
    from annotate.workflow.judging.runs import ModelJudged, Options

ABSTAINED = FailureKind.NOT_APPLICABLE
LLAMAINDEX_READS = ("context_relevance", "faithfulness_yes_no")
LLAMAINDEX = f"min({', '.join(LLAMAINDEX_READS)}) > 0.5"


def estimate_line(found: CallEstimate) -> str:
    """What a run would take."""
    cost = "" if found.cost is None else f", about {found.cost:,.2f} in money"
    tokens = f"{_thousands(found.prompt_tokens)} prompt and {_thousands(found.completion_tokens)} reply tokens"
    return f"{found.items:,} items to judge: about {found.calls:,} calls, {tokens}{cost}"


def failed(told: ModelJudged) -> int:
    """Failures that are no abstentions."""
    return sum(count for kind, count in told.failures.items() if kind != ABSTAINED)


def summary(told: ModelJudged) -> str:
    """One line."""
    kinds = {kind: count for kind, count in told.failures.items() if kind != ABSTAINED}
    named = f" ({', '.join(f'{count:,} {kind}' for kind, count in kinds.items())})" if kinds else ""
    tokens = sum((one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in told.used)
    costs = [one.cost for one in told.used if one.cost is not None]
    money = f", {sum(costs):,.4f} in money" if costs else ""
    return (
        f"{told.items:,} items judged: {told.scores:,} scores, {told.failures.get(ABSTAINED, 0):,} abstentions, "
        f"{failed(told):,} failures{named}; {sum(told.attempts.values()):,} requests, {tokens:,} tokens{money}"
    )


def left(told: ModelJudged, settings: Options) -> dict[str, Any]:
    """What a run has left of its budget, as options of what is asked next."""
    tokens = sum((one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in told.used)
    money = sum(one.cost or 0.0 for one in told.used)
    return {
        "most_tokens": None if settings.most_tokens is None else max(0, settings.most_tokens - tokens),
        "most_money": None if settings.most_money is None else max(0.0, settings.most_money - money),
    }


def data(told: ModelJudged) -> dict[str, object]:
    """Everything, as JSON has it."""
    return {
        "items": told.items,
        "scores": told.scores,
        "abstentions": told.failures.get(ABSTAINED, 0),
        "errors": failed(told),
        "failures": {str(kind): count for kind, count in told.failures.items()},
        "judges": [_used(one) for one in told.used],
        "attempts": dict(told.attempts),
        "canaries": [
            {
                "judge": one.judge,
                "signature": one.signature,
                "value": one.value,
                "fooled": one.is_fooled,
                "reason": one.reason,
            }
            for one in told.canaries
        ],
        "stopped": told.stopped,
    }


def _used(requests: Used) -> Mapping[str, object]:
    """What some judges' requests took; `judge` says which, or that they were a probe or canaries."""
    signatures = requests.judges.split(" + ")
    names = "+".join(signature.split("|")[0] for signature in signatures)
    used = requests._asdict()
    del used["judges"]
    return {"judge": names, "signatures": signatures, **used}


def warnings(told: ModelJudged, rule: str, reading: Mapping[str, object]) -> list[str]:
    """What a user should know beside the summary; `reading` are the signatures that the rule in force reads."""
    found = [
        f"{one.judge} was talked into {one.value:.2f} by an answer that tells it what to say: its scores can be steered, so "
        "label what words do not support first (`assay sample` does)"
        for one in told.canaries
        if one.is_fooled
    ]
    given = {name: signature for each in told.judges for name, signature in each.judges}
    wanted = rule if set(reading) <= set(given) else LLAMAINDEX if set(LLAMAINDEX_READS) <= set(given) else None
    names = LLAMAINDEX_READS if wanted == LLAMAINDEX else tuple(reading)
    if wanted and any(reading.get(name) != given[name] for name in names):
        pairs = " ".join(f"--signature '{name}={given[name]}'" for name in names)
        found.append(f"the rule in force reads other scores; to read these: assay rule set '{wanted}' {pairs}")
    if told.reasons:
        reason, count = told.reasons.most_common(1)[0]
        again = (
            "" if told.failures.get(FailureKind.UNANSWERED) == failed(told) else "; --retry-failed asks again for them"
        )
        found.append(f"most failures ({count:,}): {reason}; `assay scores export` has the replies{again}")
    if any(dict(one.settings).get("mode") == "last_line" for one in told.judges):
        found.append("the model keeps to no JSON form: it is asked for a last line, and gives no quotes to check")
    if told.failures.get(FailureKind.UNANSWERED):
        found.append("what the endpoint did not answer is asked again by the next run")
    return found


def check_lines(found: OneCallCheck | None) -> list[str]:
    """One call against two, a line a judge; and what the check used."""
    if found is None:
        return []
    lines = [
        f"{one.judge}: one call agrees with two on {one.same} of {one.items} items (same side of 0.5; {one.interval.low:.0%} to "
        f"{one.interval.high:.0%}, 95 % interval), mean distance {one.distance:.2f}"
        for one in found.agreements
    ]
    stopped = [f"the check was stopped: {found.run.stopped}"] if found.run.stopped else []
    return [*lines, *stopped, f"the check: {summary(found.run)}"]


def check_data(found: OneCallCheck | None) -> dict[str, object] | None:
    """The same as JSON has it, with all that the check used; None without one."""
    if found is None:
        return None
    agreements = [
        {**asdict(one), "interval": {"low": one.interval.low, "high": one.interval.high}} for one in found.agreements
    ]
    return {"agreements": agreements, "run": data(found.run)}


def _thousands(count: int) -> str:
    return f"{count / 1_000_000:,.1f} million" if count >= 1_000_000 else f"{count:,}"
