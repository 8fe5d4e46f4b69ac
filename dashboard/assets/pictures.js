/* What is taken along from a page: its answer as a sentence, and a chart as a picture. Charts are
   drawn by plotly, but for bars of HTML (Compare), which are drawn again as SVG. */

(function () {
  "use strict";

  const WIDTH = 1120;
  const EDGE = 24;
  const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
  const INK = "#14181c";
  const QUIET = "#5b626b";
  const SHARP = 2; // pixels of a PNG for each of the page

  /* What stands in the head of every page: as of when, settled through which day, at which cost. */
  function standing() {
    return document.querySelector("#shell-freshness [data-settled]")?.dataset ?? {};
  }

  function words(element) {
    const text = element?.textContent ?? "";
    return text.replace(/[\u2066-\u2069]/g, "").replace(/\s+/g, " ").trim(); // names are isolated
  }

  function workload() {
    const [, page, name] = location.pathname.split("/");
    const chosen = new URLSearchParams(location.search).get("workload") ?? "";
    return page === "workload" ? decodeURIComponent(name) : chosen;
  }

  function tell(button, said) {
    const label = button.dataset.label ?? (button.dataset.label = button.textContent);
    button.textContent = said;
    setTimeout(() => (button.textContent = label), 2000);
  }

  /* The first sentence of the page, for what and since when it holds, and a link to the same. */
  async function copySentence(button) {
    const { asOf, settled } = standing();
    const answer = button.closest(".headline").querySelector("h1");
    const said = words(answer);
    const dated = settled && !answer.dataset.closed;
    const since = dated ? `as of ${asOf}, bills settled through ${settled}` : "";
    const beside = [answer.dataset.asked, since].filter(Boolean).join("; ");
    const when = beside ? ` (${beside})` : "";
    const sentence = said.replace(/(\.?)$/, `${when}$1`);
    try {
      await navigator.clipboard.writeText(`${sentence} ${location.href}`);
      tell(button, "Copied");
    } catch {
      tell(button, "The browser does not allow it");
    }
  }

  /* Breaks a text into lines that are no wider than the picture. */
  const measure = document.createElement("canvas").getContext("2d");
  function lines(text, font) {
    measure.font = font;
    const broken = [];
    for (const word of text.split(" ").filter(Boolean)) {
      const longer = broken.length ? `${broken[broken.length - 1]} ${word}` : word;
      const fits = broken.length && measure.measureText(longer).width <= WIDTH - 2 * EDGE;
      if (fits) broken[broken.length - 1] = longer;
      else broken.push(word);
    }
    return broken;
  }

  const SVG = "http://www.w3.org/2000/svg";
  function drawn(name, attributes, within) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    within?.append(made);
    return made;
  }

  /* Writes lines below each other and returns where the next would stand. */
  function write(svg, top, text, { size, weight = 400, fill }) {
    const height = Math.round(size * 1.4);
    const style = { x: EDGE, fill, "font-family": FONT, "font-size": size, "font-weight": weight };
    for (const line of lines(text, `${weight} ${size}px ${FONT}`)) {
      top += height;
      drawn("text", { ...style, y: top }, svg).textContent = line;
    }
    return top;
  }

  function title(figure) {
    const card = figure.closest("section[aria-label]");
    const of = workload();
    const name = card ? card.getAttribute("aria-label") : words(document.querySelector("h1"));
    return of && !name.includes(of) ? `${of}: ${name}` : name;
  }

  function source() {
    const { asOf, settled, basis } = standing();
    const chosen = words(document.querySelector(`[id*='"choice":"basis"'] label:has(input:checked)`));
    const known = [`as of ${asOf}`, `bills settled through ${settled}`, chosen || `${basis} cost`];
    return ["Source: breakeven", ...(settled ? known : []), location.host].filter(Boolean).join(" · ");
  }

  /* A text that is cut where it is wider than its place, as the page does it. */
  function cut(text, width, font) {
    measure.font = font;
    if (measure.measureText(text).width <= width) return text;
    let length = text.length;
    while (length && measure.measureText(`${text.slice(0, length)}…`).width > width) length--;
    return `${text.slice(0, length)}…`;
  }

  /* One bar on paper: hatched for GPU, and grey for what is unknown, as on the page. */
  function fill(bar) {
    if (bar.classList.contains("hw-gpu")) return "url(#hatched)";
    return bar.classList.contains("hw-unknown") ? QUIET : getComputedStyle(bar).backgroundColor;
  }

  const PART = 150; // widths, in pixels: of what is left of the bars and right of them
  const AMOUNT = 110;
  const GAP = 12;
  function hatching(svg) {
    const pattern = { id: "hatched", width: 7, height: 7, patternUnits: "userSpaceOnUse" };
    const made = drawn("pattern", pattern, drawn("defs", {}, svg));
    const colour = getComputedStyle(document.documentElement).getPropertyValue("--gpu");
    drawn("rect", { width: 7, height: 7, fill: colour, "fill-opacity": 0.55 }, made);
    drawn("rect", { width: 5, height: 7, fill: colour }, made);
  }

  /* Bars of HTML, each group below its name: part, bar, amount. */
  function barsOnPaper(bars) {
    const width = WIDTH - 2 * EDGE;
    const svg = drawn("svg", { width });
    hatching(svg);
    let top = 0;
    const say = (text, x, room, more) => {
      const look = { x, y: top, fill: INK, "font-family": FONT, "font-size": 13, ...more };
      const font = `${look["font-weight"] ?? 400} ${look["font-size"]}px ${FONT}`;
      drawn("text", look, svg).textContent = cut(text, room, font);
    };
    for (const group of bars.children) {
      top += 20;
      say(words(group.querySelector(".bars-name")), 0, width, { "font-size": 14, "font-weight": 600 });
      for (const line of group.querySelectorAll(".bars-line")) {
        const bar = line.querySelector(".share");
        const share = bar.offsetWidth / bar.parentElement.offsetWidth;
        top += 24;
        const place = { x: PART + GAP, y: top - 12, height: 14, fill: fill(bar) };
        drawn("rect", { ...place, width: share * (width - PART - AMOUNT - 2 * GAP) }, svg);
        say(words(line.querySelector(".bars-part")), 0, PART);
        const end = { "text-anchor": "end", "font-weight": 600 };
        say(words(line.querySelector(".bars-amount")), width, AMOUNT, end);
      }
      top += 12;
    }
    svg.setAttribute("height", top);
    return { chart: svg, height: top };
  }

  async function plotOnPaper(graph) {
    const height = Math.max(graph._fullLayout.height, 320);
    const width = WIDTH - 2 * EDGE;
    const font = { ...graph.layout.font, family: FONT, color: INK };
    const paper = { paper_bgcolor: "#fff", plot_bgcolor: "#fff", font, autosize: false };
    const layout = { ...graph.layout, ...paper, width, height };
    const { data } = graph;
    const url = await Plotly.toImage({ data, layout }, { format: "svg", width, height });
    const text = decodeURIComponent(url.slice(url.indexOf(",") + 1));
    return { chart: new DOMParser().parseFromString(text, "image/svg+xml").documentElement, height };
  }

  /* The chart with its title above and its caption and source below, in the colours of paper. */
  async function picture(figure) {
    const bars = figure.querySelector(".bars");
    const plot = () => plotOnPaper(figure.querySelector(".js-plotly-plot"));
    const { chart, height } = bars ? barsOnPaper(bars) : await plot();
    const svg = drawn("svg", { xmlns: SVG, width: WIDTH });
    const ground = drawn("rect", { width: WIDTH, fill: "#fff" }, svg);
    let top = write(svg, 12, title(figure), { size: 20, weight: 600, fill: INK }) + 12;
    chart.setAttribute("x", EDGE);
    chart.setAttribute("y", top);
    svg.append(chart);
    top += height;
    const caption = words(figure.querySelector("figcaption"));
    top = write(svg, top, caption, { size: 13, fill: QUIET }) + (caption ? 8 : 0);
    top = write(svg, top, source(), { size: 12, fill: QUIET }) + 16;
    svg.setAttribute("height", top);
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${top}`);
    ground.setAttribute("height", top);
    return { height: top, text: new XMLSerializer().serializeToString(svg) };
  }

  async function painted({ height, text }) {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: WIDTH * SHARP, height: height * SHARP });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  /* `breakeven-workload-atlas-7b-cumulative-net-savings-2026-10-31.png` */
  function fileName(figure, kind) {
    const page = location.pathname.split("/")[1] || "overview";
    const name = figure.closest("section[aria-label]")?.getAttribute("aria-label") ?? "";
    const parts = ["breakeven", page, workload(), name, standing().day ?? ""];
    const safe = parts.map((part) => part.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, "-"));
    return `${safe.map((part) => part.replace(/^[-.]+|[-.]+$/g, "")).filter(Boolean).join("-")}.${kind}`;
  }

  async function save(button) {
    const kind = button.dataset.picture;
    const figure = button.closest("figure");
    button.disabled = true;
    try {
      const made = await picture(figure);
      const type = "image/svg+xml;charset=utf-8";
      const blob = kind === "png" ? await painted(made) : new Blob([made.text], { type });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = fileName(figure, kind);
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } finally {
      button.disabled = false;
    }
  }

  document.addEventListener("click", (event) => {
    const sentence = event.target.closest("[data-action='copy-sentence']");
    if (sentence) copySentence(sentence);
    const chosen = event.target.closest("button[data-picture]");
    if (chosen) save(chosen);
  });
})();
