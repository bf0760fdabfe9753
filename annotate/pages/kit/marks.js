/* Marks of a picture that lead to answers, by keyboard: Tab comes to one of them, arrow keys go to the others, Enter opens it.
   Vega draws a picture anew at any time: which marks there are is looked up when a key asks. */
(() => {
  const MARK = ".stVegaLiteChart [role=graphics-symbol]", KEYS = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
  // Vega gives the hand to what can be picked; a mark without a code has no answers.
  const leads = (mark) => mark.__data__?.cursor === "pointer" && mark.__data__.datum?.code !== "";
  const beside = (mark) => [...mark.parentElement.children].filter(leads);
  // What is shown where it is pointed at is in the user's language; Vega's own name of a mark has the fields of the data.
  const named = (mark) => Object.entries(mark.__data__.tooltip ?? {})
    .map(([key, value]) => (/\p{L}/u.test(key) ? `${key}: ${value}` : `${key} ${value}`.trim())).join("; ");
  const reach = (mark) => {
    for (const other of mark.parentElement.querySelectorAll("[tabindex='0']")) other.setAttribute("tabindex", -1);
    mark.setAttribute("tabindex", 0);
    mark.setAttribute("aria-label", named(mark));
  };
  new MutationObserver(() => {
    for (const group of document.querySelectorAll(".stVegaLiteChart svg.marks g.role-mark:not([data-reached])")) {
      if (!group.firstElementChild) continue;
      group.dataset.reached = "";
      const first = [...group.children].find((mark) => mark.matches(MARK) && leads(mark));
      if (first) reach(first);
    }
  }).observe(document, {childList: true, subtree: true});
  addEventListener("keydown", (event) => {
    const mark = event.target.closest?.(MARK);
    if (!mark || event.ctrlKey || event.altKey || event.metaKey) return;
    const all = beside(mark), place = all.indexOf(mark);
    const next = {Home: 0, End: all.length - 1}[event.key] ?? place + (KEYS[event.key] ?? 0);
    if (event.key === "Enter" || event.key === " ") {
      const at = mark.getBoundingClientRect();
      mark.dispatchEvent(new MouseEvent("click",
        {bubbles: true, clientX: at.x + at.width / 2, clientY: at.y + at.height / 2}));
    } else if (next !== place && all[next]) {
      reach(all[next]);
      all[next].focus();
    } else if (!(event.key in KEYS)) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
})();
