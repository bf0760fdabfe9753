"""The formats of other tools that are known here, by the word that `--format` takes."""

from __future__ import annotations

from annotate.traffic.calls import CallRows
from annotate.traffic.chat import ChatLog
from annotate.traffic.evaluation_rows import DEEPEVAL, LABEL_STUDIO, QUESTION_AND_RESPONSE
from annotate.traffic.langfuse import Langfuse
from annotate.traffic.langsmith import LangSmith
from annotate.traffic.mlflow import MLflow
from annotate.traffic.open_webui import OpenWebUI
from annotate.traffic.otlp import Otlp
from annotate.traffic.promptfoo import Promptfoo
from annotate.traffic.ragas import RAGAS
from annotate.traffic.source_format import SourceFormat
from annotate.traffic.span_rows import GENAI, OPENINFERENCE, TRULENS_EVENTS
from annotate.traffic.trulens_records import TRULENS_RECORDS

# Our own rows need no reading.
OWN, OWN_TITLE = "own", "Assay's own rows"
SOURCE_FORMATS: tuple[SourceFormat, ...] = (
    Otlp(),
    OPENINFERENCE,
    GENAI,
    TRULENS_EVENTS,
    Langfuse(),
    LangSmith(),
    MLflow(),
    Promptfoo(),
    RAGAS,
    DEEPEVAL,
    LABEL_STUDIO,
    TRULENS_RECORDS,
    OpenWebUI(),
    CallRows(),
    ChatLog(),
    QUESTION_AND_RESPONSE,
)
BY_NAME = {source_format.name: source_format for source_format in SOURCE_FORMATS}
NAMES = (OWN, *BY_NAME)
