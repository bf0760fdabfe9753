/* Streamlit hears no letter while an input has the focus, and a row of a list is one: it hands the letter to the button that shows it. */
document.addEventListener("keydown", (event) => {
  const row = event.target;
  if (row.type !== "radio" || event.ctrlKey || event.altKey || event.metaKey || row.closest("[role=dialog]")) return;
  const key = document.querySelector(`kbd[aria-label="Shortcut ${CSS.escape(event.key.toUpperCase())}"]`);
  if (key) key.closest("button").click();
});
/* A popover whose texts are longer than it is gets the focus, so that they can be scrolled by keyboard. */
new MutationObserver(() => {
  for (const body of document.querySelectorAll("[data-testid=stPopoverBody]:not([tabindex])")) body.tabIndex = 0;
}).observe(document, {childList: true, subtree: true});
