"""Shares as users type them: 0.05, or 5%."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from typing import Any

import click


class ShareRange(click.FloatRange):
    """A number in a range within [0, 1], which may be given in per cent."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the share that a text says."""
        text = value.strip() if isinstance(value, str) else ""
        if text.endswith("%"):
            try:
                value = float(Decimal(text[:-1].strip()) / 100)
            except InvalidOperation:
                self.fail(f"{value!r} is not a share: write 0.05 or 5%", param, ctx)
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a share: write 0.05 or 5%", param, ctx)
        return number
