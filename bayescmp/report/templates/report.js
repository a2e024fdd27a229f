"use strict";
(function () {
  function value(row, column) {
    const text = row.cells[column].textContent.trim();
    if (text === "–" || text === "") { return null; }
    const number = Number(text.replace("−", "-").replace(/^[<>]/, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  }
  function compare(a, b) {
    if (a === null || b === null) { return (a === null) - (b === null); }
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  }
  function sort(button) {
    const head = button.closest("th");
    const table = head.closest("table");
    const body = table.tBodies[0];
    const up = head.getAttribute("aria-sort") !== "ascending";
    const rows = Array.from(body.rows, function (row, place) {
      return { row: row, place: place, key: value(row, head.cellIndex) };
    });
    rows.sort(function (a, b) {
      const missing = a.key === null || b.key === null;
      const order = compare(a.key, b.key);
      return (up || missing ? order : -order) || a.place - b.place;
    });
    table.querySelectorAll("th[aria-sort]").forEach(function (th) { th.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    rows.forEach(function (found) { body.appendChild(found.row); });
  }
  document.querySelectorAll("table.sortable thead tr:last-child th").forEach(function (th) {
    const button = document.createElement("button");
    button.type = "button";
    while (th.firstChild) { button.appendChild(th.firstChild); }
    th.appendChild(button);
    button.addEventListener("click", function () { sort(button); });
  });
})();
