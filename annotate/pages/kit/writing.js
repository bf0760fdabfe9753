/* Where a reference is written: the cursor stands in the box of each new item, and what is typed reaches the server after a pause
   and before anything else is done, not only when the box is left: a tap on a button need not take the focus there. Streamlit
   sends a text when its box loses the focus, so the box is told that it did, and keeps it. It takes a moment to send it, for
   which a click waits. What leaves the page waits until the form says what the server has: of two requests that wait there
   together Streamlit answers the later, and one for another page does not carry the text. */
(() => {
  const FORM = ".st-key-reference-form", OFFERS = ".st-key-reference-offers", PAUSE = 1000, SENDING = 50, PATIENCE = 10000;
  let box = null, timer = 0, sent = -PATIENCE, sentFields = [];
  const fields = new Set();
  const send = (but = null) => {
    clearTimeout(timer);
    const typed = [...fields].filter((field) => field.isConnected && field !== but);
    fields.clear();
    if (but?.matches("textarea, input")) fields.add(but);
    if (!typed.length) return;
    [sent, sentFields] = [performance.now(), typed];
    for (const field of typed) {
      field.dispatchEvent(new FocusEvent("focusout", {bubbles: true}));
      if (document.activeElement === field) field.dispatchEvent(new FocusEvent("focusin", {bubbles: true}));
    }
  };
  const typed = (event) => {
    if (!event.target.closest?.(FORM) || !event.target.matches("textarea, input[type=text]")) return;
    clearTimeout(timer);
    fields.add(event.target);
    if (!event.isComposing) timer = setTimeout(send, PAUSE);
  };
  const isHeard = () => {
    const heard = document.querySelector(`${FORM} [data-text]`);
    const values = Object.values(heard?.dataset ?? {});
    return !heard || sentFields.every((field) => !field.isConnected || values.includes(field.value));
  };
  const mustWait = (leaves) => performance.now() - sent < (leaves && !isHeard() ? PATIENCE : SENDING);
  const after = (event, leaves, again) => {
    if (!event.isTrusted || !mustWait(leaves)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const look = () => (mustWait(leaves) ? setTimeout(look, SENDING) : again());
    setTimeout(look, SENDING);
  };
  // The answer to what was sent may have brought the address of this page back meanwhile.
  const goBack = (place, state) => {
    if (location.href === place) dispatchEvent(new PopStateEvent("popstate", {state}));
    else history.back();
  };
  new MutationObserver(() => {
    const now = document.querySelector(`${FORM} textarea`);
    if (now !== box && now) {
      now.focus({preventScroll: true});
      // On a narrow screen the form stands below the passages.
      if (matchMedia("(max-width: 640px)").matches) document.querySelectorAll(".a-passages").forEach((all) => { all.open = false; });
    }
    box = now;
  }).observe(document, {childList: true, subtree: true});
  addEventListener("focusout", (event) => fields.delete(event.target));
  addEventListener("input", typed);
  addEventListener("compositionend", typed);
  addEventListener("keydown", (event) => { if (event.altKey || (event.ctrlKey && event.key === "Enter")) send(event.altKey ? null : event.target); }, true);
  addEventListener("a-typed", () => setTimeout(send, SENDING)); // what was copied does not wait for the pause
  addEventListener("pointerdown", (event) => { if (!fields.has(event.target)) send(); }, true);
  addEventListener("click", (event) => after(event, event.target.closest?.("a"), () => event.target.click()), true);
  addEventListener("popstate", (event) => {
    const place = location.href;
    send();
    after(event, true, () => goBack(place, event.state));
  }, true);
  document.addEventListener("visibilitychange", () => send());
  // What was typed a moment ago may not reach the server any more: the browser asks whether to leave.
  addEventListener("beforeunload", (event) => { if ([...fields].some((field) => field.isConnected)) { send(); event.preventDefault(); } });
  addEventListener("click", (event) => { if (event.target.closest?.(`${OFFERS} button`)) box?.focus({preventScroll: true}); });
})();
