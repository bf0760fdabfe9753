"""Scores in the columns of tables that Langfuse's pages export: one column a score, a list of its values in each cell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from annotate.traffic.content import loaded

Row = Mapping[str, object]
# The columns of its own, without case and separators; every other column that holds lists is a score's.
OWN = frozenset(
    (
        "id",
        "timestamp",
        "name",
        "userid",
        "sessionid",
        "release",
        "version",
        "environment",
        "tags",
        "bookmarked",
        "public",
        "input",
        "output",
        "metadata",
        "latency",
        "observationcount",
        "level",
        "inputtokens",
        "comments",
        "outputtokens",
        "totaltokens",
        "inputcost",
        "outputcost",
        "totalcost",
        "scores",
        "observations",
        "projectid",
        "createdat",
        "updatedat",
        "htmlpath",
        "externalid",
        "usage",
        "usagedetails",
        "costdetails",
        "type",
        "starttime",
        "endtime",
        "parentobservationid",
        "traceid",
        "tracename",
        "tracetags",
        "statusmessage",
        "completionstarttime",
        "promptid",
        "promptname",
        "promptversion",
        "model",
        "modelid",
        "modelparameters",
        "inputusage",
        "outputusage",
        "totalusage",
        "timetofirsttoken",
        "toolcallcount",
        "tooldefinitions",
        "toolcalls",
        "toolcallnames",
        "tooldefinitioncount",
        "errorcount",
        "warningcount",
        "defaultcount",
        "debugcount",
        "internalmodel",
        "providedmodelname",
        "usagepricingtierid",
        "usagepricingtiername",
    )
)


def column_scores(row: Row, trace: str, claimed: Collection[str]) -> Iterator[Row]:
    """Yield the scores of a row as Langfuse's API gives them; `claimed` columns are fields of the answer."""
    for name, cell in row.items():
        if name in claimed or re.sub(r"[\W_]+", "", name.casefold()) in OWN:
            continue
        values = loaded(cell)
        if not isinstance(values, list) or not all(isinstance(value, (str, int, float)) for value in values):
            continue
        for value in values:
            kind = "CATEGORICAL" if isinstance(value, str) else "NUMERIC"
            yield {"traceId": trace, "name": name, "dataType": kind, "value": value}
