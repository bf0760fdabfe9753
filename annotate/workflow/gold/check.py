"""Check a system's answers against the gold set, by an offline judge or a model, and log the check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from annotate.analysis.gold import regression
from annotate.analysis.gold.regression import Checked
from annotate.domain.gold.regression import DEFAULT_THRESHOLD
from annotate.plugins import from_entry_points
from annotate.store import Store
from annotate.workflow.gold.judge_with_model import JUDGE, ModelJudging
from annotate.workflow.judging.model_request import ModelRequest
from proxy import judges
from proxy.errors import UsageError
from proxy.judges.base import Judge
from proxy.llm.openai_client import usual_parameters

EVENT = "gold check"


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckRequest:
    """The check to make.

    Attributes
    ----------
    system
        The system whose new answers are checked.
    judge
        Who judges against the references, by name.
    model
        The model that judges; None: an offline judge.
    threshold
        An answer is right above this score.
    role, release
        Against which entries: those of this role, as they are now or as a release holds them.
    """

    system: str
    judge: str = JUDGE
    model: ModelRequest | None = None
    threshold: float = DEFAULT_THRESHOLD
    role: str = "test"
    release: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldCheck:
    """A check, the judge to name it by, and whether a model was talked into a good verdict."""

    checked: Checked
    judge: str
    is_fooled: bool = False


def check(store: Store, request: CheckRequest, *, who: str, clock: Callable[[], str]) -> GoldCheck:
    """Check the answers; UsageError for a system, a release or a judge that is not there."""
    made = _with_model(store, request, request.model, clock) if request.model else _offline(store, request)
    result = made.checked.check
    detail = {
        "system": request.system,
        "release": request.release,
        "role": request.role,
        "judge": made.checked.signature or made.judge,
        "cut": request.threshold,
        "entries": len(result.comparisons),
        **result.pairs._asdict(),
        "worse": result.is_worse,
    }
    with store.atomic():
        store.audit.events.append(EVENT, detail, who=who, now=clock())
    return made


def _offline(store: Store, request: CheckRequest) -> GoldCheck:
    judge = _named(request.judge)
    return GoldCheck(checked=_run(store, request, regression.offline(judge)), judge=judge.signature)


def _with_model(store: Store, request: CheckRequest, model: ModelRequest, clock: Callable[[], str]) -> GoldCheck:
    if request.judge != JUDGE:
        raise UsageError(f"--backend openai needs --model M, and has the judge {JUDGE} alone")
    endpoint = model.endpoint()
    endpoint.check_key()
    judging = ModelJudging(store, endpoint, model.options, usual_parameters(endpoint.url), clock)
    checked = _run(store, request, judging)
    return GoldCheck(checked=checked, judge=JUDGE, is_fooled=judging.is_fooled)


def _run(store: Store, request: CheckRequest, judging: regression.Judging) -> Checked:
    return regression.run(
        store,
        regression.Request(
            system=request.system,
            judging=judging,
            cut=request.threshold,
            role=request.role,
            release=request.release,
        ),
    )


def _named(name: str) -> Judge:
    """Return the judge of this name, of ours or of another package."""
    known = {judge.name: judge for judge in judges.reference_based()}
    if name not in known:
        known |= from_entry_points([name])
    if name not in known:
        raise UsageError(f"there is no judge {name} that reads references: there is {', '.join(known)}")
    return known[name]
