/* What only the browser can do: keep the filters in the address, the scheme, and open details. */

(function () {
  "use strict";

  const DEFAULTS = { period: "month", axis: "dollars" };

  /* The controls on the page, by the id that Dash gives them as JSON. */
  function controls() {
    const found = document.querySelectorAll("[id*='\"choice\":'], [id*='\"range\":']");
    return [...found].filter((e) => e.id.endsWith("}")).map((e) => JSON.parse(e.id));
  }

  /* The parameter that a control's property stands for. */
  function parameter(input) {
    if (input.property === "start_date") return "from";
    return input.property === "end_date" ? "to" : input.id.choice;
  }

  function address(values) {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      if (!value || value === DEFAULTS[name]) query.delete(name);
      else query.set(name, value);
    }
    const text = query.toString();
    return location.pathname + (text ? "?" + text : "");
  }

  /* Each change of a filter becomes a step in the history, so that Back undoes it. */
  function remember() {
    const values = {};
    for (const input of dash_clientside.callback_context.inputs_list.flat()) {
      values[parameter(input)] = input.value;
    }
    const next = address(values);
    if (next !== location.pathname + location.search) history.pushState(null, "", next);
  }

  /* Back or Forward within a page sets the filters; between pages it is Dash's to handle. */
  let shown = location.pathname;
  window.addEventListener("popstate", (event) => {
    if (location.pathname !== shown) {
      shown = location.pathname;
      return;
    }
    event.stopImmediatePropagation();
    const query = new URLSearchParams(location.search);
    for (const id of controls()) {
      if (id.range) {
        const days = { start_date: query.get("from"), end_date: query.get("to") };
        dash_clientside.set_props(id, days);
      } else {
        dash_clientside.set_props(id, { value: query.get(id.choice) ?? DEFAULTS[id.choice] });
      }
    }
  });
  window.addEventListener("_dashprivate_pushstate", () => (shown = location.pathname));

  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-action='theme']");
    if (pressed) toggleScheme();
    for (const open of document.querySelectorAll("details.explain[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const open of document.querySelectorAll("details.explain[open]")) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  });

  function toggleScheme() {
    const root = document.documentElement;
    const dark = getComputedStyle(root).colorScheme === "dark" ||
      (!root.dataset.scheme && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.scheme = dark ? "light" : "dark";
    localStorage.setItem("scheme", root.dataset.scheme);
  }

  async function fill(block) {
    if (!block || block.textContent) return;
    const answer = await fetch(block.dataset.source);
    block.textContent = await answer.text();
  }

  /* On a phone the panel takes the half of the screen that its button is not in. */
  function place(panel, button) {
    const { top, bottom } = button.getBoundingClientRect();
    panel.classList.toggle("high", top + bottom > innerHeight);
    if (getComputedStyle(panel).position !== "fixed") panel.scrollIntoView({ block: "nearest" });
  }

  /* A section that is drawn again for a new snapshot keeps what the reader had opened. */
  const opened = new Set();
  document.addEventListener(
    "toggle",
    (event) => {
      const key = event.target.dataset && event.target.dataset.key;
      if (!key || !event.target.isConnected) return;
      if (!event.target.open) return opened.delete(key);
      opened.add(key);
      fill(event.target.querySelector(":scope > pre[data-source]"));
      const panel = event.target.querySelector(".panel");
      if (panel) place(panel, event.target.querySelector("summary"));
    },
    true,
  );
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      if (!node.querySelectorAll) continue;
      for (const details of node.querySelectorAll("details[data-key]")) {
        if (opened.has(details.dataset.key)) details.open = true;
      }
    }
  }).observe(document, { childList: true, subtree: true });

  window.dash_clientside = Object.assign({}, window.dash_clientside, { breakeven: { remember } });
})();
