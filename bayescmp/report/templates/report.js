"use strict";
(function () {
  function value(row, column) {
    const text = row.cells[column].textContent.trim();
    if (text === "–" || text === "") { return null; }
    const number = Number(text.replace("−", "-").replace(/^[<>]/, "").replace(/ ±.*$/, ""));
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
    rows.forEach(function (sorted) { body.appendChild(sorted.row); });
  }
  document.querySelectorAll("table.sortable thead tr:last-child th").forEach(function (th) {
    const button = document.createElement("button");
    button.type = "button";
    while (th.firstChild) { button.appendChild(th.firstChild); }
    th.appendChild(button);
    button.addEventListener("click", function () { sort(button); });
  });

  // -- filter the pairs by algorithm and by what is decided ------------------------------------
  const STATES = [["", "all pairs"], ["decided", "decided"], ["open", "undecided"],
    ["disagree", "answers disagree"]];
  function element(tag, properties, children) {
    const made = Object.assign(document.createElement(tag), properties);
    (children || []).forEach(function (child) { made.appendChild(child); });
    return made;
  }
  function shown(row, name, state) {
    const names = [row.dataset.first, row.dataset.second].join("\n").toLowerCase();
    return names.includes(name.trim().toLowerCase()) && (!state || row.dataset.is.split(" ").includes(state));
  }
  document.querySelectorAll("table.filtered").forEach(function (table) {
    const name = element("input", { type: "search", placeholder: "algorithm", ariaLabel: "filter by algorithm" });
    const state = element("select", { ariaLabel: "filter by decision" }, STATES.map(function (s) {
      return element("option", { value: s[0], textContent: s[1] });
    }));
    const count = element("output");
    function filter() {
      const rows = Array.from(table.tBodies[0].rows);
      rows.forEach(function (row) { row.hidden = !shown(row, name.value, state.value); });
      const left = rows.filter(function (row) { return !row.hidden; }).length;
      count.textContent = left === rows.length ? "" : left + " of " + rows.length + " pairs";
    }
    name.addEventListener("input", filter);
    state.addEventListener("change", filter);
    table.parentNode.before(element("p", { className: "tools" }, [name, state, count]));
  });

  // -- copy a table ----------------------------------------------------------------------------
  function cells(table) {
    return Array.from(table.rows).filter(function (row) { return !row.hidden; }).map(function (row) {
      return Array.from(row.cells).flatMap(function (cell) {
        const text = cell.textContent.replace(/\s+/g, " ").replace(/\u00ad/g, "").trim();
        return [text].concat(Array(cell.colSpan - 1).fill(""));
      });
    });
  }
  function csv(table) {
    return cells(table).map(function (row) {
      return row.map(function (text) {
        return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
      }).join(",");
    }).join("\n") + "\n";
  }
  const LATEX = { "\\": "\\textbackslash{}", "<": "$<$", ">": "$>$", "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}", "−": "$-$", "–": "--", "±": "$\\pm$", "↑": "$\\uparrow$",
    "↓": "$\\downarrow$", "·": "$\\cdot$", "…": "\\ldots{}" };
  function latex(table) {
    const rows = cells(table).map(function (row) {
      return row.map(function (text) {
        return text.replace(/[\\&%$#_{}<>~^−–±↑↓·…]/g, function (c) { return LATEX[c] || "\\" + c; });
      }).join(" & ") + " \\\\";
    });
    const head = table.tHead ? table.tHead.rows.length : 0;
    const width = Math.max.apply(null, cells(table).map(function (row) { return row.length; }));
    return ["\\begin{tabular}{l" + "r".repeat(width - 1) + "}", "\\toprule"].concat(rows.slice(0, head),
      head ? ["\\midrule"] : [], rows.slice(head), ["\\bottomrule", "\\end{tabular}", ""]).join("\n");
  }
  function copy(text, button) {
    const area = element("textarea", { value: text });
    document.body.appendChild(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    const label = button.textContent;
    button.textContent = done ? "copied" : "not copied";
    setTimeout(function () { button.textContent = label; }, 1500);
  }
  document.querySelectorAll(".scroll > table").forEach(function (table) {
    const buttons = [["CSV", csv], ["LaTeX", latex]].map(function (kind) {
      const button = element("button", { type: "button", textContent: "copy as " + kind[0] });
      button.addEventListener("click", function () { copy(kind[1](table), button); });
      return button;
    });
    table.parentNode.after(element("p", { className: "tools copies" }, buttons));
  });
})();
