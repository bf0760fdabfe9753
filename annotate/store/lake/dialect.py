"""Turn the SQL of the store, which SQLite reads, into what DuckDB reads; both say the same of the same rows.

The rule: queries keep to what both know, and what is left over stands here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from annotate.store.engine.all_traffic import Bound

# SQLite keeps the order of a CROSS JOIN with a condition; DuckDB chooses the order itself.
_ORDERED = re.compile(r"\bCROSS JOIN\s+((?:\w+)(?:\s+\w+)?)\s+(ON|USING)\b")
# "IS" between two values, of which either may be NULL.
_IS = re.compile(r"\bIS (NOT )?(?=[:?'\w])(?!NOT\b|NULL\b|DISTINCT\b|TRUE\b|FALSE\b)")
_MONDAY = re.compile(r"\bdate\((.*?), 'weekday 0', '-6 days'\)", re.DOTALL)
_TYPE = re.compile(r"\btypeof\(([\w.]+)\)")
_OWN_FIELD = re.compile(r"CAST\((t\.metadata) ->> ('[^']*') AS BLOB\)")
# DuckDB calls JSON with a half character malformed: it is read with all such escapes replaced.
_WHOLE = r"""CASE WHEN json_valid({0}) THEN {0}
    ELSE regexp_replace({0}, '\\u[dD][89a-fA-F][0-9a-fA-F]{{2}}', '\\ufffd', 'g') END"""
# A name begins with a letter: the colons of a time are none.
_NAMED = re.compile(r":([a-z]\w*)")
_LIST = re.compile(r"\bjson_each\((?=[?:])")
# DuckDB's own json_each gives JSON, in which a text keeps its quotes.
MACROS = tuple(
    f"CREATE OR REPLACE TEMP MACRO {name}(content) AS TABLE "
    f"SELECT unnest(range(len(values_of))) AS key, unnest(values_of) AS value FROM "
    f"(SELECT {values} AS values_of)"
    for name, values in (
        ("numbers_of", "CAST(from_json(content, '[\"BIGINT\"]') AS BIGINT[])"),
        ("texts_of", "json_extract_string(content, '$[*]')"),
    )
)


@lru_cache(maxsize=512)
def translated(query: str, *, is_named: bool, lists: str) -> str:
    """Return a query of the store as DuckDB reads it.

    `is_named` where its values are bound by name; `lists` is what reads the lists among them.
    """
    query = _LIST.sub(f"{lists}(", query)
    query = _ORDERED.sub(r"JOIN \1 \2", query)
    query = _IS.sub(lambda match: "IS DISTINCT FROM " if match[1] else "IS NOT DISTINCT FROM ", query)
    query = _MONDAY.sub(r"strftime(date_trunc('week', CAST(substr(\1, 1, 10) AS DATE)), '%Y-%m-%d')", query)
    query = _TYPE.sub(r"(CASE WHEN \1 IS NULL THEN 'null' ELSE 'text' END)", query)
    query = _OWN_FIELD.sub(lambda match: f"(({_WHOLE.format(match[1])}) ->> {match[2]})", query)
    return _NAMED.sub(r"$\1", query) if is_named else query


def lists_of(bound: Bound) -> str:
    """Return what reads the lists among bound values: they hold numbers, or texts, or further lists."""
    values = bound.values() if isinstance(bound, Mapping) else bound
    lists = [value for value in values if isinstance(value, str) and value.startswith("[") and value != "[]"]
    if not lists:
        return "json_each"
    return "texts_of" if any(value.startswith(('["', "[[")) for value in lists) else "numbers_of"


def bound_values(query: str, bound: Bound) -> list[object] | dict[str, object]:
    """Return bound values as DuckDB takes them: it refuses names that the query does not have."""
    if not isinstance(bound, Mapping):
        return list(bound)
    named = set(_NAMED.findall(query))
    return {name: value for name, value in bound.items() if name in named}
