"""Check a system's answers against the gold set, by an offline judge or a model, and log the check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from annotate.analysis.gold import reference_judge, regression
from annotate.analysis.gold.regression import Checked
from annotate.domain.gold.matching import AskedKey
from annotate.domain.gold.reference_choice import ReferenceJudgeChoice
from annotate.plugins import from_entry_points, offered
from annotate.store import Store
from annotate.workflow.gold.judge_with_model import JUDGE, ModelJudging
from annotate.workflow.judging.model_request import ModelRequest
from proxy.errors import UsageError
from proxy.judges.base import Judge
from proxy.judges.metrics.catalogue import metrics, require_runnable
from proxy.judges.metrics.metric import MetricNeed
from proxy.llm.openai_client import usual_parameters
from proxy.text.suggestion import did_you_mean

EVENT = "gold check"


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckRequest:
    """The check to make.

    Attributes
    ----------
    system
        The system whose new answers are checked.
    judge
        Who judges against the references, by name; None: the one that the labels of the store show to be best, or
        `correctness_vs_reference`.
    model
        The model that judges; None: an offline judge.
    threshold
        An answer is right above this score; None: the default.
    role, release
        Against which entries: those of this role, as they are now or as a release holds them.
    answers
        New answers that are not in the store, by question, for an offline judge; None: those that the store has of the system.
    """

    system: str
    judge: str | None = None
    model: ModelRequest | None = None
    threshold: float | None = None
    role: str = "test"
    release: str | None = None
    answers: Mapping[AskedKey, str] | None = None


def check(store: Store, request: CheckRequest, *, who: str, clock: Callable[[], str]) -> Checked:
    """Check the answers; UsageError for a system, a release or a judge that is not there."""
    checked = _with_model(store, request, request.model, clock) if request.model else check_offline(store, request)
    detail = {
        "system": request.system,
        "release": request.release,
        "role": request.role,
        "judge": checked.judge,
        "threshold": checked.threshold,
        "entries": len(checked.check.comparisons),
        **checked.check.pairs._asdict(),
        "worse": checked.check.is_worse,
    }
    with store.atomic():
        store.audit.events.append(EVENT, detail, who=who, now=clock())
    return checked


def check_offline(store: Store, request: CheckRequest) -> Checked:
    """Check the answers with a judge that asks no model; nothing is written."""
    choice = ReferenceJudgeChoice(judge=request.judge) if request.judge else reference_judge.choose(store)
    judge = _named(choice.judge)
    checked = _run(store, request, regression.offline(judge), judge.signature, silent=choice.questions)
    return replace(checked, choice=choice if choice.difference else None)


def _with_model(store: Store, request: CheckRequest, model: ModelRequest, clock: Callable[[], str]) -> Checked:
    if request.judge not in (None, JUDGE):
        raise UsageError(f"--backend openai needs --model M, and has the judge {JUDGE} alone")
    endpoint = model.endpoint()
    if endpoint is None:
        raise UsageError("a model that is asked is named with --model M")
    endpoint.check_key()
    judging = ModelJudging(store, endpoint, model.options, usual_parameters(endpoint.url), clock)
    checked = _run(store, request, judging, JUDGE)
    return replace(checked, is_fooled=judging.is_fooled)


def _run(
    store: Store,
    request: CheckRequest,
    judging: regression.Judging,
    judge: str,
    *,
    silent: frozenset[AskedKey] = frozenset(),
) -> Checked:
    return regression.run(
        store,
        regression.GoldCheckRequest(
            system=request.system,
            judging=judging,
            judge=judge,
            threshold=request.threshold,
            role=request.role,
            release=request.release,
            silent=silent,
            answers=request.answers,
        ),
    )


def _named(name: str) -> Judge:
    """Return the judge of this name, of ours or of another package."""
    reading = [metric for metric in metrics() if MetricNeed.REFERENCE in metric.needs]
    known = {metric.name: judge for metric in reading if (judge := metric.judge())}
    faults = tuple[str, ...]()
    require_runnable(name)
    if name not in known:
        plugins = from_entry_points([name])
        known, faults = known | plugins.judges, plugins.faults
    if name not in known:
        meant = did_you_mean(name, known)
        refusal = f"there is no judge {name} that reads references: there is {', '.join(known)}{meant}"
        raise UsageError("; ".join((refusal, offered(), *faults)))
    return known[name]
