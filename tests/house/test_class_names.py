"""One public class name stands for one class: whoever reads `Part` need not ask which module it comes from."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)


def repeated(sources: dict[str, str]) -> dict[str, list[str]]:
    """Return the public classes at the top of more than one module, with the modules."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path, source in sources.items():
        for name in PUBLIC.findall(source):
            homes[name].append(path)
    return {name: paths for name, paths in homes.items() if len(paths) > 1}


def test_no_public_class_name_stands_twice() -> None:
    """A class that needs a name which is taken gets a more telling one."""
    paths = [path for package in ("annotate", "proxy") for path in sorted((ROOT / package).rglob("*.py"))]
    assert len(paths) > 500
    assert repeated({str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}) == {}


@pytest.mark.parametrize(
    ("second", "expected"),
    [("class Part: ...", {"Part": ["a.py", "b.py"]}), ("class _Part: ...", {}), ("def f():\n    class Part: ...", {})],
)
def test_a_name_that_stands_twice_is_reported(second: str, expected: dict[str, list[str]]) -> None:
    """Private classes and those inside functions may share a name."""
    assert repeated({"a.py": "class Part: ...", "b.py": second}) == expected
