/* The filter of an index of verdicts. */
(function () {
  const rows = Array.from(document.querySelectorAll("tr.outcome"));
  const groups = Array.from(document.querySelectorAll("details.variant"));
  function filter() {
    const sought = find("sought").value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = row.textContent.toLowerCase().includes(sought);
      row.hidden = !fits || (find("surprises").checked && !row.classList.contains("surprise"));
      shown += row.hidden ? 0 : 1;
    }
    const filtered = sought !== "" || find("surprises").checked;
    for (const group of groups) {
      const left = group.querySelectorAll("tr.outcome:not([hidden])").length;
      group.hidden = left === 0;
      group.open = filtered ? left > 0 : group.querySelector("tr.surprise") !== null || groups.length === 1;
    }
    find("shown").textContent = shown + " of " + rows.length + (rows.length === 1 ? " scenario" : " scenarios");
  }
  find("sought").addEventListener("input", filter);
  find("surprises").addEventListener("change", filter);
  find("filter").hidden = false;
  filter();
})();
