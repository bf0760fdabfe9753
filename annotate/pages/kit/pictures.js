/* A picture as a file, made in the browser: what Vega drew is SVG already, a picture of boxes becomes one shape a box.
   PNG is that SVG, painted at twice its size. Nothing is asked of anybody. */
(() => {
  const NAMESPACE = "http://www.w3.org/2000/svg", DRAWN = ".a-plot, .a-cells", SCALE = 2, MARGIN = 16;
  const add = (parent, tag, attributes) => {
    const element = document.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return parent.appendChild(element);
  };
  const dot = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  // As every program knows it: a mixed colour is `color(srgb …)` to a browser alone. None where nothing would be seen.
  const plain = (colour) => {
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = colour;
    dot.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = dot.getImageData(0, 0, 1, 1).data;
    return alpha ? `rgb(${red},${green},${blue})` : null;
  };
  const ground = () => plain(getComputedStyle(document.querySelector(".stApp")).backgroundColor);
  const empty = (width, height, name) => {
    const svg = document.createElementNS(NAMESPACE, "svg"), whole = {width: +width + 2 * MARGIN, height: +height + 2 * MARGIN};
    for (const [key, value] of Object.entries({...whole, viewBox: `${-MARGIN} ${-MARGIN} ${whole.width} ${whole.height}`}))
      svg.setAttribute(key, value);
    add(svg, "title", {}).textContent = name;
    add(svg, "rect", {x: -MARGIN, y: -MARGIN, ...whole, fill: ground()});
    return svg;
  };
  const fade = (element, root) => {
    let opacity = 1;
    for (let each = element; each !== root.parentElement; each = each.parentElement) opacity *= getComputedStyle(each).opacity;
    return opacity;
  };
  const box = (svg, element, style, at, opacity) => {
    const polygon = /^polygon\((.*)\)$/.exec(style.clipPath), radius = parseFloat(style.borderTopLeftRadius) || 0;
    const fill = plain(style.backgroundColor);
    if (polygon && fill) {
      const points = polygon[1].split(",").map((pair) => pair.trim().split(" ").map(parseFloat))
        .map(([x, y]) => `${at.x + x * at.width / 100},${at.y + y * at.height / 100}`).join(" ");
      add(svg, "polygon", {points, fill, opacity});
    } else if (fill) {
      add(svg, "rect", {...at, rx: Math.min(radius, at.width / 2, at.height / 2), fill, opacity});
    }
    for (const [edge, x1, y1, x2, y2] of [["Left", 0, 0, 0, 1], ["Top", 0, 0, 1, 0], ["Bottom", 0, 1, 1, 1], ["Right", 1, 0, 1, 1]]) {
      const width = parseFloat(style[`border${edge}Width`]), kind = style[`border${edge}Style`], stroke = plain(style[`border${edge}Color`]);
      if (!width || kind === "none" || !stroke) continue;
      const dashes = kind === "dashed" ? {"stroke-dasharray": "4 3"} : {};
      add(svg, "line", {x1: at.x + x1 * at.width, y1: at.y + y1 * at.height, x2: at.x + x2 * at.width, y2: at.y + y2 * at.height,
        stroke, "stroke-width": width, opacity, ...dashes});
    }
  };
  const words = (svg, node, style, origin, opacity) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const at = range.getBoundingClientRect();
    if (!at.width || !node.data.trim()) return;
    const size = parseFloat(style.fontSize);
    // As wide as it stands here, whatever fonts another program has.
    add(svg, "text", {x: at.x - origin.x, y: at.y - origin.y + at.height / 2 + size * 0.35, fill: plain(style.color), opacity,
      "font-size": size, "font-weight": style.fontWeight, "font-family": style.fontFamily, textLength: at.width,
      lengthAdjust: "spacingAndGlyphs", style: "white-space:pre"}).textContent = node.data.replace(/\s+/g, " ");
  };
  const ofBoxes = (root, name) => {
    const origin = root.getBoundingClientRect(), svg = empty(origin.width, origin.height, name);
    for (const element of [root, ...root.querySelectorAll("*")]) {
      const style = getComputedStyle(element), rect = element.getBoundingClientRect(), opacity = fade(element, root);
      box(svg, element, style, {x: rect.x - origin.x, y: rect.y - origin.y, width: rect.width, height: rect.height}, opacity);
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) words(svg, node, style, origin, opacity);
    }
    return svg;
  };
  const ofVega = (drawn, name) => {
    const svg = empty(drawn.getAttribute("width"), drawn.getAttribute("height"), name);
    const copy = drawn.cloneNode(true), texts = drawn.querySelectorAll("text");
    copy.querySelectorAll("text").forEach((text, place) => {
      const width = texts[place].getComputedTextLength();
      if (!width) return;
      text.setAttribute("textLength", width);
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    });
    svg.append(...copy.children);
    return svg;
  };
  // Of thousands of marks Vega paints dots instead of shapes.
  const ofDots = (canvas, name) => {
    const {width, height} = canvas.getBoundingClientRect(), svg = empty(width, height, name);
    add(svg, "image", {width, height, href: canvas.toDataURL("image/png")});
    return svg;
  };
  const save = (blob, file) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  const paint = (svg, text, file) => {
    const image = new Image(), canvas = document.createElement("canvas");
    canvas.width = svg.getAttribute("width") * SCALE;
    canvas.height = svg.getAttribute("height") * SCALE;
    image.onload = () => {
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, file), "image/png");
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  };
  addEventListener("click", (event) => {
    const button = event.target.closest?.(".a-save button");
    if (!button) return;
    const whole = button.closest("[data-testid=stVerticalBlock]"), name = button.parentElement.dataset.words;
    const shapes = whole.querySelector("svg.marks"), dots = whole.querySelector("canvas.marks");
    const svg = shapes ? ofVega(shapes, name) : dots ? ofDots(dots, name) : ofBoxes(whole.querySelector(DRAWN), name);
    const text = new XMLSerializer().serializeToString(svg), file = `${button.parentElement.dataset.file}.${button.dataset.kind}`;
    if (button.dataset.kind === "svg") save(new Blob([text], {type: "image/svg+xml"}), file);
    else paint(svg, text, file);
  });
})();
