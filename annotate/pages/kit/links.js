/* A link of ours within a page goes where it leads without loading the app anew: Streamlit follows the address as it does when
   the user goes back. A click that asks for another tab or window is the browser's. The row that was chosen keeps the focus.
   Where a script goes to another page, Streamlit first adds the new parameters to the old page: that entry is replaced, so that
   going back leads to where the user was. */
(() => {
  let followed = null;
  addEventListener("keydown", () => { followed = null; }, true);
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a.a-go");
    followed = null;
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    followed = link.getAttribute("href");
    history.pushState(null, "", link.href);
    dispatchEvent(new PopStateEvent("popstate"));
  });
  const push = history.pushState.bind(history);
  let added = null;
  for (const kind of ["pointerdown", "keydown", "popstate"]) addEventListener(kind, () => { added = null; }, true);
  history.pushState = (state, title, address) => {
    const to = new URL(address ?? "", location.href);
    const isHere = to.pathname === location.pathname;
    if (!isHere && added !== null && added === to.search && added === location.search) {
      history.replaceState(state, title, address);
    } else push(state, title, address);
    added = isHere ? to.search : null;
  };
  new MutationObserver(() => {
    if (!followed || document.activeElement !== document.body) return;
    const again = document.querySelector(`[aria-current] a.a-go[href="${CSS.escape(followed)}"]`);
    if (again) again.focus({preventScroll: true});
  }).observe(document, {childList: true, subtree: true});
})();
