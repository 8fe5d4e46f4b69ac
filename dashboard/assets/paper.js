/* What only exists on paper: figures in the paper's width, and grids as tables of all their rows. */

(function () {
  "use strict";

  const WIDTH = 950; // of a whole line, in pixels; the paper scales it
  const MOST_ROWS = 1000;

  /* Nothing may wait here: the browser prints as soon as this has returned. */
  function draw(figure) {
    const share = figure.closest(".pair") ? 0.5 : figure.closest(".what-if") ? 0.6 : 1;
    const width = WIDTH * share;
    const height = figure._fullLayout.height;
    Plotly.relayout(figure, { autosize: false, width, height });
    figure.querySelector(".svg-container").style.aspectRatio = `${width} / ${height}`;
    for (const svg of figure.querySelectorAll(".main-svg")) {
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    }
  }
  function restore(figure) {
    for (const svg of figure.querySelectorAll(".main-svg")) svg.removeAttribute("viewBox");
    Plotly.relayout(figure, { autosize: true, width: null });
  }

  function cell(name, text, column) {
    const made = document.createElement(name);
    made.textContent = text ?? "";
    made.className = column.getColDef().type === "rightAligned" ? "number" : "";
    return made;
  }
  function row(name, columns, text) {
    const made = document.createElement("tr");
    made.append(...columns.map((column) => cell(name, text(column), column)));
    return made;
  }

  /* A grid holds the rows of its window; its table, all that the browser has of them. */
  function tabulate(grid) {
    const api = grid.id && dash_ag_grid.getApi(grid.id);
    if (!api) return;
    const columns = api.getAllDisplayedColumns();
    const rows = [];
    const add = (node) => {
      if (!node || !node.data) return;
      const text = (column) => api.getCellValue({ rowNode: node, colKey: column, useFormatter: true });
      rows.push(row("td", columns, text));
    };
    const count = api.getDisplayedRowCount();
    for (let at = 0; at < Math.min(count, MOST_ROWS); at++) add(api.getDisplayedRowAtIndex(at));
    const more = api.getGridOption("rowModelType") === "infinite" && !api.isLastRowIndexKnown();
    const shown = rows.length;
    for (let at = 0; at < api.getPinnedBottomRowCount(); at++) add(api.getPinnedBottomRow(at));
    const table = document.createElement("table");
    table.className = "listing printed";
    table.createTHead().append(row("th", columns, (column) => column.getColDef().headerName));
    table.createTBody().append(...rows);
    if (more || shown < count) table.createCaption().textContent = `The first ${shown} rows; CSV has all.`;
    grid.parentElement.append(table);
  }

  addEventListener("beforeprint", () => {
    document.querySelectorAll(".js-plotly-plot").forEach(draw);
    document.querySelectorAll(".grid").forEach(tabulate);
  });
  addEventListener("afterprint", () => {
    document.querySelectorAll(".js-plotly-plot").forEach(restore);
    for (const table of document.querySelectorAll("table.printed")) table.remove();
  });
})();
