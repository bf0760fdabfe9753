"""The gold set as a file to take away: what is accepted now or any release, in the form of any tool, made when asked for."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from annotate.pages.kit import privacy, texts
from annotate.pages.kit.messages import marked, say
from annotate.store import Store
from annotate.workflow.gold import export
from annotate.workflow.gold.export import TARGETS, Target
from annotate.workflow.gold.export_formats import ONE_TEXT

NOW = ""


def show(store: Store, accepted: int) -> None:
    """The choice of what and in which form, and the button that makes the file."""
    names = [release.name for release in store.gold.releases.all()[::-1]]
    sources = ([NOW] if accepted else []) + names
    if not sources:
        st.caption(say("gold.export_none"))
        return
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    words = say("gold.export_now", count=accepted)
    source = left.selectbox(
        say("gold.export_what"),
        sources,
        format_func=lambda name: texts.others(name) if name else words,
        key="export-what",
    )
    target = middle.selectbox(
        say("gold.export_form"), TARGETS, format_func=lambda target: say(f"gold.form_{target.name}"), key="export-form"
    )
    with right:
        st.download_button(
            say("gold.export_download"),
            data=partial(content, store.path, target, source or None),
            file_name=_file_name(target, source or None),
            mime=target.mime,
            on_click="ignore",
            icon=":material/download:",
            key="export-download",
        )
    if target.name in ONE_TEXT:
        st.caption(say("gold.export_one_text"))
    if privacy.is_on():
        st.caption(f":material/visibility: {marked('gold.export_masked')}")
    st.caption(marked("gold.export_same", command=f"`{_command(target, source or None)}`"))


def content(path: Path, target: Target, release: str | None) -> bytes:
    """The file; read through a connection of its own, for it runs beside the page."""
    store = Store(path, reads_only=True)
    try:
        return export.content(store, target, release)
    finally:
        store.close()


def _file_name(target: Target, release: str | None) -> str:
    """A name that any system can hold; the name of a release only where it is plain."""
    which = "accepted" if release is None else release if _is_plain(release) else "release"
    return f"gold-{which}-{target.name}{target.ending}"


def _is_plain(name: str) -> bool:
    """Whether the name of a release can stand in a file's name and a command."""
    return name.isascii() and name.replace("-", "").replace(".", "").isalnum() and name[0] != "-"


def _command(target: Target, release: str | None) -> str:
    """The command that writes the same file."""
    named = "" if release is None else f" --release {release if _is_plain(release) else 'NAME'}"
    form = "" if target.name in {"jsonl", "csv"} else f" --to {target.name}"
    file = "FOLDER" if target.is_folder else f"gold{target.ending}"
    return f"assay gold export {file}{form}{named}"
