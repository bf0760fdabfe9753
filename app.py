"""The app: opens the store that ASSAY_DB names, and shows the pages of it. Run it with `assay app`."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st

from annotate.pages import calibration, comparison, disagreements, gold, judges, labelling, overview
from annotate.pages.kit import admission, frame, layout, reruns, selection, url_state
from annotate.pages.kit.messages import marked, say
from annotate.pages.kit.privacy import escaped
from annotate.store import Store
from annotate.store.engine.database import readable_errors
from proxy.errors import AssayError

PAGES = {
    "overview": overview.show,
    "disagreements": disagreements.show,
    "calibration": calibration.show,
    "judges": judges.show,
    "systems": comparison.show,
    "labelling": labelling.show,
    "gold": gold.show,
}
# The pages that show the part of the traffic that is chosen; the others show all of it.
FOLLOWING = ("overview", "disagreements", "judges")


# One connection a session: a transaction of one user must never be joined by another. Nothing closes it when the session
# ends, because a page may still be counting: SQLite brings the process down where a connection is closed under a query.
@st.cache_resource(scope="session", show_spinner=False)
def open_store(path: Path) -> Store:
    """The store, open for reading until the session has ended and the last of its pages has run to its end."""
    return Store(path, reads_only=True)


def main() -> None:
    """Show the page that the address names, or in one line why there is none."""
    st.set_page_config(page_title="Assay", layout="wide")
    reruns.begin()
    url_state.begin()
    path = Path(os.environ.get("ASSAY_DB", "assay.db"))
    try:
        if not admission.admits():
            return
        if not path.exists():
            _say_how_to_begin(path)
            return
        with readable_errors(str(path)):
            store = open_store(path)
            pages = [
                st.Page(partial(show, store), title=say(f"nav.{name}"), url_path=name, default=name == "overview")
                for name, show in PAGES.items()
            ]
            if elsewhere := _page_asked():
                shown = partial(_show_elsewhere, store, elsewhere)
                pages.append(st.Page(shown, title=say("nav.overview"), url_path=elsewhere, visibility="hidden"))
            page = st.navigation(pages, position="top")
            frame.begin(page.title)
            frame.header(store)
            above = st.empty()
            follows = (page.url_path or "overview") in FOLLOWING
            selection.tell(follows=follows)
            if follows and not selection.has_answers(store):
                st.info(say("selection.empty"))
            else:
                page.run()
            with above:
                layout.not_known()
    except AssayError as error:
        st.error(escaped(str(error)), title=say("frame.failed"))
    reruns.end()


def _page_asked() -> str | None:
    """The page that the address names and we do not have; it gets a place, or the browser would call it an error."""
    name = unquote(urlsplit(st.context.url or "").path).strip("/").rpartition("/")[2]
    return name if name not in PAGES and re.fullmatch(r"[\w.-]{1,60}", name) else None


def _show_elsewhere(store: Store, name: str) -> None:
    """The overview, and why it is what is shown."""
    layout.no_page(name)
    overview.show(store)


def _say_how_to_begin(path: Path) -> None:
    """What to run where there is no store yet."""
    st.title("Assay", anchor=False)
    st.info(marked("frame.no_store", path=str(path)), title=say("frame.nothing"))
    st.markdown(say("frame.try"))
    st.code("assay demo\nassay app --db assay-demo.db", language=None)
    st.markdown(say("frame.begin"))
    layout.commands(["assay ingest FILE", "assay judge", "assay app"])


if __name__ == "__main__":
    main()
