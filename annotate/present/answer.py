"""An answer: the record with everything that is known, and how it is shown to users and programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from annotate.present import terminal
from annotate.present.commands import for_store
from annotate.present.document import Document

if TYPE_CHECKING:
    import pandas as pd

    from annotate.present.schemas.base import AnswerModel, EstimateModel

Result_co = TypeVar("Result_co", covariant=True)
Result = TypeVar("Result")


@dataclass(frozen=True, repr=False)  # without slots: the model is made once, when it is asked for
class Answer(Generic[Result_co]):
    """What a question to a project came to.

    Attributes
    ----------
    result
        The record, with everything that is known.
    document : Document
        What it says: drawn by the terminal, HTML, Markdown and the pages.
    kind : str
        The module of `annotate.present.schemas` that makes its typed JSON; with a dot, one of its `MODELS`.
    store : Path
        The store that was asked: the commands that the answer shows name it where they need to.
    """

    result: Result_co
    document: Document
    kind: str
    store: Path

    @cached_property
    def model(self) -> AnswerModel:
        """The typed JSON."""
        module, _, name = self.kind.rpartition(".") if "." in self.kind else (self.kind, "", "")
        schema = import_module(f"annotate.present.schemas.{module}")
        make = schema.MODELS[name].read if name else getattr(schema, "of", schema.MODEL.read)
        with for_store(self.store):
            model: AnswerModel = make(self.result, self.document)
        return model

    def to_dict(self) -> dict[str, object]:
        """Return the answer as plain values, under the keys of the command's --json."""
        return self.model.to_dict()

    def to_frame(self) -> pd.DataFrame:
        """Return one row a measured quantity: estimate, low, high, n, the ends for the long run, method and reason."""
        import pandas as pd

        from annotate.present.schemas.base import EstimateModel

        rows = {name: _row(value) for name, value in self.model if isinstance(value, EstimateModel)}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("quantity")

    def to_text(self, *, full: bool = False, colour: bool = False) -> str:
        """Return what the command prints; `full` as with --full."""
        with for_store(self.store):
            return terminal.render(self.document, full=full, colour=colour)

    def to_markdown(self) -> str:
        """Return the answer, its tables, its gate and what to do next as Markdown, for a pull request or a chat."""
        from annotate.present import markdown

        with for_store(self.store):
            return markdown.render(self.document)

    def to_junit(self, suite: str) -> str:
        """Return the conditions of its gate as JUnit XML; `suite` is how the suite is called."""
        from annotate.present import junit

        with for_store(self.store):
            return junit.render(self.document, suite)

    def __repr__(self) -> str:
        return self.to_text().rstrip("\n")

    def _repr_html_(self) -> str:
        from annotate.present import html

        with for_store(self.store):
            return html.fragment(self.document)


def answer_of(kind: str, store: Path, result: Result, **more: object) -> Answer[Result]:
    """Return the answer of a kind: `ingest.traffic` is a function of `present/ingest.py` and a model of its schemas."""
    module, _, name = kind.rpartition(".")
    document: Document = getattr(import_module(f"annotate.present.{module}"), name)(result, **more)
    return Answer(result, document, kind, store)


def _row(quantity: EstimateModel) -> dict[str, object]:
    """One estimate as a row."""
    long_run = quantity.long_run
    return {
        **{name: getattr(quantity, name) for name in ("estimate", "low", "high", "n")},
        "long_run_low": long_run.low if long_run else None,
        "long_run_high": long_run.high if long_run else None,
        "method": quantity.method,
        "reason": quantity.reason,
    }
