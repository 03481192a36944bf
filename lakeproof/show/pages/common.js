"use strict";
/* What the scripts of pages share: it comes before each of them. All text enters a page as text, never as markup. */
const find = (id) => document.getElementById(id);

function make(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

/* By key, what each store holds: maps, each with the style of what has changed. */
function storeRows(stores, changed, touched) {
  const keys = new Set([...stores.flatMap(([store]) => [...store.keys()]), ...changed]);
  const rows = Array.from(keys).sort().map((key) => {
    const differs = changed.includes(key);
    const row = make("tr", differs ? "changed" : key === touched ? "touched" : "");
    const head = make("th", "mono", key);
    head.scope = "row";
    if (differs) head.append(make("span", "hidden", " (changed)"));
    row.append(head);
    for (const [store, name] of stores) {
      const cell = make("td", "mono");
      cell.append(store.has(key) ? make("span", differs ? name : "", store.get(key)) : make("span", "none", "nothing"));
      row.append(cell);
    }
    return row;
  });
  if (!rows.length) {
    const cell = make("td", "none", "nothing");
    cell.colSpan = 3;
    rows.push(make("tr"));
    rows[0].append(cell);
  }
  return rows;
}
