"""Follow a path of `--map` into nested values: `inputs.messages[-1].content`, `attributes["llm.input"]`.

A name may hold dots: the longest part of the path that is a key is tried first. In `["…"]` a name is taken as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache

STEP = re.compile(r"""\.?(?:([^.\[\]]+)|\[(-?\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\])""")
ESCAPED = re.compile(r"\\(.)")

Step = tuple[str | int, bool]


def follow(value: object, path: str) -> object:
    """Return what lies at the path, or None; JSON held as text is read on the way."""
    steps = _steps(path)
    return None if steps is None else _follow(value, steps)


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[Step, ...] | None:
    """Return (name or index, whether it is quoted) for each step; None where the path cannot be parsed."""
    steps: list[Step] = []
    place = 0
    while place < len(path):
        step = STEP.match(path, place)
        if step is None:
            return None
        name, index, double, single = step.groups()
        if index is not None:
            steps.append((int(index), True))
        else:
            quoted = double if double is not None else single
            steps.append((name, False) if quoted is None else (ESCAPED.sub(r"\1", quoted), True))
        place = step.end()
    return tuple(steps)


def _follow(value: object, steps: tuple[Step, ...]) -> object:
    if not steps:
        return value
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(value, parse_constant=str)
        except (ValueError, RecursionError):
            return None
    first, is_quoted = steps[0]
    if isinstance(first, int):
        if isinstance(value, list) and -len(value) <= first < len(value):
            return _follow(value[first], steps[1:])
        return None
    if not isinstance(value, Mapping):
        return None
    if is_quoted:
        return _follow(value.get(first), steps[1:])
    names = [first]
    for name, quoted in steps[1:]:
        if quoted:
            break
        names.append(str(name))
    for count in range(len(names), 0, -1):
        key = ".".join(names[:count])
        if key in value and (nested := _follow(value[key], steps[count:])) is not None:
            return nested
    return None
