"""assay.toml: options of commands, prices of models, limits of gates, what is masked; read where a command runs.

In comes the file, out come plain tables. The rule: what cannot be read or is not known is a UsageError that says where.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from proxy.errors import UsageError

SETTINGS = "assay.toml"
PRICES = "prices"
GATE = "gate"
REDACTION = "redaction"
# Those that are of no one command.
TABLES = (PRICES, GATE, REDACTION)
_KINDS = {"input", "output", "cached"}


def settings() -> dict[str, Any]:
    """The whole file; {} where there is none."""
    try:
        return tomllib.loads(Path(SETTINGS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{SETTINGS} cannot be read: {error}") from error


def prices(model: str) -> dict[str, float] | None:
    """Money a million tokens of this model: input, output, and cached where it is given. None where it has no prices."""
    table = settings().get(PRICES, {})
    if not isinstance(table, dict):
        raise UsageError(f'{SETTINGS}: {PRICES} is a table for each model, like [{PRICES}."{model}"]')
    found = table.get(model)
    if found is None:
        return None
    where = f'{SETTINGS}: [{PRICES}."{model}"]'
    if not isinstance(found, dict) or not {"input", "output"} <= set(found) <= _KINDS:
        raise UsageError(f"{where} wants input and output, and knows cached; each is money a million tokens")
    if odd := [kind for kind, value in found.items() if type(value) not in (int, float) or not 0 <= value < 1e9]:
        raise UsageError(f"{where}: {odd[0]} is no price")
    return {kind: float(value) for kind, value in found.items()}
