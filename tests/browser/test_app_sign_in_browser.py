"""Sign in with a real browser at a provider that signs real tokens, write a reference, and sign out."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotate.store import Store
from support.app import in_store, walk
from support.browser import act_when_idle, settled, still
from support.gold_page import open_gold
from support.provider import provider, roles, signing_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_what_is_written_carries_the_account_of_who_signed_in(chromium: Browser, store_path: Path) -> None:
    """The event of the reference names the annotator's account. After they have signed out, no page shows anything of the store."""
    with closing(Store(store_path)) as store:
        walk(store)
    with provider() as own, signing_in(store_path, own.issuer) as address, still(chromium, 1366, 768) as context:
        own.person("ana", email="ana@example.org", email_verified=True, **roles("assay-annotator"))
        context.route(
            lambda url: "127.0.0.1" not in url, lambda route: route.abort()
        )  # the provider's own page wants fonts
        page = context.new_page()
        act_when_idle(page)
        page.goto(address)
        page.get_by_role("button", name="Sign in").click()
        page.locator("input[name=sub]").fill("ana")
        page.get_by_role("button", name="Authorize", exact=True).click()
        page.get_by_role("heading", name="Can we trust").wait_for()
        open_gold(page)
        page.get_by_role("textbox", name="Reference answer").fill("A reference of Ana's.")
        page.get_by_role("button", name="Save, next").click()
        page.get_by_text("Saved for review").wait_for()
        settled(page)
        [event] = in_store(store_path, lambda store: store.audit.events.all()[-1:])
        assert (event.what, event.who, event.account) == ("gold add", "ana@example.org", (own.issuer, "ana"))

        page.locator(".st-key-frame").get_by_test_id("stPopoverButton").last.click()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("button", name="End session").click()
        page.get_by_text("Sign in to see this store.").wait_for()
        assert not [cookie for cookie in context.cookies() if cookie["name"].startswith("_streamlit_user")]
