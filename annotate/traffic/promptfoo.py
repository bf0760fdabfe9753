"""promptfoo: results of an evaluation, as its CSV with a column of answers a provider, or as JSON with an object a result.

Before it had a column for the status, promptfoo wrote it before each answer, `[PASS] `, for some time with the score and the
grader's reason. Both are no part of the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from annotate.domain.field_mapping import columns_listed, plain
from annotate.traffic.content import loaded
from annotate.traffic.joined_passages import split_passages
from annotate.traffic.source_format import NoAnswer, Paths, Reading, Row, Unanswered, taken
from proxy.errors import InputError

# Behind a provider's answers; the column of a second provider has the same name and a number (see annotate/files).
STATUS, REASON = "Status", "Grader Reason"
ANSWERS = re.compile(r"\[([^\[\]]+)\] \S", re.DOTALL)
PREFIX = re.compile(r"\[(PASS|FAIL|ERROR)\] ?")
SCORE = re.compile(r"\(\d+\.\d[^()\n]*\)\n\n")  # a whole number in brackets may be the answer's own
PASSED, FAILED, ERROR = "PASS", "FAIL", "ERROR"
GRADED = {PASSED: "Pass Reason: ", FAILED: "Fail Reason: ", ERROR: "Fail Reason: "}
QUESTIONS = ("question", "query", "user_input", "user_query", "user_question", "prompt", "input", "message", "text")
CONTEXTS = ("contexts", "context", "retrieved_contexts", "documents", "passages", "chunks", "sources")
REFERENCES = ("reference", "ground_truth", "expected_output", "expected_answer", "reference_answer")

Values = dict[str, tuple[object, str]]


class Promptfoo:
    """Results of promptfoo's evaluations."""

    name = "promptfoo"
    title = "promptfoo"
    has_spans = False

    def recognises(self, row: Row) -> bool:
        """Return whether a row is a result, or a line of the table of them."""
        return _is_result(row) or bool(_columns(row))

    def read(self, row: Row, paths: Paths) -> Iterable[Reading]:
        """Read the answer of each provider."""
        return _read_result(row, paths) if _is_result(row) else _read_table_row(row, paths)


def _is_result(row: Row) -> bool:
    prompt = row.get("prompt")
    return isinstance(row.get("vars"), Mapping) and "success" in row and isinstance(prompt, Mapping) and "raw" in prompt


def _read_result(row: Row, paths: Paths) -> Iterator[Reading]:
    response = row.get("response")
    output = response.get("output") if isinstance(response, Mapping) else None
    if output is None and (row.get("error") or (isinstance(response, Mapping) and response.get("error"))):
        yield Unanswered(NoAnswer.FAILED)
        return
    variables = {str(name): value for name, value in row["vars"].items()}  # type: ignore[attr-defined] # `_is_result`
    values = _asked(variables, "vars.")
    prompt, provider = row["prompt"], row.get("provider")
    if "question" not in values and isinstance(prompt, Mapping):
        values["question"] = prompt.get("raw"), "prompt.raw"
    if output is not None:
        values["answer"] = (
            output if isinstance(output, str) else json.dumps(plain(output), ensure_ascii=False),
            "response.output",
        )
    name = (provider.get("label") or provider.get("id")) if isinstance(provider, Mapping) else provider
    if name:
        values["system"] = name, "provider"
    rest = {name: value for name, value in row.items() if name not in ("response", "provider", "vars", "testCase")}
    yield taken(values, rest | _unclaimed(variables, values), row, paths)


def _columns(row: Row) -> list[tuple[str, str]]:
    """Return the columns of answers, each with its provider; none where nothing else shows that promptfoo wrote them."""
    named = [(name, match[1]) for name in row if isinstance(name, str) and (match := ANSWERS.match(name))]
    if not named or REASON in row:
        return named
    cells = [row[name] for name, _ in named if row[name] not in (None, "")]
    is_graded = bool(cells) and all(isinstance(cell, str) and PREFIX.match(cell) for cell in cells)
    return named if is_graded else []


def _read_table_row(row: Row, paths: Paths) -> Iterator[Reading]:
    columns = _columns(row)
    names = list(row)
    places = [names.index(column) for column, _ in columns]
    variables = {name: row[name] for name in names[: places[0]]} if places else {}
    asked = _asked(variables, "")
    if "question" not in asked and "question" not in paths:
        raise InputError(
            f"no question: none of promptfoo's variables is called so; the row has {columns_listed(list(variables))} "
            "(use --map question=COLUMN)"
        )
    for (column, provider), place, end in zip(columns, places, [*places[1:], len(names)], strict=True):
        beside = {name: row[name] for name in names[place + 1 : end] if row[name] not in (None, "")}
        status = next((str(value) for name, value in beside.items() if name.startswith(STATUS)), None)
        answer = row[column]
        graded: dict[str, str] = {}
        if isinstance(answer, str) and status is None:
            answer, graded = _without_grade(answer)
            status = graded.get("status")
        if answer in (None, "") and status is None:
            continue  # this provider was not asked
        if status == ERROR:
            yield Unanswered(NoAnswer.FAILED)
            continue
        values: Values = {**asked, "answer": (answer, f"[{provider}]"), "system": (provider, f"[{provider}]")}
        yield taken(values, {**_unclaimed(variables, values), **beside, **graded}, row, paths)


def _without_grade(cell: str) -> tuple[str, dict[str, str]]:
    """Return the answer in a cell, and what stands round it: status, score and reason."""
    status = PREFIX.match(cell)
    if status is None:
        return cell, {}
    answer, graded = cell[status.end() :], {"status": status[1]}
    score = SCORE.match(answer)
    if score is None:
        return answer, graded
    answer, graded["score"] = answer[score.end() :], score[0].strip("()\n")
    answer, mark, reason = (
        answer.rpartition(f"\n\n{GRADED[status[1]]}") if GRADED[status[1]] in answer else (answer, "", "")
    )
    return answer, graded | ({"reason": reason} if mark else {})


def _asked(variables: Row, prefix: str) -> Values:
    values: Values = {}
    for field, names in (("question", QUESTIONS), ("contexts", CONTEXTS), ("reference", REFERENCES)):
        name = next((variable for variable in names if variables.get(variable) not in (None, "")), None)
        if name is not None:
            values[field] = variables[name], f"{prefix}{name}"
    if "contexts" in values:
        contexts, where = loaded(values["contexts"][0]), values["contexts"][1]
        if isinstance(contexts, str) and len(parts := split_passages(contexts)) > 1:
            contexts, where = list(parts), f"{where}, split as it numbers or tags them"
        values["contexts"] = contexts, where
    return values


def _unclaimed(variables: Row, values: Values) -> dict[str, object]:
    claimed = {where.removeprefix("vars.").partition(", ")[0] for _, where in values.values()}
    return {name: value for name, value in variables.items() if name not in claimed}
