/* Where a reference is written: find in the passages, copy what is marked there into the box, and tint the words that passages share
   with the answer and the question. Nothing of the page is changed for it: ranges are painted, so that Streamlit may draw anew.
   What is copied is what is selected in a passage, or the sentence that was found; its passage's number goes into the note, for a
   number in the reference would be compared with those of answers. */
(() => {
  const READING = ".st-key-reading", FORM = ".st-key-reference-form", PAUSE = 120;
  let timer = 0, place = -1, hits = [], selected = null, painted = "";
  const tools = () => document.querySelector(`${READING} .a-tools`);
  const names = () => [...document.querySelectorAll(`${READING} [data-source]`)];
  const follows = (node, other) => Boolean(other.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
  // The text nodes of the passages, which come after everything else, and of what stands above them.
  const texts = (inPassages) => {
    const first = names()[0], found = [];
    if (!first) return found;
    const walker = document.createTreeWalker(document.querySelector(READING), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.parentElement.closest(".a-tools, [data-source], summary, .a-chips, .a-who, h2")) continue;
      if (follows(node, first) === inPassages) found.push(node);
    }
    return found;
  };
  const ranges = (nodes, pattern) => nodes.flatMap((node) => [...node.data.matchAll(pattern)].map((match) => {
    const range = new Range();
    range.setStart(node, match.index);
    range.setEnd(node, match.index + match[0].length);
    return range;
  }));
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const isSpaceless = (text) => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(text);
  const ofWords = (words) => new RegExp([...words].sort((a, b) => b.length - a.length).map((word) => (
    isSpaceless(word) ? literal(word) : `(?<![\\p{L}\\p{N}])${literal(word)}(?![\\p{L}\\p{N}])`)).join("|"), "giu");
  const paint = (name, found) => CSS.highlights?.set(name, new Highlight(...found));
  const shared = () => {
    const [answered, asked] = JSON.parse(tools()?.dataset.shared ?? "[[], []]");
    const every = [...texts(false), ...texts(true)];
    paint("a-asked", asked.length ? ranges(every, ofWords(asked)) : []);
    paint("a-answered", answered.length ? ranges(every, ofWords(answered)) : []);
  };
  const look = (step) => {
    const words = tools()?.querySelector("input").value.trim() ?? "", told = tools()?.querySelector("[role=status]");
    hits = words ? ranges(texts(true), new RegExp(literal(words).replace(/\s+/g, "\\s+"), "giu")) : [];
    place = hits.length ? (Math.max(place, 0) + (step ?? 0) + hits.length) % hits.length : -1;
    paint("a-found", hits);
    paint("a-here", hits.slice(place < 0 ? hits.length : place, place + 1));
    const said = !words ? "" : hits.length ? `${place + 1} / ${hits.length}` : told.dataset.none;
    if (told && told.textContent !== said) told.textContent = said;
    if (place < 0 || step === undefined) return;
    for (let at = hits[place].startContainer.parentElement; at; at = at.parentElement) if (at.matches("details")) at.open = true;
    hits[place].startContainer.parentElement.scrollIntoView({block: "nearest"});
  };
  const sentence = (range) => {
    const text = range.startContainer.data;
    const part = [...new Intl.Segmenter(undefined, {granularity: "sentence"}).segment(text)]
      .find(({index, segment}) => range.startOffset < index + segment.length);
    return part ? part.segment : text;
  };
  const put = (field, text) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, text);
    field.dispatchEvent(new InputEvent("input", {bubbles: true}));
  };
  const copy = () => {
    const hit = hits[place], node = selected ? selected.node : hit?.startContainer;
    const text = (selected ? selected.text : hit ? sentence(hit) : "").trim();
    const box = document.querySelector(`${FORM} textarea`), note = document.querySelector(`${FORM} input[type=text]`);
    if (!box || !text || !node?.isConnected) return;
    const source = names().filter((name) => follows(node, name)).pop()?.dataset.source;
    if (note && source && !note.value.includes(source)) put(note, [note.value.trim(), source].filter(Boolean).join("; "));
    box.focus({preventScroll: true});
    const before = box.value.slice(0, box.selectionStart), space = before && !/\s$/.test(before) ? " " : "";
    document.execCommand("insertText", false, space + text);
    selected = null;
    dispatchEvent(new Event("a-typed"));
  };
  // The selection goes when the focus enters the box or a button takes it: the last one in a passage is remembered.
  document.addEventListener("selectionchange", () => {
    const now = getSelection(), node = now.anchorNode, first = names()[0];
    if (!first || !node || !document.querySelector(READING).contains(node)) return;
    const text = now.toString();
    selected = text.trim() && follows(node, first) ? {text, node} : null;
  });
  addEventListener("keydown", (event) => {
    if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === "KeyC" && tools()) {
      event.preventDefault();
      event.stopImmediatePropagation();
      copy();
    } else if (event.key === "Enter" && event.target.closest?.(`${READING} .a-tools input`)) {
      event.preventDefault();
      look(event.shiftKey ? -1 : 1);
    }
  }, true);
  addEventListener("input", (event) => { if (event.target.closest?.(`${READING} .a-tools`)) { selected = null; place = 0; look(0); } });
  addEventListener("click", (event) => { if (event.target.closest?.(`${READING} .a-tools button`)) copy(); });
  new MutationObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!tools() && !painted) return;
      const question = tools()?.dataset.shared ?? "";
      if (question !== painted && tools()) { tools().querySelector("input").value = ""; [place, selected] = [-1, null]; }
      painted = question;
      shared();
      look();
    }, PAUSE);
  }).observe(document, {childList: true, subtree: true, characterData: true});
})();
