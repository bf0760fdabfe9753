"""The app: opens the store that ASSAY_DB names, and shows three pages of it. Run it with `assay app`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import streamlit as st

from annotate.pages import gold, labelling, overview
from annotate.pages.texts import escaped
from annotate.store import Store
from annotate.store.database import readable_errors
from proxy.errors import AssayError


# One connection a session: a transaction of one reader must never be joined by another.
@st.cache_resource(scope="session", show_spinner=False, on_release=Store.close)
def open_store(path: Path) -> Store:
    """The store, open until the session ends."""
    return Store(path)


def main() -> None:
    """Show the page that the address names, or in one line why there is none."""
    st.set_page_config(page_title="Assay", layout="wide")
    path = Path(os.environ.get("ASSAY_DB", "assay.db"))
    if not path.exists():
        _say_how_to_begin(path)
        return
    try:
        with readable_errors(str(path)):
            store = open_store(path)
            pages = [
                st.Page(partial(overview.show, store), title="Overview", default=True),
                st.Page(partial(labelling.show, store), title="Labelling", url_path="labelling"),
                st.Page(partial(gold.show, store), title="Gold set", url_path="gold"),
            ]
            st.navigation(pages, position="top").run()
    except AssayError as error:
        st.error(escaped(str(error)), title="This did not work")


def _say_how_to_begin(path: Path) -> None:
    """What to run where there is no store yet."""
    st.title("Assay")
    st.info(f"There is no store at {escaped(str(path))} yet.", title="Nothing to show")
    st.markdown("See it work on sixteen made-up answers:")
    st.code("assay demo\nassay app --db assay-demo.db", language=None)
    st.markdown("Or begin with the questions and answers of your own app:")
    st.code("assay ingest FILE\nassay judge\nassay app", language=None)


if __name__ == "__main__":
    main()
