"""Read the scores of a tracer's own judges from the rows that tools write, as distinct from feedback and experts' verdicts.

The tools are those of `feedback_rows`: one table of theirs holds all three kinds. Evaluations in OpenTelemetry are events called
`gen_ai.evaluation.result`, in spans or as log records; older ones name the evaluator in the event's own name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum

from annotate.domain.field_mapping import Fields, follow
from annotate.domain.timestamps import shown
from annotate.domain.tool_score import ToolScore, judge_name
from annotate.traffic.evaluation_rows import metrics_of
from annotate.traffic.feedback_rows import (
    CORRECTION,
    JUDGE,
    OURS_ITEM,
    OURS_KIND,
    OURS_SIGNATURE,
    STRINGS,
    TEXT,
    FeedbackSource,
    NoFeedback,
    first,
    inner_evaluations,
    own_field,
    several,
    tool_of,
    why_none,
    with_trace,
)
from annotate.traffic.source_format import Evaluation, Row
from proxy.errors import InputError

EVALUATION = "gen_ai.evaluation"
RESULT = f"{EVALUATION}.result"
# Names of attributes today, and those that they had.
OLDER = {
    f"{EVALUATION}.name": ("gen_ai.evaluator.name", f"{EVALUATION}.evaluator.name"),
    f"{EVALUATION}.score.value": (f"{EVALUATION}.score", f"{EVALUATION}.value"),
    f"{EVALUATION}.score.label": (f"{EVALUATION}.label",),
    f"{EVALUATION}.explanation": (f"{EVALUATION}.reasoning", f"{EVALUATION}.reason"),
}
# Where a tool says which version of its judge scored.
VERSIONS: Mapping[str, tuple[str, ...]] = {
    "langfuse": ("source", "configId", "config_id"),
    "phoenix": ("annotator_kind", "identifier"),
    "langsmith": ("feedback_source.type", "feedback_source.metadata.__run.run_id"),
    "mlflow": ("source.source_type", "source.source_id"),
    "deepeval": ("metricsData.evaluationModel", "metricsData.evaluation_model"),
    "opentelemetry": ("scope",),
}


class NoScore(StrEnum):
    """Why a row that can be read is no judge's score of an answer."""

    FEEDBACK = "feedback"
    EXPERT = "expert"
    PASSAGE = "passage"
    SESSION = "session"
    WORDS = "words"
    EMPTY = "empty"
    OURS = "ours"
    REPLACED = "replaced"


def evaluations_in(row: Row) -> list[Row] | None:
    """Return the rows of evaluations that a row of a tool is or holds; None where it is none of a tool's."""
    inner = inner_evaluations(row)
    if (inner := metrics_of(row) if inner is None else inner) is not None:
        return inner
    row = with_trace(row)
    return None if tool_of(row) is None else [row]


def read_evaluation(row: Row, judge_of: Callable[[str], str] = judge_name) -> ToolScore | NoScore:
    """Return the score that a row of a tool holds, or why it is none.

    Parameters
    ----------
    row
        As `evaluations_in` gives it.
    judge_of
        Gives the judge that a name means.

    Raises
    ------
    InputError
        For a row that names no answer, or whose value is neither a number nor a word.
    """
    tool = tool_of(row)
    if tool is None:
        raise InputError("a score must name its item_id and its judge")
    if (kind := own_field(row, OURS_KIND)) not in (None, JUDGE):
        return NoScore.OURS
    name = str(first(row, tool.name) or "")
    none = _why_no_score(tool, row, name)
    if none is not None and kind is None:
        return none
    item_id = Fields({"item_id": own_field(row, OURS_ITEM) or first(row, tool.item_id)}, {}).short("item_id")
    if item_id is None:
        raise InputError("it names no trace, so no answer")
    value = _value(row, tool)
    if value is None:
        return NoScore.EMPTY
    judge = judge_of(name)
    signature = own_field(row, OURS_SIGNATURE) or f"{judge}|{tool.title}|{_version(row, tool)}"
    return ToolScore(
        item_id=item_id,
        judge=judge,
        signature=str(signature),
        value=value,
        reason=_reason(row, tool),
    )


def _why_no_score(tool: FeedbackSource, row: Row, name: str) -> NoScore | None:
    if first(row, ("dataType", "data_type")) in (CORRECTION, TEXT) or follow(row, "expectation") is not None:
        return NoScore.WORDS
    if not tool.name:
        return NoScore.FEEDBACK
    none = why_none(tool, row, name, is_correction=False)
    if none is NoFeedback.PASSAGE:
        return NoScore.PASSAGE
    if none is NoFeedback.REPLACED:
        return NoScore.REPLACED
    if none is NoFeedback.EXPERT or first(row, tool.by) in ("HUMAN", "human"):
        return NoScore.EXPERT if none is not None else NoScore.FEEDBACK
    if none not in (NoFeedback.AUTOMATIC, NoFeedback.OTHER_NAME):
        return NoScore.FEEDBACK
    if first(row, tool.item_id) is None and first(row, ("sessionId", "session_id", "datasetRunId")) is not None:
        return NoScore.SESSION
    return None


def _value(row: Row, tool: FeedbackSource) -> float | str | None:
    """Return the number, else the word; a truth value is 1 or 0."""
    kind = first(row, ("dataType", "data_type"))
    values = list(several(row, STRINGS if kind == "CATEGORICAL" else tool.value))
    numbers = [] if kind == "CATEGORICAL" else [number for value in values if (number := _number(value)) is not None]
    if numbers:
        return numbers[0]
    words = [value for value in values if isinstance(value, str) and value.strip()]
    if not words and values:
        raise InputError(f"value: expected a number or a word, found {shown(values[0])}")
    return words[0] if words else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or str(value).casefold() in ("true", "false"):
        return float(str(value).casefold() == "true")
    try:
        number = float(value)  # type: ignore[arg-type] # what is none is refused
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _reason(row: Row, tool: FeedbackSource) -> str:
    return "\n".join(value for value in several(row, tool.comment) if isinstance(value, str))


def _version(row: Row, tool: FeedbackSource) -> str:
    """Return which version of the judge scored, as far as the tool says."""
    parts = [str(value).replace("|", "/") for value in several(row, VERSIONS.get(tool.title, ()))]
    return " ".join(parts).lower() or "unversioned"


def evaluation_events(events: Collection[Row], trace: str | None, span: str | None, scope: str) -> Iterator[Evaluation]:
    """Yield the evaluations among the events of a span, or among log records; their attributes under today's names."""
    for event in events:
        attributes = event.get("attributes")
        event_name = str(event.get("name") or "")
        if not event_name.startswith(EVALUATION) or not isinstance(attributes, Mapping):
            continue
        today = dict(attributes)
        for name, olders in OLDER.items():
            known = next((today[older] for older in (name, *olders) if older in today), None)
            if known is not None:
                today[name] = known
        if event_name != RESULT:
            today.setdefault(f"{EVALUATION}.name", event_name.removeprefix(f"{EVALUATION}."))
        row = {"trace_id": trace, "span_id": span, "name": event_name, "attributes": today, "scope": scope}
        yield Evaluation({**row, "time": event.get("time")})
