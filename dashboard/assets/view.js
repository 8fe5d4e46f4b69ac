/* What only the browser can do: keep the filters in the address, the scheme, and open details. */

(function () {
  "use strict";

  const DEFAULTS = {
    curve: "net", period: "month", axis: "dollars", basis: "configured", layout: "list",
    by: "workload", then: "hardware", tied: "billed", machine: "usual",
    group: "none",
  };

  /* The controls on the page, by the id that Dash gives them as JSON. */
  function controls() {
    const found = document.querySelectorAll("[id*='\"choice\":'], [id*='\"range\":'], [id*='\"many\":']");
    return [...found].filter((e) => e.id.endsWith("}")).map((e) => JSON.parse(e.id));
  }

  /* The parameter that a control's property stands for. */
  function parameter(input) {
    if (input.property === "start_date") return "from";
    return input.property === "end_date" ? "to" : input.id.choice || input.id.many;
  }

  /* What stands in a control that the address does not name, where that is the data's to say. */
  function usual(name) {
    return document.querySelector(`[data-usual="${name}"]`)?.dataset.value;
  }

  function address(values) {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      const unsaid = DEFAULTS[name] ?? (query.has(name) ? "" : usual(name));
      query.delete(name);
      for (const each of [value ?? []].flat()) {
        if (each && each !== unsaid) query.append(name, each);
      }
    }
    const text = query.toString();
    return location.pathname + (text ? "?" + text : "");
  }

  /* Each change of a filter becomes a step in the history, so that Back undoes it; a hand on a
     slider is one step, however far it goes. */
  let sliding = 0;
  function remember() {
    const values = {};
    for (const input of dash_clientside.callback_context.inputs_list.flat()) {
      values[parameter(input)] = input.value;
    }
    const next = address(values);
    const same = Date.now() - sliding < 1000 && remember.slid;
    remember.slid = Date.now() - sliding < 1000;
    if (next === location.pathname + location.search) return;
    history[same ? "replaceState" : "pushState"](null, "", next);
    heed();
  }

  /* The line about a value that names nothing goes with the value, and comes back with it. */
  function heed() {
    const query = new URLSearchParams(location.search);
    for (const line of document.querySelectorAll("[data-asked]")) {
      line.hidden = !query.getAll(line.dataset.asked).includes(line.dataset.value);
    }
  }

  /* A slider writes into its box, and follows it; until something is said it stands at the data's
     own value. */
  function slides(host) {
    const { name, ...at } = { name: host.dataset.slides, ...host.dataset };
    const range = document.createElement("input");
    Object.assign(range, { type: "range", min: at.min, max: at.max, step: at.step });
    range.setAttribute("aria-label", at.label);
    range.classList.toggle("unset", at.now === "");
    range.value = at.now || at.min;
    range.addEventListener("input", () => {
      sliding = Date.now();
      range.classList.remove("unset");
      dash_clientside.set_props({ page: at.page, choice: name }, { value: range.value });
    });
    host.replaceChildren(range);
  }
  function slid(...values) {
    const boxes = dash_clientside.callback_context.inputs_list.flat();
    boxes.forEach((box, place) => {
      const host = document.querySelector(`[data-slides="${box.id.choice}"]`);
      const range = host && host.firstElementChild;
      if (!range || range === document.activeElement && Date.now() - sliding < 1000) return;
      const chosen = values[place] || host.dataset.own;
      range.classList.toggle("unset", chosen === "");
      range.value = chosen || range.min;
    });
  }

  function asked() {
    return Object.fromEntries(new URLSearchParams(location.search));
  }

  /* Another workload of Decide: another page under the same path, with nothing assumed of it; what
     was said of the company stays. */
  const OF_ONE = ["machine", "hours", "arch", "budget", "serve", "plan"];
  function decide(workload) {
    const query = new URLSearchParams(location.search);
    if (!workload || workload === query.get("workload")) return;
    for (const host of document.querySelectorAll("[data-slides]")) query.delete(host.dataset.slides);
    for (const name of OF_ONE) query.delete(name);
    query.set("workload", workload);
    history.pushState(null, "", `/decide?${query}`);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  }

  /* Back or Forward within a page sets the filters; between pages it is Dash's to handle. */
  function place() {
    return location.pathname + "?" + (new URLSearchParams(location.search).get("workload") ?? "");
  }
  let shown = place();
  window.addEventListener("popstate", (event) => {
    if (place() !== shown) {
      shown = place();
      return;
    }
    event.stopImmediatePropagation();
    sliding = 0;
    heed();
    const query = new URLSearchParams(location.search);
    for (const id of controls()) {
      if (id.range) {
        const days = { start_date: query.get("from"), end_date: query.get("to") };
        dash_clientside.set_props(id, days);
      } else if (id.many) {
        dash_clientside.set_props(id, { value: query.getAll(id.many) });
      } else {
        const unsaid = DEFAULTS[id.choice] ?? usual(id.choice) ?? "";
        dash_clientside.set_props(id, { value: query.get(id.choice) ?? unsaid });
      }
    }
  });
  window.addEventListener("_dashprivate_pushstate", () => (shown = place()));

  /* A link to another page takes along the filters that both know. */
  function carry(link) {
    const here = new URLSearchParams(location.search);
    const there = new URLSearchParams();
    for (const name of link.dataset.carry.split(" ")) {
      for (const value of here.getAll(name)) there.append(name, value);
    }
    const text = there.toString();
    link.href = link.pathname + (text ? "?" + text : "");
  }
  for (const reached of ["pointerover", "focusin", "click"]) {
    document.addEventListener(reached, (event) => {
      const link = event.target.closest("a[data-carry], a[data-take]");
      if (link && link.dataset.take === "place") link.href = link.pathname + here();
      else if (link && link.dataset.take) link.href = link.pathname + location.search;
      else if (link) carry(link);
    });
  }
  /* Where the reader is, for a number of this page: its filters, whose page it is, and what the
     page shows where the address names none. */
  function here() {
    const query = new URLSearchParams(location.search);
    const [, page, name] = location.pathname.split("/");
    if (page === "workload") query.set("workload", decodeURIComponent(name));
    for (const { dataset } of document.querySelectorAll("[data-usual]")) {
      if (dataset.value && !query.has(dataset.usual)) query.set(dataset.usual, dataset.value);
    }
    const text = query.toString();
    return text ? "?" + text : "";
  }
  function follow(event) {
    const link = event.target.closest("a[data-carry], a[data-go]");
    if (!link) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
    if (!link.dataset.stay) scrollTo(0, 0);
  }

  /* The navigation says where one is. */
  function mark() {
    for (const link of document.querySelectorAll(".top nav a")) {
      if (link.pathname !== location.pathname) {
        link.removeAttribute("aria-current");
        continue;
      }
      link.setAttribute("aria-current", "page");
      link.parentElement.scrollLeft = link.offsetLeft - link.parentElement.clientWidth / 2;
    }
  }
  for (const moved of ["_dashprivate_pushstate", "popstate"]) window.addEventListener(moved, mark);

  document.addEventListener("click", (event) => {
    follow(event);
    const pressed = event.target.closest("[data-action='theme']");
    if (pressed) toggleScheme();
    const copied = event.target.closest("[data-action='copy-link']");
    if (copied) copyAddress(copied);
    const run = event.target.closest("a[data-run]");
    if (run && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      openRun(run.dataset.run);
    }
    if (event.target.closest("[data-action='close-run']")) openRun("");
    for (const open of document.querySelectorAll("details.explain[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  });

  /* The run whose panel is open is a filter like any other: the address keeps it. */
  const RUN = { page: "runs", choice: "run" };
  let last = "";
  function openRun(id) {
    if (id) last = id;
    dash_clientside.set_props(RUN, { value: id });
    if (id) return;
    const links = [...document.querySelectorAll("a[data-run]")];
    const back = links.find((link) => link.dataset.run === last);
    if (back) back.closest("[role='gridcell'], td").focus();
  }

  async function copyAddress(button) {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy it from the address bar";
    }
    setTimeout(() => (button.textContent = label), 2000);
  }

  document.addEventListener("keydown", (event) => {
    const cell = event.key === "Enter" && event.target.closest(".ag-cell");
    const link = cell && cell === event.target && cell.querySelector("a");
    if (link) link.click();
    if (event.key !== "Escape") return;
    const open = document.querySelector("details.explain[open]");
    if (!open && document.querySelector(".drawer")) openRun("");
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
  function unfold(panel, button, again) {
    const { top, bottom } = button.getBoundingClientRect();
    panel.classList.toggle("high", top + bottom > innerHeight);
    if (!again && getComputedStyle(panel).position !== "fixed") panel.scrollIntoView({ block: "nearest" });
  }

  /* A section that is drawn again for a new snapshot keeps the focus that was in it. */
  let held = null;
  document.addEventListener("pointerdown", () => (held = null), true);
  document.addEventListener("focusin", ({ target }) => {
    const scope = target.closest("[id]");
    held = scope && { target, id: scope.id, own: scope === target, name: named(target) };
  });
  function named(element) {
    return element.getAttribute("aria-label") ?? element.textContent;
  }
  function hold() {
    if (!held || held.target.isConnected || document.activeElement !== document.body) return;
    const scope = document.getElementById(held.id);
    if (!scope) return;
    const alike = held.own ? [scope] : [...scope.querySelectorAll(held.target.tagName)];
    const again = alike.find((each) => named(each) === held.name);
    if (again) again.focus({ preventScroll: true });
  }

  /* A section that is drawn again for a new snapshot keeps what the reader had opened. */
  function keyOf(details) {
    const key = details.dataset.key;
    const alike = [...document.querySelectorAll("details[data-key]")];
    return `${alike.filter((each) => each.dataset.key === key).indexOf(details)} ${key}`;
  }
  const opened = new Set();
  const reopened = new WeakSet();
  document.addEventListener(
    "toggle",
    (event) => {
      if (!event.target.dataset?.key || !event.target.isConnected) return;
      const key = keyOf(event.target);
      if (!event.target.open) return opened.delete(key);
      opened.add(key);
      fill(event.target.querySelector(":scope > pre[data-source]"));
      const panel = event.target.querySelector(".panel");
      const asOf = panel && panel.querySelector("[data-shows]");
      if (asOf) asOf.textContent = document.getElementById("shell-freshness").textContent;
      const again = reopened.delete(event.target);
      if (panel) unfold(panel, event.target.querySelector("summary"), again);
    },
    true,
  );
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      if (!node.querySelectorAll) continue;
      if (node.matches(".shell") || node.querySelector(".top nav")) mark();
      const drawer = node.matches(".drawer") ? node : node.querySelector(".drawer");
      if (drawer) drawer.querySelector("h2").focus();
      for (const host of node.querySelectorAll("[data-slides]")) slides(host);
      for (const details of node.querySelectorAll("details[data-key]")) {
        if (!opened.has(keyOf(details)) || details.open) continue;
        reopened.add(details);
        details.open = true;
      }
    }
    hold();
  }).observe(document, { childList: true, subtree: true });

  /* Another snapshot, told to the page that is open. */
  function tell(snapshot) {
    return dash_clientside.callback_context.outputs_list.map(() => snapshot);
  }

  /* A grid whose rows the server sends: other filters, other rows; and its order in the address. */
  async function gridOf(id) {
    try {
      return await dash_ag_grid.getApiAsync(id);
    } catch {
      return null; // not drawn yet, or left already
    }
  }
  async function askAgain() {
    const grid = await gridOf(arguments[arguments.length - 1]);
    if (grid) grid.purgeInfiniteCache();
  }
  function sorted(request, known) {
    const by = request && request.sortModel[0];
    const text = by ? `${by.colId}:${by.sort}` : "";
    return text === (known || "") ? dash_clientside.no_update : text;
  }
  async function sort(text, id) {
    const [colId, way] = (text || ":").split(":");
    const grid = await gridOf(id);
    const now = grid && grid.getColumnState().find((column) => column.sort);
    if (!grid || (now ? `${now.colId}:${now.sort}` : "") === (text || "")) return;
    const state = colId ? [{ colId, sort: way }] : [];
    grid.applyColumnState({ state, defaultState: { sort: null } });
  }

  const cells = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});
  cells.RunLink = (props) => {
    if (!props.data) return null;
    const query = new URLSearchParams(location.search);
    query.set("run", props.data.id);
    const href = `/runs?${query}`;
    return React.createElement("a", { href, "data-run": props.data.id, tabIndex: -1 }, props.value);
  };

  cells.GroupLink = (props) => {
    const href = props.data && props.data.href;
    const text = props.valueFormatted ?? props.value;
    if (!href) return props.value == null ? "" : text;
    return React.createElement("a", { href, "data-go": "runs", tabIndex: -1 }, text);
  };

  const breakeven = { remember, slid, asked, decide, tell, askAgain, sorted, sort };
  window.dash_clientside = Object.assign({}, window.dash_clientside, { breakeven });
})();
