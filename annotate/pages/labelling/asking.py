"""What the next wave is asked to be: a number of answers, or a rate at which each new answer is drawn; an `Asked` out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.pages.kit.escaping import escaped
from annotate.pages.kit.messages import say
from annotate.workflow.sampling import waves
from annotate.workflow.sampling.waves import Asked
from proxy.errors import UsageError

KIND, NUMBER, RATE = "wave-kind", "number", "rate"
MOST_LABELS = 100_000
USUAL_RATE = 5.0
KEPT: Mapping[str, Any] = {"persist_state": "page"}  # what was typed outlives a look at another part


def form() -> Asked | None:
    """What is asked for once the form is sent; at first what assay.toml says."""
    try:
        usual = waves.defaults()
    except UsageError as error:
        st.warning(escaped(str(error)))
        usual = Asked(labels=waves.USUAL_LABELS)
    kind = st.segmented_control(
        say("labelling.kind"),
        (NUMBER, RATE),
        default=NUMBER,
        required=True,
        format_func=lambda one: say(f"labelling.kind_{one}"),
        key=KIND,
        help=say("labelling.kind_help"),
        **KEPT,
    )
    with st.form("next-wave-form"):
        first, second = st.columns(2, gap="large")
        asked = _by_rate(first, second) if kind == RATE else _by_number(usual, first, second)
        seed = second.number_input(
            say("labelling.seed"),
            min_value=0,
            value=usual.seed,
            step=1,
            key="wave-seed",
            **KEPT,
            help=say("labelling.seed_help"),
        )
        is_sent = st.form_submit_button(say("labelling.dry_run"), key="wave-look")
    return Asked(**asked, seed=None if seed is None else int(seed)) if is_sent else None


def _by_number(usual: Asked, first: DeltaGenerator, second: DeltaGenerator) -> dict[str, Any]:
    """A wave of so many answers, from which strata, and of which slice."""
    labels = first.number_input(
        say("labelling.how_many"),
        min_value=1,
        max_value=MOST_LABELS,
        value=usual.labels or waves.USUAL_LABELS,
        step=10,
        key="wave-labels",
        **KEPT,
        help=say("labelling.how_many_help"),
    )
    audit = second.number_input(
        say("labelling.audit"),
        min_value=0,
        max_value=100,
        value=None if usual.audit is None else round(100 * usual.audit),
        step=5,
        key="wave-audit",
        **KEPT,
        help=say("labelling.audit_help"),
    )
    passed = first.checkbox(
        say("labelling.all_passed"),
        usual.all_passed,
        key="wave-all-passed",
        **KEPT,
        help=say("labelling.all_passed_help"),
    )
    active = second.checkbox(
        say("labelling.active"), usual.active, key="wave-active", **KEPT, help=say("labelling.active_help")
    )
    part = first.text_input(
        say("labelling.slice"), usual.part or "", key="wave-slice", **KEPT, help=say("labelling.slice_help")
    )
    return {
        **{
            "labels": int(labels),
            "audit": None if audit is None else audit / 100,
            "all_passed": passed,
            "active": active,
        },
        "part": (part or "").strip() or None,
    }


def _by_rate(first: DeltaGenerator, second: DeltaGenerator) -> dict[str, Any]:
    """A stream: the chance of each answer that no wave has had before it, and that of those more likely to be wrong."""
    rate, failed = (
        column.number_input(
            *(say(f"labelling.{name}"), 0.1, 100.0, USUAL_RATE, 1.0),
            key=f"wave-{name}",
            **KEPT,
            help=say(f"labelling.{name}_help"),
        )
        for column, name in ((first, "rate"), (second, "rate_failed"))
    )
    return {"rate": rate / 100, "rate_failed": failed / 100}
