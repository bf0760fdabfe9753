"""Say in SQL what kind an item is sampled as, by its verdict, its feedback and what judges of faithfulness dispute."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from proxy.planning.strata import Stratum, kind_of
from proxy.records import Verdict

SUPPORTED = 0.5
OPPOSED = 0.3
# The rule passes the item, a model's faithfulness is above 0.5, and that of the words is below 0.3.
DISPUTED = """
    (v.verdict IS 'pass' AND EXISTS (SELECT 1 FROM scores WHERE judge = {words:d} AND item = i.key AND value < {opposed})
    AND EXISTS (SELECT 1 FROM scores WHERE judge IN ({models}) AND item = i.key AND value > {supported}))
"""
# The number of a combination: four times that of its verdict, twice the thumb down, and the dispute.
VERDICTS = " ".join(f"WHEN '{verdict}' THEN {4 * number}" for number, verdict in enumerate(Verdict))
COMBINATION = f"""
    CASE coalesce(v.verdict, 'unscored') {VERDICTS} END
        + 2 * CAST(i.id IN (SELECT item_id FROM feedback WHERE sign = -1) AS INTEGER)
        + CAST({{disputed}} AS INTEGER)
"""
NAMES = tuple(stratum.value for stratum in Stratum)
# The place in NAMES of the kind of each combination.
KINDS = np.array(
    [
        NAMES.index(kind_of(verdict, is_thumbed_down=down, is_disputed=disputed))
        for verdict, down, disputed in product(Verdict, (False, True), (False, True))
    ],
    dtype=np.uint8,
)


def combination(words: int, models: Sequence[int]) -> str:
    """Return the expression of an item `i` with its verdict `v`; no item is disputed without a model to dispute."""
    return COMBINATION.format(disputed=disputed(words, models) if models else "0")


def disputed(words: int, models: Sequence[int]) -> str:
    """Return the condition of an item `i` with its verdict `v` that is disputed between these judges, by their rows."""
    listed = ", ".join(f"{model:d}" for model in models)
    return DISPUTED.format(words=words, models=listed, supported=SUPPORTED, opposed=OPPOSED)
