"""What the functions on frames refuse, by column and row."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

import proxy
from proxy.errors import AssayError, InputError, RuleError, UsageError
from support.frames import ALL, RULE, frame
from support.tiers import shortly

SOME = ["right", "wrong", *[None] * 78]


COMMON: dict[str, tuple[Callable[[], object], type[AssayError], str]] = {
    "no frame": (lambda: [1, 2], InputError, "expected a pandas DataFrame, found list"),
    "no rows": (lambda: frame().head(0), InputError, "the frame has no rows"),
    "no judge": (lambda: frame().drop(columns="score"), InputError, "no column 'score' (a judge of the rule)"),
    "score beyond 1": (lambda: frame(score=1.5), InputError, "column 'score', row 0: 1.5 is not a number from 0 to 1"),
    "odd label": (lambda: frame(label="good"), InputError, "column 'label', row 0: a label is right, wrong or unsure"),
    "no design": (lambda: frame(label=SOME), InputError, "column 'label', row 2: no label, and no design"),
    "id twice": (lambda: frame(id="x"), InputError, "column 'id', row 1: the id 'x' is there twice"),
    "id missing": (
        lambda: frame(id=[None, *map(str, range(79))]),
        InputError,
        "column 'id', row 0: the id is missing: give every row one, or drop the column",
    ),
    "index label missing": (
        lambda: frame().set_axis([0.0, None, *map(float, range(2, 80))]),
        InputError,
        "row 2 has no label in the index: call frame.reset_index(drop=True), or give it one",
    ),
    "part of an index label missing": (
        lambda: frame().set_axis(pd.MultiIndex.from_arrays([range(80), [*"a" * 79, None]])),
        InputError,
        "row 80 has no label in the index",
    ),
    "index twice": (lambda: frame().set_axis([0] * 80), InputError, "row 0 stands twice in the index"),
    "column twice": (
        lambda: pd.concat([frame(), frame()[["score"]]], axis=1),
        InputError,
        "column 'score' stands twice in the frame",
    ),
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("fault", COMMON)
def test_every_function_names_the_column_and_the_row(name: str, fault: str) -> None:
    """What `measure` refuses, the others refuse in the same words."""
    make, error, message = COMMON[fault]
    with pytest.raises(error, match=re.escape(message)):
        ALL[name](make(), rule=RULE)


@pytest.mark.parametrize("name", ALL)
def test_every_function_refuses_weights_and_unreadable_rules(name: str) -> None:
    """A weight is no probability; a rule needs a number at its right."""
    with pytest.raises(
        InputError,
        match=r"column 'w', row 0: 4\.0 is not a number from 0 to 1; give the inclusion probability, 1 / weight",
    ):
        ALL[name](frame(w=4.0), rule=RULE, design=proxy.Design(probability="w"))
    for rule in ("score", None, 0.5):
        with pytest.raises(RuleError):
            ALL[name](frame(), rule=rule)


@pytest.mark.parametrize("name", ["calibrate", "compare", "rank", "plan"])
def test_what_reads_all_traffic_refuses_the_drawn_rows_alone(name: str) -> None:
    """Sizes say how many rows are missing, not what their values are."""
    rows = frame(part=["p" if score > 0.5 else "f" for score in frame()["score"]])
    with pytest.raises(InputError, match=f"{name} reads every row of the traffic"):
        ALL[name](rows, rule=RULE, design=proxy.Design(strata="part", sizes={"p": 90, "f": 90}))
    search = proxy.find_slices(
        rows, by=["system"], rule=RULE, design=proxy.Design(strata="part", sizes={"p": 90, "f": 90})
    )
    assert sum(search.labels.values()) == 80


def test_what_needs_every_probability_names_the_row_without() -> None:
    """Rows that were not drawn have a chance, too, and here it counts."""
    rng = np.random.default_rng(2)
    pi = np.where(frame()["score"] > 0.5, 0.9, 0.3)
    drawn = rng.random(80) < pi
    rows = frame(pi=np.where(drawn, pi, np.nan), label=frame()["label"].where(pd.Series(drawn), None))
    row = int(np.flatnonzero(~drawn)[0])
    for function in (proxy.calibrate, proxy.plan):
        with pytest.raises(InputError, match=f"column 'pi', row {row}: the inclusion probability is missing"):
            function(rows, rule=RULE, design=proxy.Design(probability="pi"))


ARGUMENTS: dict[str, tuple[Callable[[], object], type[AssayError], str]] = {
    "precision of 1": (
        lambda: proxy.calibrate(frame(), precision=1),
        UsageError,
        "precision is a number between 0 and 1",
    ),
    "precision in words": (
        lambda: proxy.calibrate(frame(), precision="0.9"),  # type: ignore[arg-type]
        UsageError,
        "precision is a number between 0 and 1, not '0.9'",
    ),
    "confidence of 90": (lambda: proxy.calibrate(frame(), confidence=90), UsageError, "confidence is a number"),
    "limit of 90": (
        lambda: proxy.measure(frame(), rule=RULE, limit=90),
        UsageError,
        "limit is a number between 0 and 1, not 90",
    ),
    "design as text": (
        lambda: proxy.measure(frame(), rule=RULE, design="pi"),  # type: ignore[arg-type]
        UsageError,
        "design is a proxy.Design, not 'pi'",
    ),
    "share of 0": (lambda: proxy.calibrate(frame(), share=0), UsageError, "share is a number"),
    "odd claim": (lambda: proxy.calibrate(frame(), claim="ever"), UsageError, "claim is 'window' or 'long-run'"),
    "nan width": (
        lambda: proxy.plan(frame(), width=float("nan")),
        UsageError,
        "width is a number between 0 and 1, not nan",
    ),
    "audit of 2": (lambda: proxy.plan(frame(), audit=2), UsageError, "audit is a number"),
    "odd quantity": (lambda: proxy.plan(frame(), quantity="f2"), UsageError, "quantity is one of correctness"),
    "one system": (lambda: proxy.compare(frame(), systems=("a",)), UsageError, "systems names two"),  # type: ignore[arg-type]
    "systems as text": (lambda: proxy.rank(frame(), systems="ab"), UsageError, "systems is a list of names, not 'ab'"),
    "unknown system": (
        lambda: proxy.compare(frame(), systems=("a", "z")),
        UsageError,
        "no row is of the system 'z': column 'system' has a, b",
    ),
    "same system": (lambda: proxy.compare(frame(), systems=("a", "a")), UsageError, "a system is named twice"),
    "only one system": (
        lambda: proxy.rank(frame(system="a")),
        UsageError,
        "nothing to compare with: column 'system' has a",
    ),
    "no system": (
        lambda: proxy.rank(frame(system=[None, *["a"] * 79])),
        InputError,
        "column 'system', row 0: the system is missing",
    ),
    "no question": (
        lambda: proxy.rank(frame(question=[*["q"] * 79, None]), rule=RULE),
        InputError,
        "column 'question', row 79: the question is missing",
    ),
    "no column of questions": (
        lambda: proxy.compare(frame().drop(columns="question"), systems=("a", "b"), rule=RULE),
        InputError,
        "there is no column 'question'",
    ),
    "two questions": (
        lambda: proxy.rank(frame(), rule=RULE, design=proxy.Design(question="system")),
        InputError,
        "the design's question is column 'system', and 'question' is asked for",
    ),
    "by in words": (lambda: proxy.find_slices(frame(), by="system"), UsageError, "by is a list of columns"),
    "by nothing": (lambda: proxy.find_slices(frame(), by=[]), UsageError, "by is a list of columns"),
    "by the label": (lambda: proxy.find_slices(frame(), by=["label"]), InputError, "column 'label' is the label"),
    "by no column": (lambda: proxy.find_slices(frame(), by=["z"], rule=RULE), InputError, "no column 'z' (a slice)"),
    "level of 5": (lambda: proxy.find_slices(frame(), by=["system"], level=5), UsageError, "level is a number"),
}


@pytest.mark.parametrize("fault", ARGUMENTS)
def test_arguments_out_of_range_are_refused(fault: str) -> None:
    """One error for each kind of fault, before anything is worked out."""
    act, error, message = ARGUMENTS[fault]
    with pytest.raises(error, match=re.escape(message)):
        act()


@pytest.mark.slow
@pytest.mark.parametrize("seed", shortly(range(40), *range(12)))
def test_odd_frames_have_an_answer_or_a_readable_error(seed: int) -> None:
    """Few rows, few or no labels, missing scores, one verdict, repeated questions: never another exception."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 40))
    score = rng.choice([0.0, 0.5, 1.0, np.nan], size, p=rng.dirichlet(np.ones(4)))
    words = np.array(["right", "wrong", "unsure", None], dtype=object)
    rows = pd.DataFrame(
        {
            "system": [*"ab", *rng.choice([*"abc"], size - 2)],
            "question": rng.choice([*"uvwxyz"], size),
            "score": score,
            "label": words[rng.choice(4, size, p=rng.dirichlet(np.ones(4)))],
            "part": rng.choice([*"pf"], size),
        }
    )
    design = proxy.Design(strata="part" if seed % 2 else None, cluster="question" if seed % 3 else None)
    for name, function in ALL.items():
        with suppress(AssayError):  # as other exceptions are not
            result = function(rows, rule=RULE, design=design)
            assert repr(result).startswith(type(result).__name__), name
            assert not result.to_frame().columns.duplicated().any(), name
            assert result.to_dict(), name
            assert not re.search(r"\bnan\b", repr(result)), name
